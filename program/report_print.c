/* report_print.c - reports and what changed between two, as text, CSV, JSON and Markdown. */
#include "program/report.h"

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

/* Of at most `width` characters, blank where it is not known. */
static void put_percent(FILE *file, int width, double part)
{
    if (part < 0)
        fprintf(file, "%*s", width, "");
    else
        fprintf(file, "%*.1f%%", width ? width - 1 : 0, 100 * part);
}

static void put_shares(FILE *file, const struct report_kernel *kernel, const struct tally *tally)
{
    const struct report_share share = report_share(kernel, tally);
    put_percent(file, 9, share.instructions);
    put_percent(file, 10, share.memory);
    put_percent(file, 9, share.gain);
}

/* ---- a report ------------------------------------------------------------------------------------ */

/* The widths of places, operations and kernels' names. */
struct widths_of {
    int place, op;
};

static void widen(int *width, size_t length)
{
    *width = *width < (int)length ? (int)length : *width;
}

static void print_kernel(FILE *file, const struct report_kernel *kernel, struct widths_of widths)
{
    enum { SOURCE_BYTES = 100 };
    char text[600];
    fprintf(file, "%s: %" PRIu64 " launch%s, %" PRIu64 " block%s", kernel->name, kernel->launches,
            kernel->launches == 1 ? "" : "es", kernel->recorded_blocks,
            kernel->recorded_blocks == 1 ? "" : "s");
    if (kernel->instructions)
        fprintf(file, ", %" PRIu64 " instructions of warps", kernel->instructions);
    fprintf(file, "%s\n%-*s  %-*s %12s %12s %12s %8s %8s %9s %8s  source\n",
            kernel->stopped ? ", stopped early" : "", widths.place, "line", widths.op, "op",
            "instructions", "passes", "conflicts", "max ways", "of code", "of memory", "gain <=");
    for (size_t i = 0; i < kernel->lines; i++) {
        const struct report_line *line = &kernel->line[i];
        fprintf(file, "%-*s  %-*s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %8d", widths.place,
                where(line, text, sizeof text), widths.op, op_name(line->op),
                line->tally.instructions, line->tally.passes, line->tally.conflicts,
                line->tally.max_ways);
        put_shares(file, kernel, &line->tally);
        snprintf(text, sizeof text, "%s", line->source);
        fprintf(file, "%s%s\n", *text ? "  " : "", text_cut(text, SOURCE_BYTES));
    }
    fprintf(file, "%-*s  %-*s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %8d", widths.place, "total",
            widths.op, "", kernel->tally.instructions, kernel->tally.passes,
            kernel->tally.conflicts, kernel->tally.max_ways);
    put_shares(file, kernel, &kernel->tally);
    fputc('\n', file);
}

void report_print(FILE *file, const struct report *report)
{
    bool first = true;
    for (size_t i = 0; i < report->kernels; i++) {
        const struct report_kernel *kernel = &report->kernel[i];
        struct widths_of widths = {5, 5};
        char text[600];
        for (size_t k = 0; k < kernel->lines; k++) {
            widen(&widths.place, strlen(where(&kernel->line[k], text, sizeof text)));
            widen(&widths.op, strlen(op_name(kernel->line[k].op)));
        }
        if (!kernel->lines)
            continue;
        if (!first)
            fputc('\n', file);
        first = false;
        print_kernel(file, kernel, widths);
    }
    if (first)
        fputs("no access to shared memory\n", file);
}

void report_print_csv(FILE *file, const struct report *report)
{
    fputs("kernel,launches,file,line,op,instructions,passes,conflicts,max_ways,most_gain,"
          "of_code,of_memory\n",
          file);
    for (size_t i = 0; i < report->kernels; i++)
        for (size_t k = 0; k < report->kernel[i].lines; k++) {
            const struct report_kernel *kernel = &report->kernel[i];
            const struct report_line *line = &kernel->line[k];
            const struct report_share share = report_share(kernel, &line->tally);
            const double shares[] = {share.gain, share.instructions, share.memory};
            text_put(file, TEXT_CELL, kernel->name);
            fprintf(file, ",%" PRIu64 ",", kernel->launches);
            text_put(file, TEXT_CELL, line->file);
            fprintf(file, ",%d,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%d", line->line,
                    op_name(line->op), line->tally.instructions, line->tally.passes,
                    line->tally.conflicts, line->tally.max_ways);
            for (size_t n = 0; n < sizeof shares / sizeof *shares; n++)
                if (shares[n] >= 0)
                    fprintf(file, ",%.4f", shares[n]);
                else
                    fputc(',', file);
            fputc('\n', file);
        }
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

void report_print_changes(FILE *file, const struct report_changes *changes)
{
    int place = 6, op = 5;
    char text[600];
    for (size_t i = 0; i < changes->count; i++) {
        const struct report_line *line = line_of(&changes->change[i]);
        widen(&place, line ? strlen(where(line, text, sizeof text)) + 2
                           : strlen(kernel_of(&changes->change[i])->name));
        widen(&op, line ? strlen(op_name(line->op)) : 0);
    }
    fprintf(file, "%-*s  %-*s %12s %12s %12s  %12s %12s %12s\n", place, "kernel", op, "op",
            "passes 1", "passes 2", "more", "conflicts 1", "conflicts 2", "more");
    for (size_t i = 0; i < changes->count; i++) {
        const struct report_change *change = &changes->change[i];
        const struct report_line *line = line_of(change);
        const struct tally *a = side(change, 0), *b = side(change, 1);
        const char *name = line ? where(line, text, sizeof text) : kernel_of(change)->name;
        const int indent = line ? 2 : 0;
        fprintf(file,
                "%*s%-*s  %-*s %12" PRIu64 " %12" PRIu64 " %+12" PRId64 "  %12" PRIu64 " %12" PRIu64
                " %+12" PRId64 "%s\n",
                indent, "", place - indent, name, op, line ? op_name(line->op) : "", a->passes,
                b->passes, more(a->passes, b->passes), a->conflicts, b->conflicts,
                more(a->conflicts, b->conflicts),
                !change->kernel[0]   ? "  new"
                : !change->kernel[1] ? "  gone"
                : !line              ? ""
                : !change->line[0]   ? "  new"
                : !change->line[1]   ? "  gone"
                                     : "");
    }
}

void report_print_changes_csv(FILE *file, const struct report_changes *changes)
{
    fputs("kernel,file,line,op,passes_1,passes_2,conflicts_1,conflicts_2\n", file);
    for (size_t i = 0; i < changes->count; i++) {
        const struct report_change *change = &changes->change[i];
        const struct report_line *line = line_of(change);
        const struct tally *a = side(change, 0), *b = side(change, 1);
        if (!line)
            continue;
        text_put(file, TEXT_CELL, kernel_of(change)->name);
        fputc(',', file);
        text_put(file, TEXT_CELL, line->file);
        fprintf(file, ",%d,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", line->line,
                op_name(line->op), a->passes, b->passes, a->conflicts, b->conflicts);
    }
}

bool report_print_changes_json(FILE *file, const struct report_changes *changes,
                               struct error *error)
{
    cJSON *json = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(json, "difference");
    for (size_t i = 0; i < changes->count; i++) {
        const struct report_change *change = &changes->change[i];
        const struct report_line *line = line_of(change);
        const struct tally *a = side(change, 0), *b = side(change, 1);
        const double passes[] = {(double)a->passes, (double)b->passes};
        const double conflicts[] = {(double)a->conflicts, (double)b->conflicts};
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "kernel", kernel_of(change)->name);
        if (line) {
            cJSON_AddStringToObject(item, "file", line->file);
            cJSON_AddNumberToObject(item, "line", line->line);
            cJSON_AddStringToObject(item, "op", op_name(line->op));
        }
        cJSON_AddItemToObject(item, "passes", cJSON_CreateDoubleArray(passes, 2));
        cJSON_AddItemToObject(item, "conflicts", cJSON_CreateDoubleArray(conflicts, 2));
        cJSON_AddBoolToObject(item, "grew", change->grew);
        cJSON_AddItemToArray(list, item);
    }
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
    put_percent(file, 0, report_share(kernel, tally).gain);
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
