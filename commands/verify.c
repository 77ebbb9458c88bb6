/* verify.c - the model against the hardware's counters.
 *
 * For each case (a kernel, parameters, an input) the host backend's trace and the bank model
 * predict what the bare kernel costs: shared-memory instructions, passes, conflicts, for loads and
 * for stores. The counts come from a profiler that runs this program again (verify --bare), or from
 * a file that an earlier run wrote (verify --against), which needs no GPU.
 */
#define _GNU_SOURCE /* getline */
#include "commands/command.h"
#include "system/file.h"
#include "system/output.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char verify_help[] =
    "usage: bankscope verify [KERNEL]... [--times N] [-o FILE]\n"
    "       bankscope verify [KERNEL]... --against FILE\n"
    "       bankscope verify [KERNEL]... --bare [--times N]\n"
    "       bankscope verify [KERNEL]... --random N [--seed S] ...\n"
    "\n"
    "Compares the bank model with hardware counters, for many parameters and inputs of each\n"
    "kernel (all kernels unless you name some). From the host's trace it predicts shared-memory\n"
    "instructions, passes (wavefronts) and bank conflicts; Nsight Compute counts them while the\n"
    "GPU runs the kernel without instrumentation. Needs a GPU and ncu (on the PATH, or $NCU).\n"
    "Status 1 unless all are equal. Next to each number is the raw count. It includes\n"
    "instructions that no lane executes and passes lost to other traffic; both are subtracted\n"
    "within the usual limits.\n"
    "\n"
    "  -o FILE         write the counts there, with the device, command and date\n"
    "  --against FILE  compare with the counts in such a file; needs no GPU\n"
    "  --times N       run each case N times, to see whether the counters are stable\n"
    "  --bare          only run the kernels, for your own profiler\n"
    "  --random N      N parameter sets and inputs drawn at random for each kernel, instead of\n"
    "                  those that are always tried\n"
    "  --seed S        draw others (default 1)\n"
    "\n"
    "examples:\n"
    "  bankscope verify\n"
    "  bankscope verify stride thrust-merge -o counters.tsv\n"
    "  bankscope verify --random 20 --seed 7 -o counters.tsv\n"
    "  bankscope verify --against tests/data/h200-counters.tsv\n";

const struct option verify_longs[] = {{"output", required_argument, NULL, 'o'},
                                      {"against", required_argument, NULL, 'a'},
                                      {"times", required_argument, NULL, 't'},
                                      {"bare", no_argument, NULL, 'b'},
                                      {"random", required_argument, NULL, 'r'},
                                      {"seed", required_argument, NULL, 's'},
                                      {NULL, 0, NULL, 0}};

/* What is run unless --random is given: every combination of the values in a line, "a,b,c" or "1..32";
 * inputs as well. The warp is always 32. A kernel without a line runs with its defaults. */
static const struct {
    const char *kernel, *params, *inputs;
} CASES[] = {
    {"stride", "s=1..32 u=32", "random"},
    {"stride", "s=1,2,3,17,32,33 u=256 rounds=4 blocks=3", "random"},
    {"puzzle", "variant=sequential,two-way n=8192,8190,1000", "random"},
    {"broadcast", "pattern=one-word,half-half,per-bank,random u=32,128", "random"},
    {"wide", "bytes=1,2,4,8,16 s=1..9 u=32", "random"},
    {"wide", "bytes=1,2,4,8,16 s=16,32,33 u=64 blocks=2", "random"},
    {"transpose", "u=32,1024 variant=naive,padded,swizzled,diagonal,in-place", "random"},
    {"reduce", "u=64,256,1024 variant=interleaved,sequential", "random"},
    {"thrust-merge", "u=64,256,512 E=8,15,16,17 order=library,model",
     "random,sorted,worst,duplicates"},
    {"dual-scan", "u=64,256,512 E=8,15,16,17", "random,sorted,worst"},
    {"cf-merge", "u=64,256,512 E=8,15,16,17", "random,sorted,worst"},
    {"cf-split", "u=64,256,512 E=8,15,16,17 variant=direct,conflict-free", "random,sorted"},
    {"thrust-sort", "u=64,256 E=15,16,17 n=20000 order=library,model", "random,worst"},
    {"cf-sort", "u=64,256 E=15,16,17 n=20000", "random,worst"},
    {"cf-sort4", "u=64 n=20000", "random,sorted"},
    {"cf-sort4", "u=1024 n=20000", "random"},
    {"distribute", "u=128,256 K=64,256 E=4,16 tree=eytzinger,sorted", "random"},
    {"distribute", "u=256 K=256 E=16 tree=eytzinger,sorted", "sorted,duplicates"},
    {"search-pbs", "K=1024,2048,4096 Q=512 u=64,256 key_bytes=4,8", "random,worst"},
    {"search-pbs", "K=1000,3000 Q=777 u=96 key_bytes=4,8", "random"},
    {"search-pbs-cf", "K=1024,2048,4096 Q=512 u=64,256 key_bytes=4,8", "random,worst"},
    {"search-pbs-cl", "K=1024,2048,4096 Q=512 u=64,256 key_bytes=4,8", "random,worst"},
    {"odd-even-sort", "u=32,64,128 n=256", "random"},
    {"batcher-sort", "u=32,64,128 n=256", "random"},
    {"shear-sort", "variant=transpose,diagonal h=1,2", "random,reverse"},
    {"shear-sort", "variant=transpose,diagonal memory=shared", "random"},
    {"bcf-merge", "n=2048,4000 variant=transpose,diagonal", "random,duplicates"},
    {"bcf-sort", "n=8192,10000 pivots=off,on variant=transpose,diagonal", "random,duplicates"},
    {"warp-sort", "n=8192,10000 t=64,128 u=32,128", "random,duplicates"},
    {"colored-scan", "u=32,256 colors=8,16 variant=naive,conflict-free", "random"},
    {"colored-sums", "n=5000 colors=1,8,16 variant=naive,conflict-free", "random"},
    {"matmul", "variant=plain,transposed", "random"},
    {"stencil", "u=64,256 radius=2,3 coarse=1,4", "random"},
    {"histogram", "u=32,64 bins=32,64 variant=rows,banked", "random"},
};
/* For loads, then for stores: instructions; passes by instruction; conflicts; passes. The last two
 * also count passes lost to other traffic through the same data path (arbitration), which vary from
 * run to run; the difference of the two counts of passes says how many. Of 8-byte loads by part of a
 * warp the first count of passes is at times more than went through the path: then the second is it
 * (doc/gpu.md). */
static const char *const COUNTERS[] = {
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
};
enum { COUNTS = sizeof COUNTERS / sizeof COUNTERS[0], COUNTS_OF_OP = COUNTS / 2, SHOWN = 3 };

/* Predicted or counted, in the order of COUNTERS. The last of each four is only counted. */
struct counts {
    uint64_t of[COUNTS];
};

/* One case, and what became of it. */
struct verify_case {
    char kernel[32], params[160], input[32];
    struct counts predicted, counted;
};
struct verify_list {
    struct verify_case *item;
    size_t count, room;
};

static bool list_add(struct verify_list *list, const struct verify_case *item, struct error *error)
{
    if (!memory_grow(&list->item, &list->room, list->count + 1, sizeof *item, "cases", error))
        return false;
    list->item[list->count++] = *item;
    return true;
}

/* ---- the cases ------------------------------------------------------------------------------- */

/* The i-th value of "a,b,c" or "1..32" into value; false when there are only i. */
static bool nth_value(const char *values, int i, char *value, size_t room)
{
    char *end;
    long first = strtol(values, &end, 10);
    if (end != values && !strncmp(end, "..", 2)) {
        long last = strtol(end + 2, NULL, 10);
        snprintf(value, room, "%ld", first + i);
        return first + i <= last;
    }
    while (i > 0 && *values && *values != ' ')
        i -= *values++ == ',';
    snprintf(value, room, "%.*s", (int)strcspn(values, ", "), values);
    return i == 0 && *value;
}

/* Adds a case for every combination of the values in `rest`, of which item has the first ones. */
static bool add_combinations(struct verify_list *list, const struct verify_case *item,
                             const char *rest, const char *inputs, struct error *error)
{
    struct verify_case next;
    char value[32];
    rest += strspn(rest, " ");
    if (!*rest) {
        next = *item;
        for (int i = 0; nth_value(inputs, i, next.input, sizeof next.input); i++)
            if (!list_add(list, &next, error))
                return false;
        return true;
    }
    size_t name = strcspn(rest, "=") + 1, length = strcspn(rest, " ");
    for (int i = 0; nth_value(rest + name, i, value, sizeof value); i++) {
        next = *item;
        text_add(next.params, sizeof next.params, "%s%.*s%s", *next.params ? " " : "", (int)name,
                 rest, value);
        if (!add_combinations(list, &next, rest + length, inputs, error))
            return false;
    }
    return true;
}

/* Whether the words on the command line ask for this kernel. */
static bool asked_for(const char *kernel, char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], kernel))
            return true;
    return !count;
}

static bool make_cases(struct verify_list *list, char *const *names, int count, struct error *error)
{
    for (int k = 0; catalogue[k]; k++) {
        struct verify_case item = {.params = "w=32"};
        size_t before = list->count;
        snprintf(item.kernel, sizeof item.kernel, "%s", catalogue[k]->name);
        if (!asked_for(item.kernel, names, count))
            continue;
        for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
            if (!strcmp(CASES[i].kernel, item.kernel) &&
                !add_combinations(list, &item, CASES[i].params, CASES[i].inputs, error))
                return false;
        if (list->count == before && !add_combinations(list, &item, "", "random", error))
            return false;
    }
    return true;
}

/* The recipe of a case. recipe_free(recipe) afterwards in any case. */
static bool set_up(const struct verify_case *item, struct recipe *recipe, struct error *error)
{
    char text[sizeof *item];
    snprintf(text, sizeof text, "%s %s --input %s", item->kernel, item->params, item->input);
    return recipe_parse(recipe, text, error);
}

/* ---- predicted ------------------------------------------------------------------------------- */

static bool predict(struct verify_case *item, struct error *error)
{
    struct recipe recipe;
    struct stats stats;
    struct run_result result;
    stats_init(&stats, STATS_BY_STAGE);
    struct trace_sink sink = stats_sink(&stats);
    bool good = set_up(item, &recipe, error) && recipe_run(&recipe, NULL, &sink, &result, error);
    memset(&item->predicted, 0, sizeof item->predicted);
    for (size_t i = 0; good && i < stats.rows; i++) {
        const struct stats_row *row = &stats.row[i];
        uint64_t *of = item->predicted.of + (row->op == OP_STORE ? COUNTS_OF_OP : 0);
        of[0] += row->warp_accesses;
        of[1] += row->passes;
        of[2] += row->conflicts;
    }
    stats_free(&stats);
    recipe_free(&recipe);
    return good;
}

/* ---- drawn at random ------------------------------------------------------------------------- */

/* What --random and --seed say; `cases` is 0 without them. */
struct random_sets {
    int64_t cases; /* of each kernel */
    uint64_t seed;
};

/* A value of the parameter: one of its words, whole warps of threads, or a number up to a few times
 * the default; every fourth number is small. */
static void draw_value(const struct kernel_param *param, uint64_t *random, char *value, size_t room)
{
    enum { SMALL = 40, MOST_WARPS = 32 };
    if (param->words) {
        snprintf(value, room, "%s", param->words[random_below(random, param->highest + 1)]);
    } else if (!strcmp(param->name, "u")) {
        snprintf(value, room, "%d", 32 * (1 + random_below(random, MOST_WARPS)));
    } else {
        int64_t highest = SMALL;
        if (random_below(random, 4))
            highest += 4 * (int64_t)param->standard;
        if (highest > param->highest)
            highest = param->highest;
        snprintf(value, room, "%d",
                 highest < param->lowest
                     ? param->standard
                     : param->lowest + random_below(random, (int)highest - param->lowest + 1));
    }
}

/* Whether a GPU has room for the case and banks of its width, and the kernel takes it. */
static bool is_possible(const struct verify_case *item)
{
    enum { MOST_SHARED = 200 << 10, BLOCK_THREADS = 1024, GRID_THREADS = 2048, GPU_BANK_BYTES = 4 };
    struct recipe recipe;
    struct kernel_shape shape;
    struct error refused = {{0}};
    bool possible = set_up(item, &recipe, &refused) && recipe_shape(&recipe, &shape, &refused) &&
                    shape.threads <= BLOCK_THREADS &&
                    shape.blocks <= GRID_THREADS / shape.threads &&
                    shape.shared_bytes <= MOST_SHARED && shape.bank_bytes == GPU_BANK_BYTES;
    int *in = possible ? memory_array(shape.in_words + 1, sizeof *in, "words", &refused) : NULL;
    possible = in && recipe.kernel->prepare(recipe.params, &shape, &recipe.input, in, &refused);
    free(in);
    recipe_free(&recipe);
    return possible;
}

static void draw_case(const struct kernel *kernel, uint64_t *random, struct verify_case *item)
{
    char value[32];
    int inputs = 0;
    *item = (struct verify_case){.params = "w=32"};
    snprintf(item->kernel, sizeof item->kernel, "%s", kernel->name);
    for (const struct kernel_param *param = kernel->params; param->name; param++) {
        if (!strcmp(param->name, "w") || !random_below(random, 4))
            continue;
        draw_value(param, random, value, sizeof value);
        text_add(item->params, sizeof item->params, " %s=%s", param->name, value);
    }
    for (int bit = 0; input_name(bit); bit++) /* each of them with equal chance */
        if ((kernel->inputs & ~(unsigned)(INPUT_FILE | INPUT_SPLITS)) >> bit & 1 &&
            !random_below(random, ++inputs))
            snprintf(item->input, sizeof item->input, "%s", input_name(bit));
}

/* Draws anew what the kernel refuses, and what does not fit. */
static bool draw_cases(struct verify_list *list, const struct random_sets *sets, char *const *names,
                       int count, struct error *error)
{
    enum { MOST_TRIES = 1000 }; /* for each case */
    for (int k = 0; catalogue[k]; k++) {
        uint64_t random = sets->seed + (uint64_t)k;
        if (!asked_for(catalogue[k]->name, names, count))
            continue;
        for (int64_t drawn = 0, tries = 0; drawn < sets->cases; tries++) {
            struct verify_case item;
            if (tries > MOST_TRIES * sets->cases)
                return error_set(
                    error, "%s: of %" PRId64 " parameter sets that were drawn, it takes %" PRId64,
                    catalogue[k]->name, tries, drawn);
            draw_case(catalogue[k], &random, &item);
            if (!is_possible(&item))
                continue;
            if (!list_add(list, &item, error))
                return false;
            drawn++;
        }
    }
    return true;
}

/* ---- counted --------------------------------------------------------------------------------- */

/* Runs every case on the GPU. */
static bool run_bare(const struct verify_list *list, int times, struct error *error)
{
    const struct trace_sink nowhere = {NULL, NULL, NULL, NULL};
    const struct run_options bare = {.backend = BACKEND_BARE};
    bool good = true;
    for (size_t i = 0; good && i < list->count; i++)
        for (int k = 0; good && k < times; k++) {
            struct recipe recipe;
            struct run_result result;
            good = set_up(&list->item[i], &recipe, error) &&
                   recipe_run(&recipe, &bare, &nowhere, &result, error);
            recipe_free(&recipe);
        }
    return good;
}

/* The next field of a line of comma-separated values, without its quotes; NULL after the last. The
 * line is changed. */
static char *next_field(char **line)
{
    char *start = *line, *to = start, *at = start;
    bool quoted = false;
    if (!start)
        return NULL;
    for (; *at && (quoted || *at != ',') && *at != '\n'; at++) {
        if (*at == '"')
            quoted = !quoted;
        else
            *to++ = *at;
    }
    *line = *at == ',' ? at + 1 : NULL;
    *to = '\0';
    return start;
}

/* "1,024" is 1024. false: not a number. */
static bool plain_number(const char *text, uint64_t *number)
{
    *number = 0;
    if (!isdigit((unsigned char)*text))
        return false;
    for (; *text && *text != '.'; text++)
        if (isdigit((unsigned char)*text))
            *number = 10 * *number + (uint64_t)(*text - '0');
        else if (*text != ',')
            return false;
    return true;
}

/* Reads the profiler's table: one line for each kernel launched. Fills kernels[i], of which there
 * is room for `room`; *count is how many there were. What the profiler complains of is an error. */
static bool read_profile(const char *path, struct counts *kernels, size_t room, size_t *count,
                         struct error *error)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    int column[COUNTS];
    bool header = false;
    *count = 0;
    if (!file)
        return error_set(error, "cannot read the profiler's table %s: %s", path, strerror(errno));
    while (!error->text[0] && getline(&line, &size, file) >= 0) {
        if (!strncmp(line, "==ERROR==", 9)) {
            error_set(error, "the profiler says: %.*s", (int)strcspn(line + 10, "\n"), line + 10);
            break;
        }
        if (line[0] != '"')
            continue;
        char *rest = line, *field;
        uint64_t number = 0;
        struct counts counts = {{0}};
        int found = 0;
        for (int i = 0; (field = next_field(&rest)); i++)
            for (int k = 0; k < COUNTS; k++) {
                if (!header && !strcmp(field, COUNTERS[k]))
                    column[k] = i, found++;
                else if (header && column[k] == i && plain_number(field, &number))
                    counts.of[k] = number, found++;
            }
        if (!header && found == COUNTS)
            header = true;
        else if (header && found == COUNTS && (*count)++ < room)
            kernels[*count - 1] = counts;
    }
    free(line);
    fclose(file);
    return !error->text[0];
}

/* Starts this program again under the profiler, which writes its table to `log`. */
static bool profile(const struct random_sets *sets, char *const *names, int count, int times,
                    const char *log, struct error *error)
{
    const char *ncu = getenv("NCU") && *getenv("NCU") ? getenv("NCU") : "ncu";
    char self[PATH_MAX] = "", metrics[1024] = "", number[16], cases[24], seed[24];
    const char *words[64] = {
        ncu,    "--clock-control", "none",  "--csv",      "--page", "raw", "--print-units",
        "base", "--metrics",       metrics, "--log-file", log};
    int length = 12;
    for (int k = 0; k < COUNTS; k++)
        text_add(metrics, sizeof metrics, "%s%s", k ? "," : "", COUNTERS[k]);
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return error_set(error, "cannot tell where this program lies: %s", strerror(errno));
    snprintf(number, sizeof number, "%d", times);
    snprintf(cases, sizeof cases, "%" PRId64, sets->cases);
    snprintf(seed, sizeof seed, "%" PRIu64, sets->seed);
    for (const char *const *word = (const char *[]){self, "verify", "--bare", "--times", number,
                                                    "--random", cases, "--seed", seed, NULL};
         *word; word++)
        words[length++] = *word;
    for (int i = 0; i < count && length < 63; i++)
        words[length++] = names[i];
    const struct program program = {.words = words,
                                    .output = STDERR_FILENO,
                                    .hint = "install Nsight Compute, set NCU to its place, or "
                                            "use --against FILE"};
    if (process_run(&program, error) < 0)
        return false;
    return true;
}

static int launches_of(const struct verify_case *item, struct error *error)
{
    struct recipe recipe;
    int launches = 0;
    if (set_up(item, &recipe, error))
        launches = recipe_launches(&recipe);
    recipe_free(&recipe);
    return launches;
}

/* Counts every case `times` times: the list becomes that much longer. */
static bool count_all(struct verify_list *list, const struct random_sets *sets, char *const *names,
                      int count, int times, struct error *error)
{
    char log[PATH_MAX];
    struct verify_list all = {NULL, 0, 0};
    size_t kernels = 0, got = 0, at = 0;
    snprintf(log, sizeof log, "%s/bankscope-ncu-XXXXXX", temporary_folder());
    int file = passing_file(log);
    if (file < 0)
        return error_set(error, "cannot make a file in %s: %s; set TMPDIR", temporary_folder(),
                         strerror(errno));
    close(file);
    bool good = true;
    for (size_t i = 0; good && i < list->count; i++) {
        int launches = launches_of(&list->item[i], error);
        good = launches > 0;
        kernels += (size_t)launches * (size_t)times;
    }
    struct counts *counted = calloc(kernels + 1, sizeof *counted);
    good = good && (counted || error_set(error, "out of memory for %zu kernels", kernels)) &&
           profile(sets, names, count, times, log, error) &&
           read_profile(log, counted, kernels, &got, error);
    if (good && got != kernels)
        good = error_set(error,
                         "the profiler counted %zu kernels of %zu: run bankscope verify --bare to "
                         "see whether they run at all",
                         got, kernels);
    for (size_t i = 0; good && i < list->count; i++) {
        int launches = launches_of(&list->item[i], error);
        for (int k = 0; good && k < times; k++) {
            struct verify_case item = list->item[i];
            memset(&item.counted, 0, sizeof item.counted);
            for (int l = 0; l < launches; l++, at++)
                for (int c = 0; c < COUNTS; c++)
                    item.counted.of[c] += counted[at].of[c];
            good = list_add(&all, &item, error);
        }
    }
    free(counted);
    unlink(log);
    passing_gone(log);
    free(list->item);
    *list = all;
    return good;
}

/* ---- files of counts ------------------------------------------------------------------------- */

static bool write_counts(const char *path, const struct verify_list *list, int argc, char **argv,
                         struct error *error)
{
    struct output output;
    if (!output_open(&output, path, error))
        return false;
    FILE *file = output.file;
    fprintf(file, "# Counters of bare kernels; bankscope verify --against FILE compares them with "
                  "the model.\n");
    command_write_origin(file, argc, argv);
    fprintf(file, "# profiler: ncu --clock-control none --metrics");
    for (int k = 0; k < COUNTS; k++)
        fprintf(file, "%c%s", k ? ',' : ' ', COUNTERS[k]);
    fprintf(file, "\nkernel\tparameters\tinput\tld_instructions\tld_passes\tld_conflicts\t"
                  "ld_all_passes\tst_instructions\tst_passes\tst_conflicts\tst_all_passes\n");
    for (size_t i = 0; i < list->count; i++) {
        const struct verify_case *item = &list->item[i];
        fprintf(file, "%s\t%s\t%s", item->kernel, item->params, item->input);
        for (int k = 0; k < COUNTS; k++)
            fprintf(file, "\t%" PRIu64, item->counted.of[k]);
        fputc('\n', file);
    }
    return output_close(&output, true, error);
}

static bool copy_field(char *to, size_t room, const char *from)
{
    return from && *from && (size_t)snprintf(to, room, "%s", from) < room;
}

static bool read_counts(const char *path, struct verify_list *list, char *const *names, int count,
                        struct error *error)
{
    FILE *file = file_open(path, error);
    char *line = NULL;
    size_t size = 0;
    int number = 0;
    if (!file)
        return false;
    while (!error->text[0] && getline(&line, &size, file) >= 0) {
        text_clean_lines(line);
        struct verify_case item = {.kernel = ""};
        char *rest = line;
        number++;
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || !strncmp(line, "kernel\t", 7))
            continue;
        bool good = copy_field(item.kernel, sizeof item.kernel, strsep(&rest, "\t")) &&
                    copy_field(item.params, sizeof item.params, strsep(&rest, "\t")) &&
                    copy_field(item.input, sizeof item.input, strsep(&rest, "\t"));
        for (int k = 0; good && k < COUNTS; k++) {
            const char *field = strsep(&rest, "\t");
            good = field && plain_number(field, &item.counted.of[k]);
        }
        if (!good || rest)
            error_set(error,
                      "%s line %d: not a kernel, parameters, an input and %d counts; 'bankscope "
                      "verify -o FILE' writes such a file",
                      path, number, COUNTS);
        else if (asked_for(item.kernel, names, count))
            list_add(list, &item, error);
    }
    free(line);
    fclose(file);
    if (!error->text[0] && !list->count)
        error_set(error, "%s has no counts%s", path, count ? " of these kernels" : "");
    return !error->text[0];
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool same_case(const struct verify_case *a, const struct verify_case *b)
{
    return !strcmp(a->kernel, b->kernel) && !strcmp(a->params, b->params) &&
           !strcmp(a->input, b->input);
}

/* What the hardware adds to a count and the model cannot know. Both are corrected for within these
 * limits, which are a little more than what was measured (doc/gpu.md), and are a difference beyond. */
enum {
    LOST_SHARE = 3,   /* of the passes, 1 in so many may be lost to arbitration */
    MOST_LOST = 4500, /* passes of a case */
    OVER_SHARE =
        10,        /* of the passes, 1 in so many may be counted that did not go through the path */
    FEW_IDLE = 32, /* instructions without a lane: one for each warp of a block, or */
    IDLE_SHARE = 8,   /* so many for each instruction that is predicted, */
    MOST_IDLE = 5000, /* but no more than this, or as many as are predicted */
};

static uint64_t at_most(uint64_t number, uint64_t limit)
{
    return number < limit ? number : limit;
}

/* Passes that the hardware lost to other traffic; they are part of the conflicts it counts. */
static uint64_t lost_passes(const uint64_t *counted)
{
    uint64_t surplus = counted[3] > counted[1] ? counted[3] - counted[1] : 0;
    return surplus <= at_most(counted[1] / LOST_SHARE, MOST_LOST) ? surplus : 0;
}

/* Passes by instruction, of which there are no more than all that went through the data path. */
static uint64_t own_passes(const uint64_t *counted)
{
    uint64_t surplus = counted[1] > counted[3] ? counted[1] - counted[3] : 0;
    return surplus <= counted[3] / OVER_SHARE ? counted[1] - surplus : counted[1];
}

/* Instructions without any active lane: a compiler may turn a branch that no lane takes into an
 * instruction that no lane executes. It is counted, but costs no pass. */
static uint64_t idle_instructions(const uint64_t *predicted, const uint64_t *counted)
{
    uint64_t surplus = counted[0] > predicted[0] ? counted[0] - predicted[0] : 0;
    bool usual = surplus <= FEW_IDLE || surplus <= predicted[0] ||
                 surplus <= at_most(predicted[0] * IDLE_SHARE, MOST_IDLE);
    return usual ? surplus : 0;
}

/* Of several runs. */
struct verify_span {
    uint64_t least, most;
};

/* What is shown of loads, or of stores, over all runs of a case. */
struct verify_range {
    struct verify_span corrected[SHOWN], raw[SHOWN];
    bool
        equal; /* all that is corrected is as predicted, and instructions are the same in all runs */
};

static void widen(struct verify_span *span, uint64_t value, bool first)
{
    span->least = first || value < span->least ? value : span->least;
    span->most = first || value > span->most ? value : span->most;
}

static struct verify_range range_of(const struct verify_case *runs, size_t count, int op)
{
    const uint64_t *predicted = runs->predicted.of + COUNTS_OF_OP * op;
    struct verify_range range = {.equal = true};
    for (size_t i = 0; i < count; i++) {
        const uint64_t *counted = runs[i].counted.of + COUNTS_OF_OP * op;
        const uint64_t lost = lost_passes(counted);
        const uint64_t raw[SHOWN] = {counted[0], counted[3], counted[2]};
        const uint64_t corrected[SHOWN] = {counted[0] - idle_instructions(predicted, counted),
                                           counted[3] - lost,
                                           counted[2] > lost ? counted[2] - lost : 0};
        for (int k = 0; k < SHOWN; k++) {
            widen(&range.raw[k], raw[k], !i);
            widen(&range.corrected[k], corrected[k], !i);
            range.equal = range.equal && corrected[k] == predicted[k];
        }
        range.equal = range.equal && own_passes(counted) == predicted[1];
    }
    range.equal = range.equal && range.raw[0].least == range.raw[0].most;
    return range;
}

/* "7", "7-9". */
static void print_span(struct verify_span span, char *text, size_t room)
{
    if (span.least == span.most)
        snprintf(text, room, "%" PRIu64, span.least);
    else
        snprintf(text, room, "%" PRIu64 "-%" PRIu64, span.least, span.most);
}

/* What is predicted and, where it is another, what was counted, corrected; then what was counted. */
static void print_count(uint64_t predicted, struct verify_span corrected, struct verify_span raw)
{
    char text[64], counted[48];
    print_span(corrected, counted, sizeof counted);
    if (corrected.least != predicted || corrected.most != predicted)
        snprintf(text, sizeof text, "%" PRIu64 "/%s", predicted, counted);
    else
        snprintf(text, sizeof text, "%" PRIu64, predicted);
    print_span(raw, counted, sizeof counted);
    printf(" %13s %13s", text, counted);
}

/* One line for loads, one for stores, over `count` runs of one case. */
static bool print_case(const struct verify_case *runs, size_t count)
{
    static const char *const name[] = {"load", "store"};
    bool all = true;
    for (int op = 0; op < 2; op++) {
        const uint64_t *predicted = runs->predicted.of + COUNTS_OF_OP * op;
        struct verify_range range = range_of(runs, count, op);
        all = all && range.equal;
        if (!predicted[0] && !range.raw[0].most)
            continue;
        printf("%-14s %-42s %-10s %-5s", runs->kernel, runs->params, runs->input, name[op]);
        for (int k = 0; k < SHOWN; k++)
            print_count(predicted[k], range.corrected[k], range.raw[k]);
        printf("  %s\n", range.equal ? "equal" : "DIFFERS");
    }
    return all;
}

/* Predicts and prints all; *differ counts the cases that are not as predicted. */
static bool print_table(struct verify_list *list, size_t *differ, struct error *error)
{
    size_t cases = 0;
    printf("%-14s %-42s %-10s %-5s %13s %13s %13s %13s %13s %13s\n", "kernel", "parameters",
           "input", "op", "instructions", "counted", "passes", "counted", "conflicts", "counted");
    for (size_t i = 0, next; i < list->count; i = next, cases++) {
        struct verify_case *item = &list->item[i];
        if (!predict(item, error))
            return false;
        for (next = i + 1; next < list->count && same_case(item, &list->item[next]); next++)
            continue;
        *differ += !print_case(item, next - i);
    }
    printf("%zu cases in %zu runs: %zu equal", cases, list->count, cases - *differ);
    if (*differ)
        printf(", %zu DIFFER (predicted/counted)", *differ);
    printf("\n");
    return true;
}

int command_verify(int argc, char **argv)
{
    const char *path = NULL, *against = NULL;
    struct verify_list list = {NULL, 0, 0};
    struct error error = {{0}};
    int64_t times = 1;
    struct random_sets sets = {0, 1};
    bool bare = false;
    size_t differ = 0;
    int option;

    while ((option = command_option(argc, argv, ":o:", verify_longs)) != -1) {
        if (option == '?')
            return 2;
        if (option == 't' && !command_number(argv[0], "--times", optarg, 1, 1000, &times))
            return 2;
        if (option == 'o')
            path = optarg;
        if (option == 'a')
            against = optarg;
        if (option == 'r' && !command_number(argv[0], "--random", optarg, 0, 10000, &sets.cases))
            return 2;
        if (option == 's' && !recipe_seed(optarg, &sets.seed, &error))
            return command_usage(argv[0], "%s", error.text);
        bare |= option == 'b';
    }
    if (against && (path || bare || sets.cases))
        return command_usage(argv[0],
                             "--against reads counts; it goes with no -o, --bare or --random");
    char **names = argv + optind;
    int count = argc - optind;
    bool good = true;
    for (int i = 0; good && i < count; i++)
        good = catalogue_find(names[i], &error);
    good = good && (against      ? read_counts(against, &list, names, count, &error)
                    : sets.cases ? draw_cases(&list, &sets, names, count, &error)
                                 : make_cases(&list, names, count, &error));
    if (good && bare)
        good = run_bare(&list, (int)times, &error);
    else if (good && !against)
        good = count_all(&list, &sets, names, count, (int)times, &error) &&
               (!path || write_counts(path, &list, argc, argv, &error));
    if (good && !bare)
        good = print_table(&list, &differ, &error);
    free(list.item);
    return good ? differ != 0 : command_fail(argv[0], &error);
}
