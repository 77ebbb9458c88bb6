/* verify_counters.c - what the hardware counts: a profiler runs this program again, or a file has the counts. */
#define _GNU_SOURCE /* getline */
#include "measure/verify.h"
#include "measure/origin.h"
#include "system/file.h"
#include "system/output.h"
#include "system/paths.h"
#include "system/process.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the order of struct verify_counts. */
static const char *const COUNTERS[VERIFY_COUNTS] = {
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
};

bool verify_run_bare(const struct verify_list *list, int times, struct error *error)
{
    const struct trace_sink nowhere = {NULL, NULL, NULL, NULL};
    const struct run_options bare = {.backend = BACKEND_BARE};
    bool good = true;
    for (size_t i = 0; good && i < list->count; i++)
        for (int k = 0; good && k < times; k++) {
            struct recipe recipe;
            struct run_result result;
            good = verify_recipe(&list->item[i], &recipe, error) &&
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
static bool read_profile(const char *path, struct verify_counts *kernels, size_t room,
                         size_t *count, struct error *error)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    int column[VERIFY_COUNTS];
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
        struct verify_counts counts = {{0}};
        int found = 0;
        for (int i = 0; (field = next_field(&rest)); i++)
            for (int k = 0; k < VERIFY_COUNTS; k++) {
                if (!header && !strcmp(field, COUNTERS[k]))
                    column[k] = i, found++;
                else if (header && column[k] == i && plain_number(field, &number))
                    counts.of[k] = number, found++;
            }
        if (!header && found == VERIFY_COUNTS)
            header = true;
        else if (header && found == VERIFY_COUNTS && (*count)++ < room)
            kernels[*count - 1] = counts;
    }
    free(line);
    fclose(file);
    return !error->text[0];
}

/* Starts this program again under the profiler, which writes its table to `log`. */
static bool profile(const struct verify_choice *choice, int times, const char *log,
                    struct error *error)
{
    const char *ncu = getenv("NCU") && *getenv("NCU") ? getenv("NCU") : "ncu";
    char self[PATH_MAX] = "", metrics[1024] = "", number[16], cases[24], seed[24];
    const char *words[64] = {
        ncu,    "--clock-control", "none",  "--csv",      "--page", "raw", "--print-units",
        "base", "--metrics",       metrics, "--log-file", log};
    int length = 12;
    for (int k = 0; k < VERIFY_COUNTS; k++)
        text_add(metrics, sizeof metrics, "%s%s", k ? "," : "", COUNTERS[k]);
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return error_set(error, "cannot tell where this program lies: %s", strerror(errno));
    snprintf(number, sizeof number, "%d", times);
    snprintf(cases, sizeof cases, "%" PRId64, choice->random);
    snprintf(seed, sizeof seed, "%" PRIu64, choice->seed);
    for (const char *const *word = (const char *[]){self, "verify", "--bare", "--times", number,
                                                    "--random", cases, "--seed", seed, NULL};
         *word; word++)
        words[length++] = *word;
    for (int i = 0; i < choice->count && length < 63; i++)
        words[length++] = choice->kernels[i];
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
    if (verify_recipe(item, &recipe, error))
        launches = recipe_launches(&recipe);
    recipe_free(&recipe);
    return launches;
}

bool verify_count(struct verify_list *list, const struct verify_choice *choice, int times,
                  struct error *error)
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
    struct verify_counts *counted = calloc(kernels + 1, sizeof *counted);
    good = good && (counted || error_set(error, "out of memory for %zu kernels", kernels)) &&
           profile(choice, times, log, error) && read_profile(log, counted, kernels, &got, error);
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
                for (int c = 0; c < VERIFY_COUNTS; c++)
                    item.counted.of[c] += counted[at].of[c];
            good = verify_add(&all, &item, error);
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

bool verify_write(const char *path, const struct verify_list *list, int argc, char **argv,
                  struct error *error)
{
    struct output output;
    if (!output_open(&output, path, error))
        return false;
    FILE *file = output.file;
    fprintf(file, "# Counters of bare kernels; bankscope verify --against FILE compares them with "
                  "the model.\n");
    origin_write(file, argc, argv);
    fprintf(file, "# profiler: ncu --clock-control none --metrics");
    for (int k = 0; k < VERIFY_COUNTS; k++)
        fprintf(file, "%c%s", k ? ',' : ' ', COUNTERS[k]);
    fprintf(file, "\nkernel\tparameters\tinput\tld_instructions\tld_passes\tld_conflicts\t"
                  "ld_all_passes\tst_instructions\tst_passes\tst_conflicts\tst_all_passes\n");
    for (size_t i = 0; i < list->count; i++) {
        const struct verify_case *item = &list->item[i];
        fprintf(file, "%s\t%s\t%s", item->kernel, item->params, item->input);
        for (int k = 0; k < VERIFY_COUNTS; k++)
            fprintf(file, "\t%" PRIu64, item->counted.of[k]);
        fputc('\n', file);
    }
    return output_close(&output, true, error);
}

static bool copy_field(char *to, size_t room, const char *from)
{
    return from && *from && (size_t)snprintf(to, room, "%s", from) < room;
}

bool verify_read(const char *path, struct verify_list *list, const struct verify_choice *choice,
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
        for (int k = 0; good && k < VERIFY_COUNTS; k++) {
            const char *field = strsep(&rest, "\t");
            good = field && plain_number(field, &item.counted.of[k]);
        }
        if (!good || rest)
            error_set(error,
                      "%s line %d: not a kernel, parameters, an input and %d counts; 'bankscope "
                      "verify -o FILE' writes such a file",
                      path, number, VERIFY_COUNTS);
        else if (verify_is_chosen(choice, item.kernel))
            verify_add(list, &item, error);
    }
    free(line);
    fclose(file);
    if (!error->text[0] && !list->count)
        error_set(error, "%s has no counts%s", path, choice->count ? " of these kernels" : "");
    return !error->text[0];
}
