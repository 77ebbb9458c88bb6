/* report_print.c - reports and what changed between two, as text, CSV, JSON and Markdown. */
#include "base/tabular.h"
#include "program/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "t.cu:23", "?" */
static const char *where(const struct report_line *line, char *text, size_t room)
{
    if (line->line)
        snprintf(text, room, "%s:%d", line->file, line->line);
    else
        snprintf(text, room, "%s", *line->file ? line->file : "?");
    return text_clean(text);
}

/* ---- a report ------------------------------------------------------------------------------------ */

/* Parts of 1 for programs are percentages for people. */
static const struct tabular_column columns[] = {
    {TABULAR_TEXT, TABULAR_CSV, .name = "kernel"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "launches"},
    {TABULAR_TEXT, TABULAR_PRINT, .name = "line", .width = 5},
    {TABULAR_TEXT, TABULAR_CSV, .name = "file"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "line"},
    {TABULAR_TEXT, TABULAR_PRINT | TABULAR_CSV, .name = "op", .gap = 2, .width = 5},
    {TABULAR_COUNT, TABULAR_PRINT | TABULAR_CSV, .name = "instructions", .gap = 1, .width = 12},
    {TABULAR_COUNT, TABULAR_PRINT | TABULAR_CSV, .name = "passes", .gap = 1, .width = 12},
    {TABULAR_COUNT, TABULAR_PRINT | TABULAR_CSV, .name = "conflicts", .gap = 1, .width = 12},
    {TABULAR_COUNT, TABULAR_PRINT | TABULAR_CSV, .name = "max_ways", .gap = 1, .width = 8},
    {TABULAR_REAL, TABULAR_CSV, .name = "most_gain", .digits = 4},
    {TABULAR_REAL, TABULAR_CSV, .name = "of_code", .digits = 4},
    {TABULAR_REAL, TABULAR_CSV, .name = "of_memory", .digits = 4},
    {TABULAR_REAL, TABULAR_PRINT, .name = "of code", .gap = 1, .width = 8, .digits = 1,
     .unit = "%"},
    {TABULAR_REAL, TABULAR_PRINT, .name = "of memory", .gap = 1, .width = 9, .digits = 1,
     .unit = "%"},
    {TABULAR_REAL, TABULAR_PRINT, .name = "gain <=", .gap = 1, .width = 8, .digits = 1,
     .unit = "%"},
    {TABULAR_TEXT, TABULAR_PRINT, .name = "source", .gap = 2, .most = 100},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* A part that is not known is blank. */
static void put_part(struct tabular *tabular, double part, double times)
{
    if (part < 0)
        tabular_blank(tabular, 1);
    else
        tabular_real(tabular, times * part);
}

/* line NULL: all of the kernel's. */
static void put_line(struct tabular *tabular, const struct report_kernel *kernel,
                     const struct report_line *line)
{
    const struct tally *tally = line ? &line->tally : &kernel->tally;
    const struct report_share share = report_share(kernel, tally);
    char text[600];
    tabular_row(tabular);
    tabular_text(tabular, kernel->name);
    tabular_count(tabular, kernel->launches);
    tabular_text(tabular, line ? where(line, text, sizeof text) : "total");
    tabular_text(tabular, line ? line->file : NULL);
    tabular_count(tabular, line ? (uint64_t)line->line : 0);
    tabular_text(tabular, line ? op_name(line->op) : NULL);
    tabular_count(tabular, tally->instructions);
    tabular_count(tabular, tally->passes);
    tabular_count(tabular, tally->conflicts);
    tabular_count(tabular, (uint64_t)tally->max_ways);
    put_part(tabular, share.gain, 1);
    put_part(tabular, share.instructions, 1);
    put_part(tabular, share.memory, 1);
    put_part(tabular, share.instructions, 100);
    put_part(tabular, share.memory, 100);
    put_part(tabular, share.gain, 100);
    tabular_text(tabular, line ? line->source : NULL);
}

static void print_kernel(FILE *file, const struct report_kernel *kernel)
{
    struct tabular tabular;
    fprintf(file, "%s: %" PRIu64 " launch%s, %" PRIu64 " block%s", kernel->name, kernel->launches,
            kernel->launches == 1 ? "" : "es", kernel->recorded_blocks,
            kernel->recorded_blocks == 1 ? "" : "s");
    if (kernel->instructions)
        fprintf(file, ", %" PRIu64 " instructions of warps", kernel->instructions);
    fprintf(file, "%s\n", kernel->stopped ? ", stopped early" : "");
    tabular_init(&tabular, columns, COLUMNS);
    for (size_t i = 0; i < kernel->lines; i++)
        put_line(&tabular, kernel, &kernel->line[i]);
    put_line(&tabular, kernel, NULL);
    tabular_print(file, &tabular);
    tabular_free(&tabular);
}

void report_print(FILE *file, const struct report *report)
{
    bool first = true;
    for (size_t i = 0; i < report->kernels; i++) {
        if (!report->kernel[i].lines)
            continue;
        if (!first)
            fputc('\n', file);
        first = false;
        print_kernel(file, &report->kernel[i]);
    }
    if (first)
        fputs("no access to shared memory\n", file);
}

void report_print_csv(FILE *file, const struct report *report)
{
    struct tabular tabular;
    tabular_init(&tabular, columns, COLUMNS);
    for (size_t i = 0; i < report->kernels; i++)
        for (size_t k = 0; k < report->kernel[i].lines; k++)
            put_line(&tabular, &report->kernel[i], &report->kernel[i].line[k]);
    tabular_print_csv(file, &tabular);
    tabular_free(&tabular);
}

/* ---- what changed ---------------------------------------------------------------------------------- */

static const struct tally nothing = {0};
/* The tally of the row in one of the reports. */
static const struct tally *side(const struct report_change *change, int which)
{
    const bool by_line = change->line[0] || change->line[1];
    return by_line ? (change->line[which] ? &change->line[which]->tally : &nothing)
                   : (change->kernel[which] ? &change->kernel[which]->tally : &nothing);
}

static const struct report_line *line_of(const struct report_change *change)
{
    return change->line[1] ? change->line[1] : change->line[0];
}

static const struct report_kernel *kernel_of(const struct report_change *change)
{
    return change->kernel[1] ? change->kernel[1] : change->kernel[0];
}

static int64_t more(uint64_t before, uint64_t after)
{
    return (int64_t)(after - before);
}

/* What became of the row: of a kernel that is in one report only, or of a line. */
static const char *fate(const struct report_change *change)
{
    const bool by_line = line_of(change) != NULL;
    return !change->kernel[0]            ? "new"
           : !change->kernel[1]          ? "gone"
           : by_line && !change->line[0] ? "new"
           : by_line && !change->line[1] ? "gone"
                                         : "";
}

static const struct tabular_column change_columns[] = {
    {TABULAR_TEXT, TABULAR_PRINT, .name = "kernel", .width = 6},
    {TABULAR_TEXT, TABULAR_CSV | TABULAR_JSON, .name = "kernel"},
    {TABULAR_TEXT, TABULAR_CSV | TABULAR_JSON, .name = "file"},
    {TABULAR_COUNT, TABULAR_CSV | TABULAR_JSON, .name = "line"},
    {TABULAR_TEXT, TABULAR_ALL, .name = "op", .gap = 2, .width = 5},
    {TABULAR_PAIR, TABULAR_ALL, .name = "passes", .gap = 1, .width = 12},
    {TABULAR_PAIR, TABULAR_ALL, .name = "conflicts", .gap = 2, .width = 12},
    {TABULAR_TEXT, TABULAR_PRINT, .name = "", .gap = 2},
};

static void put_change_row(struct tabular *tabular, const struct report_change *change)
{
    const struct report_line *line = line_of(change);
    const struct tally *a = side(change, 0), *b = side(change, 1);
    char text[600], name[604];
    snprintf(name, sizeof name, "%s%s", line ? "  " : "",
             line ? where(line, text, sizeof text) : kernel_of(change)->name);
    tabular_row(tabular);
    tabular_text(tabular, name);
    tabular_text(tabular, kernel_of(change)->name);
    if (line) {
        tabular_text(tabular, line->file);
        tabular_count(tabular, (uint64_t)line->line);
        tabular_text(tabular, op_name(line->op));
    } else {
        tabular_blank(tabular, 3);
    }
    tabular_pair(tabular, a->passes, b->passes);
    tabular_pair(tabular, a->conflicts, b->conflicts);
    tabular_text(tabular, fate(change));
}

static void put_changes(struct tabular *tabular, const struct report_changes *changes,
                        bool lines_only)
{
    tabular_init(tabular, change_columns, sizeof change_columns / sizeof *change_columns);
    for (size_t i = 0; i < changes->count; i++)
        if (!lines_only || line_of(&changes->change[i]))
            put_change_row(tabular, &changes->change[i]);
}

void report_print_changes(FILE *file, const struct report_changes *changes)
{
    struct tabular tabular;
    put_changes(&tabular, changes, false);
    tabular_print(file, &tabular);
    tabular_free(&tabular);
}

void report_print_changes_csv(FILE *file, const struct report_changes *changes)
{
    struct tabular tabular;
    put_changes(&tabular, changes, true);
    tabular_print_csv(file, &tabular);
    tabular_free(&tabular);
}

bool report_print_changes_json(FILE *file, const struct report_changes *changes,
                               struct error *error)
{
    cJSON *json = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(json, "difference");
    struct tabular tabular;
    put_changes(&tabular, changes, false);
    for (size_t i = 0; i < changes->count; i++) {
        cJSON *item = tabular_json_row(&tabular, i);
        cJSON_AddBoolToObject(item, "grew", changes->change[i].grew);
        cJSON_AddItemToArray(list, item);
    }
    tabular_free(&tabular);
    char *text = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
    if (!text)
        return error_set(error, "out of memory for the comparison");
    const bool good = fprintf(file, "%s\n", text) > 0;
    cJSON_free(text);
    return good || error_set(error, "cannot write the comparison");
}

void report_print_grown(FILE *file, const struct report_changes *changes, const char *prefix)
{
    char text[600];
    for (size_t i = 0; i < changes->count; i++) {
        const struct report_change *change = &changes->change[i];
        const struct report_line *line = line_of(change);
        const struct tally *a = side(change, 0), *b = side(change, 1);
        if (!change->grew)
            continue;
        fputs(prefix, file);
        if (line)
            fprintf(file, "%s: %s in ", where(line, text, sizeof text), op_name(line->op));
        fprintf(file,
                "%s%s: conflicts %" PRIu64 " -> %" PRIu64 " (%+" PRId64 "), passes %" PRIu64
                " -> %" PRIu64 " (%+" PRId64 ")",
                kernel_of(change)->name, change->kernel[0] ? "" : ", which is new", a->conflicts,
                b->conflicts, more(a->conflicts, b->conflicts), a->passes, b->passes,
                more(a->passes, b->passes));
        if (!line && change->kernel[0] &&
            change->kernel[0]->launches != change->kernel[1]->launches)
            fprintf(file, ", launches %" PRIu64 " -> %" PRIu64, change->kernel[0]->launches,
                    change->kernel[1]->launches);
        fputc('\n', file);
    }
}

/* ---- Markdown ---------------------------------------------------------------------------------------- */

/* As code, with nothing that ends a cell. A text with back quotes stands between two of them. */
static void put_code(FILE *file, const char *text)
{
    const char *quotes = strchr(text, '`') ? "``" : "`";
    if (!*text)
        return;
    fprintf(file, "%s%s", quotes, quotes[1] ? " " : "");
    for (; *text; text++)
        fprintf(file, "%s%c", *text == '|' ? "\\" : "", *text);
    fprintf(file, "%s%s", quotes[1] ? " " : "", quotes);
}

static void markdown_row(FILE *file, const struct report_kernel *kernel,
                         const struct report_line *line, const struct tally *tally)
{
    char text[600];
    fputs("| ", file);
    put_code(file, kernel->name);
    fputs(" | ", file);
    put_code(file, where(line, text, sizeof text));
    fprintf(file, " | %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %d | ", op_name(line->op),
            tally->instructions, tally->passes, tally->conflicts, tally->max_ways);
    const double gain = report_share(kernel, tally).gain;
    if (gain >= 0)
        fprintf(file, "%.1f%%", 100 * gain);
    fputs(" | ", file);
    put_code(file, line->source);
    fputs(" |\n", file);
}

static void put_change(FILE *file, uint64_t before, uint64_t after)
{
    if (before == after)
        fprintf(file, " %" PRIu64 " | |", after);
    else
        fprintf(file, " %" PRIu64 " | %+" PRId64 " |", after, more(before, after));
}

static void markdown_changes(FILE *file, const struct report_changes *changes)
{
    char text[600];
    fputs("| kernel | line | op | passes | | conflicts | | |\n"
          "|---|---|---|---:|---:|---:|---:|---|\n",
          file);
    for (size_t i = 0; i < changes->count; i++) {
        const struct report_change *change = &changes->change[i];
        const struct report_line *line = line_of(change);
        const struct tally *a = side(change, 0), *b = side(change, 1);
        if (!line)
            continue;
        fputs("| ", file);
        put_code(file, kernel_of(change)->name);
        fputs(" | ", file);
        put_code(file, where(line, text, sizeof text));
        fprintf(file, " | %s |", op_name(line->op));
        put_change(file, a->passes, b->passes);
        put_change(file, a->conflicts, b->conflicts);
        fprintf(file, " %s |\n",
                change->grew       ? "**grew**"
                : !change->line[0] ? "new"
                : !change->line[1] ? "gone"
                                   : "");
    }
}

void report_print_markdown(FILE *file, const struct report *report,
                           const struct report_changes *changes)
{
    struct tally before = {0}, now = {0};
    for (size_t i = 0; i < report->kernels; i++) {
        now.passes += report->kernel[i].tally.passes;
        now.conflicts += report->kernel[i].tally.conflicts;
    }
    for (size_t i = 0; changes && i < changes->count; i++)
        if (!line_of(&changes->change[i]))
            before.conflicts += side(&changes->change[i], 0)->conflicts;
    fprintf(file, "**Bank conflicts: %" PRIu64 "**", now.conflicts);
    if (changes)
        fprintf(file, " (%+" PRId64 ")", more(before.conflicts, now.conflicts));
    fprintf(file, " in %" PRIu64 " passes of shared memory, by ", now.passes);
    if (*report->compiler)
        fprintf(file, "%s for sm_%d", report->compiler, report->capability);
    else
        fputs("a GPU", file);
    fputs("\n\n", file);
    if (changes) {
        markdown_changes(file, changes);
        return;
    }
    fputs("| kernel | line | op | instructions | passes | conflicts | max ways | gain at most | "
          "source |\n|---|---|---|---:|---:|---:|---:|---:|---|\n",
          file);
    for (size_t i = 0; i < report->kernels; i++)
        for (size_t k = 0; k < report->kernel[i].lines; k++)
            markdown_row(file, &report->kernel[i], &report->kernel[i].line[k],
                         &report->kernel[i].line[k].tally);
}
