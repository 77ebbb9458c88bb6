/* report.c - reports of `run --json`, read again. */
#include "program/report/report.h"
#include "program/report/table_lines.h"
#include "system/file.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_REPORT = 1 << 30 /* bytes */ };

static const char *text_at(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return text ? text : "";
}

/* A whole number that is not negative; 0 where there is none. */
static uint64_t number_at(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(item) && item->valuedouble > 0 && item->valuedouble < 9e15
               ? (uint64_t)item->valuedouble
               : 0;
}

static int small_at(const cJSON *object, const char *name)
{
    const uint64_t number = number_at(object, name);
    return number < INT32_MAX ? (int)number : 0;
}

static struct tally tally_at(const cJSON *object)
{
    return (struct tally){.instructions = number_at(object, "instructions"),
                          .passes = number_at(object, "passes"),
                          .conflicts = number_at(object, "conflicts"),
                          .max_ways = small_at(object, "max_ways")};
}

/* One more element of an array of `count`, zeroed; arrays here are as long as a report's lists. */
static void *one_more(void *array, size_t *count, size_t size)
{
    void **at = array;
    char *longer = realloc(*at, (*count + 1) * size);
    if (!longer)
        memory_exhausted();
    *at = longer;
    memset(longer + *count * size, 0, size);
    return longer + (*count)++ * size;
}

static void take_array(struct report_line *line, const cJSON *json)
{
    const char *name = text_at(json, "name");
    struct report_array *array = NULL;
    const struct tally tally = tally_at(json);
    for (size_t i = 0; i < line->arrays && !array; i++)
        if (!strcmp(line->array[i].name, name))
            array = &line->array[i];
    if (!array) {
        array = one_more(&line->array, &line->arrays, sizeof *array);
        array->name = name;
    }
    if (!array->column || tally.conflicts > array->tally.conflicts)
        array->column = small_at(json, "column");
    tally_add(&array->tally, &tally);
}

static void take_line(struct report_kernel *kernel, const cJSON *json)
{
    const char *file = text_at(json, "file");
    const int number = small_at(json, "line");
    const enum op op = op_named(text_at(json, "op"));
    struct report_line *line = NULL;
    const cJSON *array;
    for (size_t i = 0; i < kernel->lines && !line; i++)
        if (kernel->line[i].line == number && kernel->line[i].op == op &&
            !strcmp(kernel->line[i].file, file))
            line = &kernel->line[i];
    if (!line) {
        line = one_more(&kernel->line, &kernel->lines, sizeof *line);
        line->file = file;
        line->line = number;
        line->op = op;
        line->source = text_at(json, "source");
    }
    const struct tally tally = tally_at(json);
    tally_add(&line->tally, &tally);
    tally_add(&kernel->tally, &tally);
    cJSON_ArrayForEach(array, cJSON_GetObjectItemCaseSensitive(json, "arrays"))
        take_array(line, array);
}

static void take_launch(struct report *report, const cJSON *json)
{
    const char *name = text_at(json, "kernel");
    struct report_kernel *kernel = NULL;
    const cJSON *line;
    for (size_t i = 0; i < report->kernels && !kernel; i++)
        if (!strcmp(report->kernel[i].name, name))
            kernel = &report->kernel[i];
    const bool first = !kernel;
    if (first) {
        kernel = one_more(&report->kernel, &report->kernels, sizeof *kernel);
        kernel->name = name;
    }
    const uint64_t launches = number_at(json, "launches"),
                   instructions = number_at(json, "instructions");
    kernel->instructions =
        instructions && (first || kernel->instructions) ? kernel->instructions + instructions : 0;
    const cJSON *op, *global = cJSON_GetObjectItemCaseSensitive(json, "global");
    cJSON_ArrayForEach(op, global) /* its lists have none of the two */
    {
        kernel->requests += number_at(op, "requests");
        kernel->sectors += number_at(op, "sectors");
    }
    kernel->launches += launches ? launches : 1;
    kernel->recorded_blocks += number_at(json, "recorded_blocks");
    kernel->stopped |= cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "stopped"));
    report->warp = report->warp ? report->warp : small_at(json, "warp");
    cJSON_ArrayForEach(line, cJSON_GetObjectItemCaseSensitive(json, "lines"))
        take_line(kernel, line);
}

static void take_fault(struct report *report, const cJSON *json)
{
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(json, "error");
    struct report_fault *fault = one_more(&report->fault, &report->faults, sizeof *fault);
    *fault = (struct report_fault){.kind = text_at(json, "kind"),
                                   .file = text_at(json, "file"),
                                   .text = text_at(json, "text"),
                                   .line = small_at(json, "line"),
                                   .column = small_at(json, "column"),
                                   .error = !cJSON_IsFalse(error)};
}

static void take_flags(struct report *report)
{
    const cJSON *flag;
    size_t length;
    FILE *all = open_memstream(&report->flags_text, &length);
    if (!all)
        memory_exhausted();
    cJSON_ArrayForEach(flag, cJSON_GetObjectItemCaseSensitive(report->json, "flags")) fprintf(
        all, "%s%s", ftell(all) > 0 ? " " : "", cJSON_IsString(flag) ? flag->valuestring : "");
    if (fclose(all))
        memory_exhausted();
    report->flags = report->flags_text;
}

static int by_line(const void *a, const void *b)
{
    const struct report_line *x = a, *y = b;
    const int order = strcmp(x->file, y->file);
    return order                ? order
           : x->line != y->line ? (x->line > y->line) - (x->line < y->line)
                                : (int)x->op - (int)y->op;
}

static bool report_parse(struct report *report, const char *text, const char *name,
                         struct error *error)
{
    const cJSON *launch, *fault, *launches;
    *report = (struct report){.json = cJSON_Parse(text)};
    launches = cJSON_GetObjectItemCaseSensitive(report->json, "launches");
    if (!cJSON_IsArray(launches))
        return error_set(error, "%s is not a report of 'bankscope run --json'", name);
    if (cJSON_GetArraySize(launches) && !cJSON_GetObjectItemCaseSensitive(launches->child, "lines"))
        return error_set(error,
                         "%s is a report by stage; one by line ('run --json' without --by stage) "
                         "can be compared",
                         name);
    report->bankscope = text_at(report->json, "bankscope");
    report->compiler = text_at(report->json, "compiler");
    report->device = text_at(report->json, "device");
    report->capability = small_at(report->json, "capability");
    take_flags(report);
    cJSON_ArrayForEach(launch, launches) take_launch(report, launch);
    cJSON_ArrayForEach(fault, cJSON_GetObjectItemCaseSensitive(report->json, "faults"))
        take_fault(report, fault);
    for (size_t i = 0; i < report->kernels; i++)
        if (report->kernel[i].lines)
            qsort(report->kernel[i].line, report->kernel[i].lines, sizeof *report->kernel[i].line,
                  by_line);
    return true;
}

bool report_read(struct report *report, const char *path, struct error *error)
{
    size_t length;
    *report = (struct report){.json = NULL};
    char *text = file_read(path, MOST_REPORT, &length, error);
    if (!text)
        return error_set(error, "%s is too large for a report", path);
    const bool good = report_parse(report, text_clean_lines(text), path, error);
    free(text);
    return good;
}

bool report_of(struct report *report, const struct program_table *table, struct error *error)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    *report = (struct report){.json = NULL};
    if (!file)
        memory_exhausted();
    bool good = table_print_json(file, table, TABLE_BY_LINE, error);
    if (fclose(file))
        memory_exhausted();
    good = good && report_parse(report, text, "the run", error);
    free(text);
    return good;
}

void report_free(struct report *report)
{
    for (size_t i = 0; i < report->kernels; i++) {
        for (size_t k = 0; k < report->kernel[i].lines; k++)
            free(report->kernel[i].line[k].array);
        free(report->kernel[i].line);
    }
    free(report->kernel);
    free(report->fault);
    free(report->flags_text);
    cJSON_Delete(report->json);
    *report = (struct report){.json = NULL};
}

bool report_is_file(const char *path)
{
    char begin[sizeof REPORT_MARK] = "";
    struct error ignored = {{0}};
    FILE *file = file_is_regular(path) ? file_open(path, &ignored) : NULL; /* a pipe is read once */
    if (!file)
        return false;
    const size_t length = fread(begin, 1, sizeof begin - 1, file);
    fclose(file);
    return length == sizeof begin - 1 && !memcmp(begin, REPORT_MARK, length);
}

struct report_share report_share(const struct report_kernel *kernel, const struct tally *tally)
{
    const struct kernel_work work = {kernel->instructions, kernel->tally.passes, kernel->requests,
                                     kernel->sectors};
    struct report_share share = {-1, -1, work_most_gain(&work, tally->conflicts)};
    if (kernel->instructions)
        share.instructions = (double)tally->instructions / (double)kernel->instructions;
    if (kernel->requests)
        share.memory = (double)tally->passes / (double)work_memory_passes(&work);
    return share;
}
