/* ncu.c - what Nsight Compute says of source lines, beside a report.
 *
 * The CSV of its source page has a part for each file of each launch:
 *
 *     "File Path","/home/a/app.cu"
 *     "Function Name","void transpose<(int)32>(float *, const float *)"
 *     "Line No","Source","Address","Source",...,"L1 Wavefronts Shared","L1 Wavefronts Shared Excessive",...
 *     "22","out[...] = tile[...];","-","...",...       a source line: the sum of its instructions
 *     "","","0x7f...","LDS R0, [R2]",...               an instruction
 *
 * Quotes within a source line are not doubled, so a line of source may look like several fields: what follows it is
 * counted from the record's end. With --print-source cuda the page is "Line No","Source" alone, without a number.
 */
#include "base/tabular.h"
#include "program/report/report.h"
#include "system/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CSV = 1 << 30 /* bytes */, FIELDS = 1024 };

/* ---- CSV ---------------------------------------------------------------------------------------- */

/* "1,024", "12.0" */
static uint64_t number_of(const char *text)
{
    uint64_t number = 0;
    for (; *text && *text != '.'; text++)
        if (*text >= '0' && *text <= '9')
            number = 10 * number + (uint64_t)(*text - '0');
    return number;
}

/* The field, without blanks before and behind it; "": it is not there. */
static const char *cell(char *const *field, int count, int index)
{
    if (index < 0 || index >= count)
        return "";
    char *text = field[index] + strspn(field[index], " \t");
    for (size_t length = strlen(text); length && strchr(" \t", text[length - 1]);)
        text[--length] = '\0';
    return text;
}

/* ---- lines ---------------------------------------------------------------------------------------- */

/* Whether two paths may be of one file: one is the end of the other, from a slash on. */
static bool same_file(const char *a, const char *b)
{
    const size_t x = strlen(a), y = strlen(b);
    const char *longer = x < y ? b : a, *shorter = x < y ? a : b;
    while (!strncmp(shorter, "./", 2))
        shorter += 2;
    const size_t length = strlen(longer), tail = strlen(shorter);
    return length >= tail && !strcmp(longer + length - tail, shorter) &&
           (length == tail || *shorter == '/' || longer[length - tail - 1] == '/');
}

static struct ncu_line *line_of(struct ncu_report *ncu, const char *file, int line)
{
    struct error ignored = {{0}};
    for (size_t i = 0; i < ncu->lines; i++) {
        const struct ncu_line *known = &ncu->line[i];
        const char *path = known->ours ? known->file : known->path;
        if (known->line == line && same_file(path, file))
            return &ncu->line[i];
    }
    if (!memory_grow(&ncu->line, &ncu->room, ncu->lines + 1, sizeof *ncu->line, "lines", &ignored))
        memory_exhausted();
    struct ncu_line *added = &ncu->line[ncu->lines++];
    *added = (struct ncu_line){.file = "", .line = line, .source = ""};
    return added;
}

static void take_report(struct ncu_report *ncu, const struct report *report)
{
    for (size_t i = 0; i < report->kernels; i++)
        for (size_t k = 0; k < report->kernel[i].lines; k++) {
            const struct report_line *from = &report->kernel[i].line[k];
            if (!from->line)
                continue;
            struct ncu_line *line = line_of(ncu, from->file, from->line);
            line->file = from->file;
            line->ours = true;
            line->source = from->source;
            line->tally.instructions += from->tally.instructions;
            line->tally.passes += from->tally.passes;
            line->tally.conflicts += from->tally.conflicts;
        }
}

static void add_note(struct ncu_report *ncu, const char *text)
{
    if (!*text)
        return;
    const size_t before = ncu->note ? strlen(ncu->note) : 0, room = before + strlen(text) + 3;
    char *note = memory_new(room, 1);
    snprintf(note, room, "%s%s%s", before ? ncu->note : "", before ? "; " : "", text);
    free(ncu->note);
    ncu->note = note;
}

/* The name of the report's file that a path of ncu's is, or the path: one that ends as it does, else the only one
 * that is called so in whatever folder, which is told. Valid as long as report and path. */
static const char *file_of_path(struct ncu_report *ncu, const struct report *report,
                                const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *found = NULL;
    bool several = false;
    for (size_t i = 0; i < report->kernels; i++)
        for (size_t k = 0; k < report->kernel[i].lines; k++) {
            const char *file = report->kernel[i].line[k].file;
            if (!report->kernel[i].line[k].line || (found && !strcmp(file, found)))
                continue;
            if (same_file(file, path))
                return file;
            const char *last = strrchr(file, '/');
            if (!strcmp(last ? last + 1 : file, base)) {
                several |= found != NULL;
                found = file;
            }
        }
    if (!found || several)
        return path;
    char text[600];
    snprintf(text, sizeof text, "%s is taken to be %s", path, found);
    if (!ncu->note || !strstr(ncu->note, text))
        add_note(ncu, text);
    return found;
}

/* How many columns a part has, and the places of those that matter; -1: not there. */
struct columns {
    int count, line, source, wavefronts, excessive, ideal;
};
static const struct columns no_columns = {0, -1, -1, -1, -1, -1};

static struct columns find_columns(char *const *field, int count)
{
    struct columns columns = no_columns;
    columns.count = count;
    for (int i = 0; i < count; i++)
        if (!strcmp(field[i], "Line No"))
            columns.line = i;
        else if (!strcmp(field[i], "Source") && columns.source < 0)
            columns.source = i;
        else if (!strcmp(field[i], "L1 Wavefronts Shared"))
            columns.wavefronts = i;
        else if (!strcmp(field[i], "L1 Wavefronts Shared Excessive"))
            columns.excessive = i;
        else if (!strcmp(field[i], "L1 Wavefronts Shared Ideal"))
            columns.ideal = i;
    return columns;
}

static void take_row(struct ncu_report *ncu, const char *path, struct columns columns,
                     char *const *field, int count)
{
    const int more = count - columns.count; /* what commas in the source made */
    const int number = (int)number_of(cell(field, count, columns.line));
    const uint64_t wavefronts = number_of(cell(field, count, columns.wavefronts + more));
    if (!number || !wavefronts) /* an instruction, or a line without shared memory */
        return;
    struct ncu_line *line = line_of(ncu, path, number);
    if (!line->path)
        line->path = memory_copy(path);
    line->wavefronts += wavefronts;
    if (columns.excessive >= 0)
        line->excessive += number_of(cell(field, count, columns.excessive + more));
    else if (columns.ideal >= 0)
        line->excessive += wavefronts - number_of(cell(field, count, columns.ideal + more));
    const char *source = cell(field, count, columns.source);
    line->differs |= !more && *source && *line->source && strcmp(source, line->source) != 0;
}

/* Says which lines have another text than in the report. */
static void note_texts(struct ncu_report *ncu)
{
    const struct ncu_line *first = NULL;
    size_t count = 0;
    char text[400] = "";
    for (size_t i = 0; i < ncu->lines; i++)
        if (ncu->line[i].differs && !count++)
            first = &ncu->line[i];
    if (count)
        text_add(text, sizeof text,
                 "%zu line%s ha%s another text in ncu's, the first %s:%d: it is of another version "
                 "of the source",
                 count, count == 1 ? "" : "s", count == 1 ? "s" : "ve", first->file, first->line);
    add_note(ncu, text);
}

/* ---- launches --------------------------------------------------------------------------------------- */

/* How many parts there are of a function and a file: launches of the function. */
struct part {
    char *function, *file;
    uint64_t count;
};
struct parts {
    struct part *part;
    size_t count, room;
};

static void count_part(struct parts *parts, const char *function, const char *file)
{
    struct error ignored = {{0}};
    for (size_t i = 0; i < parts->count; i++)
        if (!strcmp(parts->part[i].function, function) && !strcmp(parts->part[i].file, file)) {
            parts->part[i].count++;
            return;
        }
    if (!memory_grow(&parts->part, &parts->room, parts->count + 1, sizeof *parts->part, "parts",
                     &ignored))
        memory_exhausted();
    parts->part[parts->count++] = (struct part){memory_copy(function), memory_copy(file), 1};
}

/* Whether a function is an instance of the kernel: "void ns::sum<(int)32>(int *)" is one of "ns::sum<32>". */
static bool is_of(const char *function, const char *kernel)
{
    if (!strncmp(function, "void ", 5))
        function += 5;
    const size_t length = strcspn(kernel, "<");
    return !strncmp(function, kernel, length) && strchr("<(", function[length]);
}

static void free_parts(struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        free(parts->part[i].function);
        free(parts->part[i].file);
    }
    free(parts->part);
}

/* Says of which kernels the two have other numbers of launches. */
static void note_launches(struct ncu_report *ncu, const struct report *report,
                          const struct parts *parts)
{
    char text[400] = "";
    for (size_t i = 0; i < report->kernels; i++) {
        const char *name = report->kernel[i].name;
        const size_t base = strcspn(name, "<");
        uint64_t ours = 0, theirs = 0;
        bool first = report->kernel[i].lines > 0;
        for (size_t k = 0; k < report->kernels; k++) {
            const struct report_kernel *other = &report->kernel[k];
            const bool same =
                strcspn(other->name, "<") == base && !strncmp(other->name, name, base);
            ours += same ? other->launches : 0;
            first = first && (!same || k >= i);
        }
        for (size_t k = 0; k < parts->count; k++) {
            uint64_t most = 0; /* of the files of this function */
            for (size_t j = 0; j < parts->count; j++)
                if (!strcmp(parts->part[j].function, parts->part[k].function)) {
                    if (j < k)
                        break;
                    most = parts->part[j].count > most ? parts->part[j].count : most;
                }
            theirs += is_of(parts->part[k].function, name) ? most : 0;
        }
        if (first && ours != theirs)
            text_add(text, sizeof text, "%s%.*s: %" PRIu64 " launch%s here, %" PRIu64 " in ncu's",
                     *text ? "; " : "", (int)base, name, ours, ours == 1 ? "" : "es", theirs);
    }
    add_note(ncu, text);
}

/* ---- reading ---------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct ncu_line *x = a, *y = b;
    const int order = strcmp(x->ours ? x->file : x->path, y->ours ? y->file : y->path);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static bool take_text(struct ncu_report *ncu, const struct report *report, char *text,
                      const char *name, struct error *error)
{
    char **field = memory_new(FIELDS, sizeof *field);
    char *path = memory_copy("");
    const char *file = path;
    struct columns columns = no_columns;
    struct parts parts = {.count = 0};
    bool lines = false, shared = false, numbers = false;
    while (*text) {
        const int count = text_record(&text, field, FIELDS);
        if (count >= 2 && !strcmp(field[0], "File Path")) {
            free(path);
            path = memory_copy(field[1]);
            file = file_of_path(ncu, report, path);
        } else if (count >= 2 &&
                   (!strcmp(field[0], "Function Name") || !strcmp(field[0], "Kernel Name"))) {
            count_part(&parts, field[1], path);
        } else if (count >= 2 && (!strcmp(field[0], "Line No") || !strcmp(field[0], "Address"))) {
            columns = find_columns(field, count);
            lines |= columns.line >= 0;
            numbers |= columns.line >= 0 && count > 2;
            shared |= columns.wavefronts >= 0;
        } else if (columns.line >= 0 && columns.wavefronts >= 0) {
            take_row(ncu, file, columns, field, count);
        }
    }
    const bool good = lines && shared;
    if (good) {
        note_launches(ncu, report, &parts);
        note_texts(ncu);
    }
    free_parts(&parts);
    free(path);
    free(field);
    return good ||
           error_set(error,
                     "%s has no %s; make it with ncu --section SourceCounters -o report ./app and "
                     "ncu --import report.ncu-rep --page source --csv --print-source cuda,sass",
                     name,
                     !lines     ? "source lines (Line No) of ncu's source page"
                     : !numbers ? "numbers, only sources (it is of --print-source cuda)"
                                : "column 'L1 Wavefronts Shared'");
}

bool ncu_read(struct ncu_report *ncu, const struct report *report, const char *path,
              struct error *error)
{
    size_t length;
    *ncu = (struct ncu_report){.lines = 0};
    char *text = file_read(path, MOST_CSV, &length, error);
    if (!text)
        return error_set(error, "%s is too large", path);
    take_report(ncu, report);
    const bool good = take_text(ncu, report, text_clean_lines(text), path, error);
    free(text);
    if (ncu->lines)
        qsort(ncu->line, ncu->lines, sizeof *ncu->line, by_place);
    return good;
}

void ncu_free(struct ncu_report *ncu)
{
    for (size_t i = 0; i < ncu->lines; i++)
        free(ncu->line[i].path);
    free(ncu->line);
    free(ncu->note);
    *ncu = (struct ncu_report){.lines = 0};
}

/* ---- printing --------------------------------------------------------------------------------------- */

static const char *file_of(const struct ncu_line *line)
{
    return line->ours ? line->file : line->path;
}

static const struct tabular_column ncu_columns[] = {
    {TABULAR_TEXT, TABULAR_PRINT, .name = "line", .width = 5},
    {TABULAR_TEXT, TABULAR_CSV, .name = "file"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "line"},
    {TABULAR_COUNT, TABULAR_PRINT | TABULAR_CSV, .name = "passes", .gap = 1, .width = 12},
    {TABULAR_COUNT, TABULAR_PRINT | TABULAR_CSV, .name = "ncu_wavefronts", .title = "ncu", .gap = 1,
     .width = 12},
    {TABULAR_CHANGE, TABULAR_PRINT, .name = "more", .gap = 1, .width = 12},
    {TABULAR_COUNT, TABULAR_PRINT | TABULAR_CSV, .name = "conflicts", .gap = 2, .width = 12},
    {TABULAR_COUNT, TABULAR_PRINT | TABULAR_CSV, .name = "ncu_excessive", .title = "ncu", .gap = 1,
     .width = 12},
    {TABULAR_CHANGE, TABULAR_PRINT, .name = "more", .gap = 1, .width = 12},
    {TABULAR_TEXT, TABULAR_PRINT, .name = "source", .gap = 2, .most = 80},
};

static void put_numbers(struct tabular *tabular, const struct tally *tally, uint64_t wavefronts,
                        uint64_t excessive)
{
    tabular_count(tabular, tally->passes);
    tabular_count(tabular, wavefronts);
    tabular_change(tabular, tally->passes, wavefronts);
    tabular_count(tabular, tally->conflicts);
    tabular_count(tabular, excessive);
    tabular_change(tabular, tally->conflicts, excessive);
}

static void put_lines(struct tabular *tabular, const struct ncu_report *ncu)
{
    tabular_init(tabular, ncu_columns, sizeof ncu_columns / sizeof *ncu_columns);
    for (size_t i = 0; i < ncu->lines; i++) {
        const struct ncu_line *line = &ncu->line[i];
        char text[600];
        snprintf(text, sizeof text, "%s:%d", file_of(line), line->line);
        tabular_row(tabular);
        tabular_text(tabular, text);
        tabular_text(tabular, file_of(line));
        tabular_count(tabular, (uint64_t)line->line);
        put_numbers(tabular, &line->tally, line->wavefronts, line->excessive);
        tabular_text(tabular, line->source);
    }
}

void ncu_print(FILE *file, const struct ncu_report *ncu)
{
    struct tabular tabular;
    struct tally ours = {0};
    uint64_t wavefronts = 0, excessive = 0;
    put_lines(&tabular, ncu);
    for (size_t i = 0; i < ncu->lines; i++) {
        ours.passes += ncu->line[i].tally.passes;
        ours.conflicts += ncu->line[i].tally.conflicts;
        wavefronts += ncu->line[i].wavefronts;
        excessive += ncu->line[i].excessive;
    }
    tabular_row(&tabular);
    tabular_text(&tabular, "total");
    tabular_blank(&tabular, 2);
    put_numbers(&tabular, &ours, wavefronts, excessive);
    tabular_print(file, &tabular);
    tabular_free(&tabular);
}

void ncu_print_csv(FILE *file, const struct ncu_report *ncu)
{
    struct tabular tabular;
    put_lines(&tabular, ncu);
    tabular_print_csv(file, &tabular);
    tabular_free(&tabular);
}
