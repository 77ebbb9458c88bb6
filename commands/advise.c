/* advise.c - find layouts of shared arrays that have fewer conflicts. */
#include "commands/command.h"
#include "instrument/advice.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char advise_help[] =
    "usage: bankscope advise TRACE|KERNEL|FILE.cu [NAME=VALUE]... [options] [--json|--csv]\n"
    "       bankscope advise FILE.cu [FILE...] [options] [--json|--csv] [-- ARGUMENT...]\n"
    "\n"
    "Searches for better layouts of each shared array that has bank conflicts: with padding after\n"
    "every few elements, with elements swizzled by XOR with their row's number, or with indices\n"
    "exchanged. It moves every recorded access of the array, load or store, to the layout and\n"
    "counts again, so the passes printed are exact for this recording. For a layout that takes\n"
    "more shared memory, it says how many blocks then fit a multiprocessor with 48, 100, 164 or\n"
    "228 KB, as far as shared memory and threads decide. TRACE '-' is standard input.\n"
    "\n" RECORD_HELP "  --json             print one JSON object on one line\n"
    "  --csv              print a line per array and layout, the first as it is today\n"
    "\n"
    "An ordinary CUDA program runs on this machine (see 'bankscope help run'). Each kernel gets\n"
    "advice that is counted over all its launches, or over those that --launch and --kernel "
    "choose.\n"
    "What the program prints goes to standard error.\n" PROGRAM_HELP "\n"
    "examples:\n"
    "  bankscope advise transpose variant=naive\n"
    "  bankscope advise app.cu -- 1024\n"
    "  bankscope advise worst.jsonl --json\n";

const struct option advise_longs[] = {SUBJECT_OPTIONS,
                                      {"json", no_argument, NULL, 'j'},
                                      {"csv", no_argument, NULL, 'c'},
                                      {NULL, 0, NULL, 0}};

/* How advice is printed. */
enum form { FORM_TABLE = 0, FORM_JSON = 'j', FORM_CSV = 'c' };

/* ---- the table ----------------------------------------------------------------------------------- */

static void print_row(const struct advice_array *array, const struct advice_row *row)
{
    char layout[128];
    advice_describe(array, &row->layout, layout, sizeof layout);
    printf("  %-44s %12" PRIu64 " %12" PRIu64 " %12" PRId64 "\n", layout, row->passes,
           row->conflicts, row->extra_bytes);
}

/* "float tile[32][32]"; the whole shared memory where arrays are not named. */
static void print_name(const struct trace_array *array)
{
    if (!*array->name) {
        printf("shared memory");
        return;
    }
    printf("%s%s%s", array->type, *array->type ? " " : "", array->name);
    for (int i = 0; i < array->dims; i++)
        printf("[%d]", array->dim[i]);
}

/* What layouts that take more memory cost: blocks on a multiprocessor. */
static void print_price(const struct trace_header *header, const struct advice_array *array)
{
    for (int i = 0; i < array->rows; i++) {
        const int64_t before = header->shared_bytes, after = before + array->row[i].extra_bytes;
        char layout[128];
        if (!array->row[i].extra_bytes)
            continue;
        advice_describe(array, &array->row[i].layout, layout, sizeof layout);
        printf("  price    %" PRId64 " -> %" PRId64
               " bytes of shared memory a block (%s)\n           blocks on a multiprocessor:",
               before, after, layout);
        for (int k = 0; k < MULTIPROCESSORS; k++) {
            const struct multiprocessor *of = &multiprocessors[k];
            const int today = multiprocessor_blocks(of, header->threads, before),
                      then = multiprocessor_blocks(of, header->threads, after);
            printf("%s %d", k ? "," : "", today);
            if (then != today)
                printf(" -> %d", then);
            printf(" of %d KB", of->kilobytes);
        }
        printf("\n");
    }
}

static void print_array(const struct trace_header *header, const struct advice_array *array)
{
    const struct advice_row *today = &array->today, *best = array->rows ? array->row : today;
    print_name(&array->array);
    printf(": %" PRIu64 " warp access%s, %" PRIu64 " conflict%s\n", array->warp_accesses,
           array->warp_accesses == 1 ? "" : "es", today->conflicts,
           today->conflicts == 1 ? "" : "s");
    if (today->conflicts == 0)
        return;
    printf("  %-44s %12s %12s %12s\n", "layout", "passes", "conflicts", "extra bytes");
    print_row(array, &(struct advice_row){.layout = {.unit = today->layout.unit},
                                          .passes = today->passes,
                                          .conflicts = today->conflicts});
    for (int i = 0; i < array->rows; i++)
        print_row(array, &array->row[i]);
    for (int i = 0; i < array->rows; i++) {
        char declaration[160], access[160];
        advice_write(array, &array->row[i].layout, declaration, access, sizeof access);
        printf("  %s %s; then %s\n", i ? "or write" : "write   ", declaration, access);
    }
    print_price(header, array);
    if (!array->rows)
        printf("  none of the layouts tried costs less\n");
    if (best->irregular == 0)
        return;
    char which[64];
    if (best->irregular == best->conflicts)
        snprintf(which, sizeof which, "all %" PRIu64, best->conflicts);
    else
        snprintf(which, sizeof which, "%" PRIu64 " of the %" PRIu64, best->irregular,
                 best->conflicts);
    printf("  %s conflicts left are in accesses whose lanes follow no pattern, as when data\n"
           "  decides what a lane reads: no fixed layout avoids these for all data\n",
           which);
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static cJSON *row_json(const struct trace_header *header, const struct advice_array *array,
                       const struct advice_row *row)
{
    char layout[128], declaration[160], access[160];
    cJSON *object = cJSON_CreateObject();
    advice_describe(array, &row->layout, layout, sizeof layout);
    cJSON_AddStringToObject(object, "layout", layout);
    cJSON_AddNumberToObject(object, "passes", (double)row->passes);
    cJSON_AddNumberToObject(object, "conflicts", (double)row->conflicts);
    cJSON_AddNumberToObject(object, "irregular", (double)row->irregular);
    cJSON_AddNumberToObject(object, "extra_bytes", (double)row->extra_bytes);
    const int64_t shared = header->shared_bytes + row->extra_bytes;
    cJSON_AddNumberToObject(object, "shared_bytes", (double)shared);
    cJSON *blocks = cJSON_AddArrayToObject(object, "blocks");
    for (int i = 0; i < MULTIPROCESSORS; i++) {
        const struct multiprocessor *of = &multiprocessors[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "kilobytes", of->kilobytes);
        cJSON_AddNumberToObject(item, "blocks", multiprocessor_blocks(of, header->threads, shared));
        cJSON_AddItemToArray(blocks, item);
    }
    if (row != &array->today) {
        advice_write(array, &row->layout, declaration, access, sizeof access);
        cJSON_AddStringToObject(object, "declaration", declaration);
        cJSON_AddStringToObject(object, "access", access);
    }
    return object;
}

static cJSON *add_arrays(cJSON *to, const struct advice *advice)
{
    cJSON *arrays = cJSON_AddArrayToObject(to, "arrays");
    for (int i = 0; i < advice->arrays; i++) {
        const struct advice_array *array = &advice->array[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddItemToArray(arrays, object);
        cJSON_AddStringToObject(object, "name", array->array.name);
        cJSON_AddNumberToObject(object, "warp_accesses", (double)array->warp_accesses);
        cJSON_AddItemToObject(object, "today", row_json(&advice->header, array, &array->today));
        cJSON *layouts = cJSON_AddArrayToObject(object, "layouts");
        for (int k = 0; k < array->rows; k++)
            cJSON_AddItemToArray(layouts, row_json(&advice->header, array, &array->row[k]));
    }
    return to;
}

/* Prints the object on one line and releases it. */
static bool put_json(cJSON *root, struct error *error)
{
    char *text = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    if (!text)
        return error_set(error, "out of memory");
    puts(text_clean(text));
    cJSON_free(text);
    return true;
}

/* ---- CSV ----------------------------------------------------------------------------------------- */

static void csv_row(const char *kernel, const struct advice_array *array,
                    const struct advice_row *row)
{
    char layout[128], declaration[160] = "", access[160] = "";
    advice_describe(array, &row->layout, layout, sizeof layout);
    if (row != &array->today)
        advice_write(array, &row->layout, declaration, access, sizeof access);
    text_put(stdout, TEXT_CELL, kernel);
    putchar(',');
    text_put(stdout, TEXT_CELL, array->array.name);
    putchar(',');
    text_put(stdout, TEXT_CELL, layout);
    printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRId64 ",", array->warp_accesses,
           row->passes, row->conflicts, row->irregular, row->extra_bytes);
    text_put(stdout, TEXT_CELL, declaration);
    putchar(',');
    text_put(stdout, TEXT_CELL, access);
    putchar('\n');
}

static void csv_head(void)
{
    puts("kernel,array,layout,warp_accesses,passes,conflicts,irregular,extra_bytes,declaration,"
         "access");
}

static void csv_rows(const char *kernel, const struct advice *advice)
{
    for (int i = 0; i < advice->arrays; i++) {
        const struct advice_array *array = &advice->array[i];
        csv_row(kernel, array, &array->today);
        for (int k = 0; k < array->rows; k++)
            csv_row(kernel, array, &array->row[k]);
    }
}

/* ---- the command ----------------------------------------------------------------------------------- */

static int advise(struct subject *subject, enum form form)
{
    struct error error = {{0}};
    struct advice advice = {.arrays = 0};
    struct trace_sink sink = advice_sink(&advice);
    int status = 0;
    bool good =
        subject_read("advise", subject, &sink, &status, &error) && advice_search(&advice, &error);
    if (good && form == FORM_JSON)
        good = put_json(add_arrays(cJSON_CreateObject(), &advice), &error);
    if (good && form == FORM_CSV) {
        csv_head();
        csv_rows(advice.header.kernel, &advice);
    }
    for (int i = 0; good && form == FORM_TABLE && i < advice.arrays; i++)
        print_array(&advice.header, &advice.array[i]);
    if (good && form == FORM_TABLE && advice.arrays == 0)
        printf("the recording has no accesses to shared memory\n");
    status |= good ? command_check_end("advise", subject->name, &advice.end)
                   : command_fail("advise", &error);
    advice_free(&advice);
    return status;
}

#ifdef HAVE_DW

/* ---- programs ------------------------------------------------------------------------------------- */

/* A kernel of a program: a layout is written once, for all launches in which its arrays are alike. */
struct advised_kernel {
    char *name;
    int launches;
    uint64_t conflicts;
    struct advice advice;
};

struct advised_program {
    struct launch_taker taker;
    const char *name; /* of the launch that is being taken */
    int kernels;
    size_t room;
    struct advised_kernel *kernel;
    struct trace_sink to; /* of the launch's kernel */
};

static bool same_arrays(const struct trace_header *a, const struct trace_header *b)
{
    bool same = a->arrays == b->arrays && a->shared_bytes == b->shared_bytes;
    for (int i = 0; same && i < a->arrays; i++) {
        const struct trace_array *x = &a->array[i], *y = &b->array[i];
        same = x->addr == y->addr && x->bytes == y->bytes && x->dims == y->dims &&
               !memcmp(x->dim, y->dim, (size_t)x->dims * sizeof *x->dim) &&
               !strcmp(x->name, y->name);
    }
    return same;
}

/* Finds the launch's kernel, or makes a new one. */
static bool launch_header(void *context, const struct trace_header *header, struct error *error)
{
    struct advised_program *program = context;
    struct advised_kernel *kernel = program->kernel;
    int i = 0;
    while (i < program->kernels && (strcmp(kernel[i].name, program->name) ||
                                    !same_arrays(&kernel[i].advice.header, header)))
        i++;
    if (i == program->kernels) {
        if (!memory_grow(&program->kernel, &program->room, (size_t)i + 1, sizeof *program->kernel,
                         "kernels", error))
            return false;
        kernel = program->kernel;
        kernel[i] = (struct advised_kernel){.name = memory_copy(program->name)};
        struct trace_sink fresh = advice_sink(&kernel[i].advice);
        fresh.header(fresh.context, header, error);
        program->kernels++;
    }
    kernel[i].launches++;
    program->to = advice_sink(&kernel[i].advice);
    return true;
}

static bool launch_access(void *context, const struct warp_access *access, struct error *error)
{
    struct advised_program *program = context;
    return program->to.access(program->to.context, access, error);
}

static bool launch_begin(void *context, const struct program_launch *launch,
                         struct trace_sink *sink, struct error *error)
{
    struct advised_program *program = context;
    (void)error;
    program->name = launch->name; /* until its header comes */
    *sink = (struct trace_sink){launch_header, launch_access, NULL, program};
    return true;
}

static bool launch_end(void *context, struct error *error)
{
    (void)context, (void)error;
    return true;
}

static int by_conflicts(const void *left, const void *right)
{
    const struct advised_kernel *a = left, *b = right;
    return (a->conflicts < b->conflicts) - (a->conflicts > b->conflicts);
}

static bool search_all(struct advised_program *program, struct error *error)
{
    for (int i = 0; i < program->kernels; i++) {
        struct advised_kernel *kernel = &program->kernel[i];
        if (!advice_search(&kernel->advice, error))
            return false;
        for (int k = 0; k < kernel->advice.arrays; k++)
            kernel->conflicts += kernel->advice.array[k].today.conflicts;
    }
    if (program->kernels > 1)
        qsort(program->kernel, (size_t)program->kernels, sizeof *program->kernel, by_conflicts);
    return true;
}

static void print_kernels(const struct advised_program *program)
{
    for (int i = 0; i < program->kernels; i++) {
        const struct advised_kernel *kernel = &program->kernel[i];
        printf("%s%s, %d launch%s:\n", i ? "\n" : "", kernel->name, kernel->launches,
               kernel->launches == 1 ? "" : "es");
        for (int k = 0; k < kernel->advice.arrays; k++)
            print_array(&kernel->advice.header, &kernel->advice.array[k]);
    }
}

static bool put_kernels(const struct advised_program *program, struct error *error)
{
    cJSON *root = cJSON_CreateObject(), *kernels = cJSON_AddArrayToObject(root, "kernels");
    for (int i = 0; i < program->kernels; i++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddItemToArray(kernels, object);
        cJSON_AddStringToObject(object, "kernel", program->kernel[i].name);
        cJSON_AddNumberToObject(object, "launches", program->kernel[i].launches);
        add_arrays(object, &program->kernel[i].advice);
    }
    return put_json(root, error);
}

static int advise_launches(const struct program_options *options)
{
    struct error error = {{0}};
    struct advised_program program = {.taker = {launch_begin, launch_end, &program, NULL}};
    int status = program_record_each("advise", options, &program.taker, &error);
    bool good =
        status >= 0 &&
        (program.kernels > 0 || error_set(&error, "no recorded launch of %s used shared memory",
                                          options->request.sources ? options->request.source[0]
                                                                   : options->request.database)) &&
        search_all(&program, &error);
    if (good && options->json)
        good = put_kernels(&program, &error);
    if (good && options->csv) {
        csv_head();
        for (int i = 0; i < program.kernels; i++)
            csv_rows(program.kernel[i].name, &program.kernel[i].advice);
    }
    if (good && !options->json && !options->csv)
        print_kernels(&program);
    for (int i = 0; i < program.kernels; i++) {
        advice_free(&program.kernel[i].advice);
        free(program.kernel[i].name);
    }
    free(program.kernel);
    return good ? status : command_fail("advise", &error);
}

static int advise_program(int argc, char **argv)
{
    static const struct option longs[] = {PROGRAM_CHOICE,
                                          {"seed", required_argument, NULL, OPTION_SEED},
                                          {"json", no_argument, NULL, PROGRAM_JSON},
                                          {"csv", no_argument, NULL, PROGRAM_CSV},
                                          {NULL, 0, NULL, 0}};
    struct program_options options = {.by = TABLE_BY_LINE};
    int status = 2;
    if (program_read(argc, argv, ":" PROGRAM_SHORT, longs, &options))
        status = advise_launches(&options);
    program_options_free(&options);
    return status;
}
#endif

int command_advise(int argc, char **argv)
{
    struct subjects subjects = {.command = argv[0], .most = 1};
    enum form form = FORM_TABLE;
    int option, status = 0;

#ifdef HAVE_DW
    if (program_asked(argc, argv))
        return advise_program(argc, argv);
#endif
    while (!status &&
           (option = command_option(argc, argv, "-:" SUBJECT_SHORT, advise_longs)) != -1) {
        enum subject_taken taken = option == '?'
                                       ? SUBJECT_WRONG
                                       : subjects_option(&subjects, option, optarg, advise_longs);
        status = taken == SUBJECT_WRONG ? 2 : 0;
        if (taken == SUBJECT_OTHER)
            form = (enum form)option;
    }
    if (!status && !subjects_rest(&subjects, argc, argv))
        status = 2;
    if (!status && !subjects.count)
        status =
            command_usage(argv[0], "which trace or kernel? 'bankscope list' shows the kernels");
    if (!status)
        status = subjects_find(&subjects);
    if (!status)
        status = advise(subjects.subject, form);
    subjects_free(&subjects);
    return status;
}
