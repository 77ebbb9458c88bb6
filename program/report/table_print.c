/* table_print.c - a table (table.c) as text and as CSV; table_notes.c has the faults and notes that belong to it. */
#include "program/report/table_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "4x4", "2x3x4", "16" */
static const char *shape(const uint32_t size[3], char *text, size_t room)
{
    if (size[2] > 1)
        snprintf(text, room, "%ux%ux%u", size[0], size[1], size[2]);
    else if (size[1] > 1)
        snprintf(text, room, "%ux%u", size[0], size[1]);
    else
        snprintf(text, room, "%u", size[0]);
    return text;
}

static bool same_kernel(const struct launch_table *a, const struct launch_table *b)
{
    return !memcmp(a->grid, b->grid, sizeof a->grid) &&
           !memcmp(a->block, b->block, sizeof a->block) && !strcmp(a->name, b->name);
}

void line_where(const struct table_line *line, char *text, size_t room)
{
    size_t used = 0;
    if (!line->place)
        snprintf(text, room, "%s", line->array);
    else if (line->place->line)
        used = (size_t)snprintf(text, room, "%s:%d", line->place->file, line->place->line);
    else
        snprintf(text, room, "%s", *line->place->file ? line->place->file : "?");
    const char *file = line->place ? line->place->file : "";
    for (int i = 0; i < line->calls && used < room; i++) {
        bool same = !strcmp(file, line->call[i].file);
        file = line->call[i].file;
        used += (size_t)snprintf(text + used, room - used, " < %s%s%d", same ? "" : file,
                                 same ? "" : ":", line->call[i].line);
    }
    text_clean(text);
}

/* The text of the source line that it is about, or of the outermost call; "". */
static const char *line_source(const struct program_table *table, const struct table_line *line)
{
    const struct source_call *outer = line->calls ? &line->call[line->calls - 1] : NULL;
    return !line->place ? ""
           : outer      ? lines_text(table->lines, outer->file, outer->line)
                        : lines_text(table->lines, line->place->file, line->place->line);
}

void lines_begin(struct tabular *tabular, enum table_by by, const struct tabular_column *column,
                 int columns)
{
    const struct tabular_column source = {TABULAR_TEXT, TABULAR_PRINT, .name = "source", .gap = 2,
                                          .most = 100},
                                place = {TABULAR_TEXT, TABULAR_PRINT,
                                         .name = by == TABLE_BY_ARRAY  ? "array"
                                                 : by == TABLE_BY_CALL ? "line < called by"
                                                                       : "line",
                                         .width = 5};
    tabular_init(tabular, &place, 1);
    tabular_add_columns(tabular, column, columns);
    tabular_add_columns(tabular, &source, 1);
    if (by == TABLE_BY_ARRAY)
        tabular_hide(tabular, tabular->columns - 1);
}

void lines_put_place(struct tabular *tabular, const struct table_line *line)
{
    char text[1000];
    line_where(line, text, sizeof text);
    tabular_row(tabular);
    tabular_text(tabular, text);
}

void lines_put_total(struct tabular *tabular)
{
    tabular_row(tabular);
    tabular_text(tabular, "total");
    tabular_blank(tabular, 1);
}

void lines_put_source(struct tabular *tabular, const struct program_table *table,
                      const struct table_line *line)
{
    tabular_text(tabular, line_source(table, line));
}

static void put_tally(struct tabular *tabular, const struct tally *tally)
{
    tabular_count(tabular, tally->instructions);
    tabular_count(tabular, tally->passes);
    tabular_count(tabular, tally->conflicts);
    tabular_count(tabular, (uint64_t)tally->max_ways);
}

static void print_lines(FILE *file, const struct program_table *table,
                        const struct table_lines *lines, enum table_by by)
{
    static const struct tabular_column columns[] = {
        {TABULAR_TEXT, TABULAR_PRINT, .name = "op", .gap = 2, .width = 12},
        {TABULAR_COUNT, TABULAR_PRINT, .name = "instructions", .gap = 1, .width = 12},
        {TABULAR_COUNT, TABULAR_PRINT, .name = "passes", .gap = 1, .width = 12},
        {TABULAR_COUNT, TABULAR_PRINT, .name = "conflicts", .gap = 1, .width = 12},
        {TABULAR_COUNT, TABULAR_PRINT, .name = "max ways", .gap = 1, .width = 8},
        {TABULAR_REAL, TABULAR_PRINT, .name = "share", .gap = 1, .width = 6, .digits = 1,
         .unit = "%"},
    };
    const struct tally sum = table_lines_total(lines, OPS);
    struct tabular tabular;
    lines_begin(&tabular, by, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < lines->count; i++) {
        const struct table_line *line = &lines->line[i];
        lines_put_place(&tabular, line);
        tabular_text(&tabular, op_name(line->op));
        put_tally(&tabular, &line->tally);
        tabular_real(&tabular,
                     sum.passes ? 100.0 * (double)line->tally.passes / (double)sum.passes : 0.0);
        lines_put_source(&tabular, table, line);
    }
    lines_put_total(&tabular);
    put_tally(&tabular, &sum);
    tabular_print(file, &tabular);
    tabular_free(&tabular);
}

/* How much of what the kernel does is in shared memory, and the part of its time that it can save at most without
 * conflicts, by which lines. */
static void print_gain(FILE *file, const struct table_lines *lines,
                       const struct table_lines *global, uint64_t instructions)
{
    enum { LINES = 3 };
    const struct tally sum = table_lines_total(lines, OPS), far = sectors_total(global);
    const struct kernel_work work = {instructions, sum.passes, far.instructions, far.passes};
    const struct table_line *told[LINES];
    char text[1000];
    int count = 0;
    if (!sum.conflicts || !instructions)
        return;
    fprintf(file, "shared memory takes %.1f%% of the instructions of its warps",
            100.0 * (double)sum.instructions / (double)instructions);
    if (far.instructions)
        fprintf(file, ", and %.1f%% of the passes of memory, global memory's included",
                100.0 * (double)sum.passes / (double)work_memory_passes(&work));
    fprintf(file, "\nwithout conflicts it saves at most about %.1f%% of its time",
            100 * work_most_gain(&work, sum.conflicts));
    for (bool found = true; found && count < LINES;) {
        const struct table_line *most = NULL;
        for (size_t i = 0; i < lines->count; i++) {
            const struct table_line *line = &lines->line[i];
            bool known = !line->tally.conflicts;
            for (int k = 0; k < count; k++)
                known |= told[k] == line;
            if (!known && (!most || line->tally.conflicts > most->tally.conflicts))
                most = line;
        }
        found = most != NULL;
        if (found)
            told[count++] = most;
    }
    for (int i = 0; i < count && count > 1; i++) {
        line_where(told[i], text, sizeof text);
        fprintf(file, "%s%s %s %.1f%%", i ? ", " : ": ", text, op_name(told[i]->op),
                100 * work_most_gain(&work, told[i]->tally.conflicts));
    }
    fputc('\n', file);
}

/* Whether a kernel is one of a library's: it has no line of the user's, and its lines are in files of others, or its
 * namespace is known. */
static bool is_library(const struct program_table *table, const struct launch_table *launch)
{
    static const char *const names[] = {"cub::",     "thrust::", "at::", "cudnn::",  "cublas",
                                        "cutlass::", "c10::",    "nccl", "cusolver", "cufft"};
    bool named = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        named |= !strncmp(launch->name, names[i], strlen(names[i]));
    bool all = named || launch->rows;
    for (size_t i = 0; i < launch->rows && all; i++) {
        const struct source_place *place = lines_place(table->lines, launch->row[i].pc);
        all = !place->line && (named || place->foreign);
    }
    return all;
}

/* One line for the launches of libraries, which are marked as done. */
static bool fold_libraries(FILE *file, const struct program_table *table, bool *done, bool first)
{
    enum { TOLD = 3 };
    const char *told[TOLD];
    struct tally sum = {0};
    uint64_t launches = 0, kernels = 0;
    for (size_t i = 0; i < table->launches; i++) {
        const struct launch_table *launch = &table->launch[i];
        bool known = false;
        if (!is_library(table, launch))
            continue;
        done[i] = true;
        launches += launch->launches;
        for (size_t k = 0; k < launch->rows; k++)
            if (launch->row[k].space == SPACE_SHARED)
                tally_add(&sum, &launch->row[k].tally);
        for (size_t k = 0; k < i && !known; k++)
            known = !strcmp(table->launch[k].name, launch->name);
        if (!known && kernels++ < TOLD)
            told[kernels - 1] = launch->name;
    }
    if (!launches)
        return false;
    fprintf(file,
            "%slibraries: %" PRIu64 " launch%s of %" PRIu64 " kernel%s, %" PRIu64
            " passes, %" PRIu64 " conflicts (",
            first ? "" : "\n", launches, launches == 1 ? "" : "es", kernels,
            kernels == 1 ? "" : "s", sum.passes, sum.conflicts);
    for (uint64_t i = 0; i < kernels && i < TOLD; i++)
        fprintf(file, "%s%.40s%s", i ? ", " : "", told[i], strlen(told[i]) > 40 ? "..." : "");
    fprintf(file, "%s); --kernel REGEX shows them\n", kernels > TOLD ? ", ..." : "");
    return true;
}

/* Says which processes had the launches, where several had some. */
static void say_processes(FILE *file, const struct program_table *table, uint32_t lowest,
                          uint32_t highest)
{
    bool several = false;
    for (size_t i = 0; i < table->launches; i++)
        several |= table->launch[i].process != table->launch[0].process;
    if (lowest < highest)
        fprintf(file, ", of processes %" PRIu32 " to %" PRIu32, lowest, highest);
    else if (several)
        fprintf(file, ", of process %" PRIu32, lowest);
}

/* Where kernels launch it. */
struct parents {
    char place[3][300];
    int places; /* may be more */
};

static void add_parent(struct parents *parents, const struct program_table *table,
                       const struct launch_table *launch)
{
    enum { MOST = sizeof parents->place / sizeof *parents->place };
    const struct source_place *place =
        launch->parent_pc ? lines_place(table->lines, launch->parent_pc) : NULL;
    char text[300];
    if (!launch->parent)
        return;
    if (place && place->line)
        snprintf(text, sizeof text, "at %.280s:%d", place->file, place->line);
    else
        snprintf(text, sizeof text, "by %.290s", launch->parent);
    text_clean(text);
    for (int i = 0; i < parents->places && i < MOST; i++)
        if (!strcmp(parents->place[i], text))
            return;
    if (parents->places < MOST)
        memcpy(parents->place[parents->places], text, sizeof text);
    if (parents->places <= MOST)
        parents->places++;
}

static void say_parents(FILE *file, const struct parents *parents)
{
    enum { MOST = sizeof parents->place / sizeof *parents->place };
    for (int i = 0; i < parents->places; i++)
        fprintf(file, "%s%s", i ? ", " : ", launched ", i < MOST ? parents->place[i] : "...");
}

void table_print(FILE *file, const struct program_table *table, enum table_by by)
{
    bool *done = memory_new(table->launches + 1, sizeof *done);
    bool any = false; /* line */
    bool first = table->unfolded || !fold_libraries(file, table, done, true);
    for (size_t i = 0; i < table->launches; i++) {
        struct table_lines lines = {0}, global = {0};
        const struct launch_table *launch = &table->launch[i];
        uint64_t blocks = 0, recorded = 0, launches = 0, stopped = 0, partly = 0, instructions = 0;
        uint64_t repeated = 0;
        struct parents parents = {.places = 0};
        uint32_t lowest = launch->process, highest = lowest;
        bool unknown = false; /* how many instructions there were */
        char grid[40], block[40];
        if (done[i])
            continue;
        for (size_t k = i; k < table->launches; k++)
            if (!done[k] && same_kernel(launch, &table->launch[k])) {
                done[k] = true;
                launches += table->launch[k].launches;
                blocks += table->launch[k].end.blocks;
                recorded += table->launch[k].end.recorded_blocks;
                stopped += launch_is_stopped(&table->launch[k]);
                if (table->launch[k].process < lowest)
                    lowest = table->launch[k].process;
                if (table->launch[k].process > highest)
                    highest = table->launch[k].process;
                partly += table->launch[k].end.partly_checked;
                repeated += table->launch[k].end.repeated;
                add_parent(&parents, table, &table->launch[k]);
                instructions += table->launch[k].end.instructions;
                unknown |= !table->launch[k].end.instructions;
                table_lines_add(&lines, table, &table->launch[k], by, SPACE_SHARED);
                table_lines_add(&global, table, &table->launch[k], by, SPACE_GLOBAL);
            }
        if (recorded || stopped || lines.count || global.count) {
            fprintf(file, "%s%s: ", first ? "" : "\n", launch->name);
            if (launches > 1)
                fprintf(file, "%" PRIu64 " launches from %" PRIu64 ", each ", launches,
                        launch->number);
            else
                fprintf(file, "launch %" PRIu64 ", ", launch->number);
            fprintf(file, "%s block%s of %s threads", shape(launch->grid, grid, sizeof grid),
                    blocks == launches ? "" : "s", shape(launch->block, block, sizeof block));
            say_parents(file, &parents);
            say_processes(file, table, lowest, highest);
            if (launch->warp != 32)
                fprintf(file, " in warps of %d", launch->warp);
            if (recorded < blocks)
                fprintf(file, ", %" PRIu64 " of %" PRIu64 " blocks recorded", recorded, blocks);
            if (stopped && launches > 1)
                fprintf(file, ", %" PRIu64 " of the launches stopped early", stopped);
            else if (stopped)
                fprintf(file, ", stopped early");
            if (repeated)
                fprintf(file, ", %" PRIu64 " of them repeats that needed no executing", repeated);
            if (partly)
                fputs(", races in global memory looked for in part (--race-memory)", file);
            fprintf(file, ", %s%s\n",
                    lines_on_gpu(table->lines)   ? "recorded on "
                    : lines_of_ptx(table->lines) ? "as the "
                                                 : "as compiled by ",
                    lines_told(table->lines));
            first = false;
            const char *until = stopped ? " was recorded until then" : "";
            table_lines_sort(&lines);
            table_lines_sort(&global);
            any |= lines.count || global.count;
            if (lines.count) {
                print_lines(file, table, &lines, by);
                print_gain(file, &lines, &global, unknown ? 0 : instructions);
            } else if (table->memory != MEMORY_GLOBAL) {
                fprintf(file, "no access to shared memory%s\n", until);
            }
            if (global.count)
                sectors_print(file, table, &global, by);
            else if (table->memory != MEMORY_SHARED)
                fprintf(file, "no access to global memory%s\n", until);
            if (launch->end.emptied)
                fputs("nothing that the kernel computes is stored, so the compiler removed it "
                      "(--compiler clang -O0 keeps it)\n",
                      file);
        }
        free(lines.line);
        free(global.line);
    }
    if (any && !strncmp(lines_told(table->lines), "clang ", 6))
        fputs("\nthe counts are of clang's code: nvcc may join, keep or repeat other accesses\n",
              file);
    free(done);
}

/* "t.cu:40 main.cu:7" */
static const char *calls_text(const struct table_line *line, char *text, size_t room)
{
    *text = '\0';
    for (int i = 0; i < line->calls; i++)
        text_add(text, room, "%s%s:%d", i ? " " : "", line->call[i].file, line->call[i].line);
    return text;
}

/* Columns of a report that is about global memory, too: which memory, sectors, and the least; what a memory does not
 * have is empty. */
enum { ARRAY = 2, FILE_NAME, LINE, CALLS, SPACE = 13, SECTORS, LEAST };
static const struct tabular_column csv_columns[] = {
    {TABULAR_TEXT, TABULAR_CSV, .name = "kernel"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "launch"},
    [ARRAY] = {TABULAR_TEXT, TABULAR_CSV, .name = "array"},
    [FILE_NAME] = {TABULAR_TEXT, TABULAR_CSV, .name = "file"},
    [LINE] = {TABULAR_COUNT, TABULAR_CSV, .name = "line"},
    [CALLS] = {TABULAR_TEXT, TABULAR_CSV, .name = "calls"},
    {TABULAR_TEXT, TABULAR_CSV, .name = "op"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "instructions"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "accesses"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "passes"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "conflicts"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "max_ways"},
    {TABULAR_TEXT, TABULAR_CSV, .name = "code"},
    [SPACE] = {TABULAR_TEXT, TABULAR_CSV, .name = "space"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "sectors"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "least"},
};

static void put_csv_line(struct tabular *tabular, const struct program_table *table,
                         const struct launch_table *launch, const struct table_line *line)
{
    static const char *const spaces[] = {"shared", "global", "local"};
    const struct tally *tally = &line->tally;
    char text[1000];
    tabular_row(tabular);
    tabular_text(tabular, launch->name);
    tabular_count(tabular, launch->number);
    tabular_text(tabular, line->array);
    tabular_text(tabular, line->place ? line->place->file : "");
    tabular_count(tabular, line->place ? (uint64_t)line->place->line : 0);
    tabular_text(tabular, calls_text(line, text, sizeof text));
    tabular_text(tabular, op_name(line->op));
    tabular_count(tabular, tally->instructions);
    tabular_count(tabular, tally->accesses);
    if (line->space == SPACE_SHARED) {
        tabular_count(tabular, tally->passes);
        tabular_count(tabular, tally->conflicts);
        tabular_count(tabular, (uint64_t)tally->max_ways);
    } else {
        tabular_blank(tabular, 3);
    }
    tabular_text(tabular, lines_told(table->lines));
    tabular_text(tabular, spaces[line->space]);
    if (line->space == SPACE_GLOBAL) {
        tabular_count(tabular, tally->passes);
        tabular_count(tabular, tally->passes - tally->conflicts);
    }
}

void table_print_csv(FILE *file, const struct program_table *table, enum table_by by)
{
    struct tabular tabular;
    tabular_init(&tabular, csv_columns, sizeof csv_columns / sizeof *csv_columns);
    if (by == TABLE_BY_ARRAY) {
        tabular_hide(&tabular, FILE_NAME);
        tabular_hide(&tabular, LINE);
    } else {
        tabular_hide(&tabular, ARRAY);
    }
    if (by != TABLE_BY_CALL)
        tabular_hide(&tabular, CALLS);
    for (int i = SPACE; i <= LEAST && table->memory == MEMORY_SHARED; i++)
        tabular_hide(&tabular, i);
    tabular_print_csv_names(file, &tabular);
    for (size_t i = 0; i < table->launches; i++) {
        struct table_lines lines = {0};
        table_lines_add(&lines, table, &table->launch[i], by, SPACE_SHARED);
        table_lines_add(&lines, table, &table->launch[i], by, SPACE_GLOBAL);
        table_lines_sort(&lines);
        for (size_t k = 0; k < lines.count; k++)
            put_csv_line(&tabular, table, &table->launch[i], &lines.line[k]);
        free(lines.line);
        tabular_print_csv_rows(file, &tabular, "");
        tabular_clear(&tabular);
    }
    tabular_free(&tabular);
}
