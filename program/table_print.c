/* table_print.c - a table (table.c) as text and as CSV, with the faults and notes that belong to it. */
#include "program/excuse.h"
#include "program/ring.h"
#include "program/table_lines.h"

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

const char *lines_heading(enum table_by by)
{
    return by == TABLE_BY_ARRAY ? "array" : by == TABLE_BY_CALL ? "line < called by" : "line";
}

int lines_width(const struct table_lines *lines)
{
    int width = 5; /* "total" */
    char text[1000];
    for (size_t i = 0; i < lines->count; i++) {
        line_where(&lines->line[i], text, sizeof text);
        const int length = (int)strlen(text);
        width = width < length ? length : width;
    }
    return width;
}

void line_end_row(FILE *file, const struct program_table *table, const struct table_line *line)
{
    enum { SOURCE_BYTES = 100 };
    char text[1000];
    snprintf(text, sizeof text, "%s", line_source(table, line));
    fprintf(file, "%s%s\n", *text ? "  " : "", text_cut(text, SOURCE_BYTES));
}

static void print_lines(FILE *file, const struct program_table *table,
                        const struct table_lines *lines, enum table_by by)
{
    struct tally sum = table_lines_total(lines, OPS);
    const int width = lines_width(lines);
    int op_width = 12;
    char text[1000];
    for (size_t i = 0; i < lines->count; i++) {
        const int length = (int)strlen(op_name(lines->line[i].op));
        op_width = op_width < length ? length : op_width;
    }
    fprintf(file, "%-*s  %-*s %12s %12s %12s %8s %6s%s\n", width, lines_heading(by), op_width, "op",
            "instructions", "passes", "conflicts", "max ways", "share",
            by == TABLE_BY_ARRAY ? "" : "  source");
    for (size_t i = 0; i < lines->count; i++) {
        const struct table_line *line = &lines->line[i];
        line_where(line, text, sizeof text);
        fprintf(file, "%-*s  %-*s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %8d %5.1f%%", width,
                text, op_width, op_name(line->op), line->tally.instructions, line->tally.passes,
                line->tally.conflicts, line->tally.max_ways,
                sum.passes ? 100.0 * (double)line->tally.passes / (double)sum.passes : 0.0);
        line_end_row(file, table, line);
    }
    fprintf(file, "%-*s  %-*s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %8d\n", width, "total",
            op_width, "", sum.instructions, sum.passes, sum.conflicts, sum.max_ways);
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

/* Whose launches they are, where several processes had some. */
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

void table_print(FILE *file, const struct program_table *table, enum table_by by)
{
    bool *done = memory_new(table->launches + 1, sizeof *done);
    bool first = table->unfolded || !fold_libraries(file, table, done, true);
    for (size_t i = 0; i < table->launches; i++) {
        struct table_lines lines = {0}, global = {0};
        const struct launch_table *launch = &table->launch[i];
        uint64_t blocks = 0, recorded = 0, launches = 0, stopped = 0, partly = 0, instructions = 0;
        uint64_t repeated = 0;
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
    free(done);
}

/* "t.cu:40 main.cu:7" */
static void csv_calls(FILE *file, const struct table_line *line)
{
    char text[1000] = "";
    size_t used = 0;
    for (int i = 0; i < line->calls && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s:%d", i ? " " : "",
                                 line->call[i].file, line->call[i].line);
    fputc(',', file);
    text_put(file, TEXT_CELL, text);
}

/* In CSV: its file and line, or array, and its calls. */
static void line_csv(FILE *file, const struct table_line *line, enum table_by by)
{
    text_put(file, TEXT_CELL, line->place ? line->place->file : line->array);
    if (line->place)
        fprintf(file, ",%d", line->place->line);
    if (by == TABLE_BY_CALL)
        csv_calls(file, line);
}

/* Of a report that is about global memory, too: which memory, sectors, and the least; what a memory does not
 * have is empty. */
static void csv_numbers(FILE *file, const struct program_table *table,
                        const struct table_line *line)
{
    const struct tally *tally = &line->tally;
    fprintf(file, ",%s,%" PRIu64 ",%" PRIu64, op_name(line->op), tally->instructions,
            tally->accesses);
    if (line->space == SPACE_SHARED)
        fprintf(file, ",%" PRIu64 ",%" PRIu64 ",%d", tally->passes, tally->conflicts,
                tally->max_ways);
    else
        fputs(",,,", file);
    fprintf(file, ",%s", lines_told(table->lines));
    if (table->memory == MEMORY_SHARED)
        return;
    static const char *const names[] = {"shared", "global", "local"};
    fprintf(file, ",%s", names[line->space]);
    if (line->space == SPACE_GLOBAL)
        fprintf(file, ",%" PRIu64 ",%" PRIu64, tally->passes, tally->passes - tally->conflicts);
    else
        fputs(",,", file);
}

void table_print_csv(FILE *file, const struct program_table *table, enum table_by by)
{
    fprintf(file, "kernel,launch,%s,op,instructions,accesses,passes,conflicts,max_ways,code%s\n",
            by == TABLE_BY_ARRAY  ? "array"
            : by == TABLE_BY_CALL ? "file,line,calls"
                                  : "file,line",
            table->memory == MEMORY_SHARED ? "" : ",space,sectors,least");
    for (size_t i = 0; i < table->launches; i++) {
        struct table_lines lines = {0};
        table_lines_add(&lines, table, &table->launch[i], by, SPACE_SHARED);
        table_lines_add(&lines, table, &table->launch[i], by, SPACE_GLOBAL);
        table_lines_sort(&lines);
        for (size_t k = 0; k < lines.count; k++) {
            text_put(file, TEXT_CELL, table->launch[i].name);
            fprintf(file, ",%" PRIu64 ",", table->launch[i].number);
            line_csv(file, &lines.line[k], by);
            csv_numbers(file, table, &lines.line[k]);
            fputc('\n', file);
        }
        free(lines.line);
    }
}

/* ---- faults ---------------------------------------------------------------------------------- */

int table_print_faults(FILE *file, const struct program_table *table, const char *prefix)
{
    int errors = 0;
    for (size_t i = 0; i < table->faults; i++) {
        if (file)
            fprintf(file, "%s%s\n", prefix, table->fault[i].text);
        errors += table->fault[i].error;
    }
    return errors;
}

int table_print_cut(FILE *file, const struct program_table *table, const char *prefix)
{
    int cut = 0;
    for (size_t i = 0; i < table->launches; i++) {
        const struct launch_table *launch = &table->launch[i];
        struct error line = {{0}};
        if (launch->ended)
            continue;
        error_set(&line,
                  "the program ended inside kernel %s (launch %" PRIu64
                  "); what was recorded before is kept",
                  launch->name, launch->number);
        fprintf(file, "%s%s\n", prefix, line.text);
        cut++;
    }
    return cut;
}

static void print_estimates(FILE *file, const struct program_table *table, const char *prefix)
{
    enum { MOST = 5 };
    struct source_estimate *estimate;
    const size_t count = table_estimates(table, &estimate);
    for (size_t i = 0; i < count && i < MOST; i++) {
        const char *global = estimate[i].global ? "global " : "", *op = op_name(estimate[i].op);
        if (estimate[i].line)
            fprintf(file, "%s%s:%d: the %s%ss of this line are an estimate: ", prefix,
                    estimate[i].file, estimate[i].line, global, op);
        else
            fprintf(file, "%s%s%sthe %s%ss without a line are an estimate: ", prefix,
                    estimate[i].file, *estimate[i].file ? ": " : "", global, op);
        if (estimate[i].requests)
            fprintf(file,
                    "of %" PRIu64
                    " request%s whose lanes share addresses a GPU takes a few sectors more\n",
                    estimate[i].requests, estimate[i].requests == 1 ? "" : "s");
        else
            fputs("nvcc's machine code joins them in a way that its PTX does not tell\n", file);
    }
    if (count > MOST)
        fprintf(file, "%sso are accesses of %zu other lines; --json names them\n", prefix,
                count - MOST);
    free(estimate);
}

/* ---- notes ----------------------------------------------------------------------------------- */

/* That single accesses, of which traces are made, are not there of all blocks. */
static void print_kept(FILE *file, const struct program_table *table, const char *prefix)
{
    const struct launch_table *first = NULL;
    size_t more = 0;
    for (size_t i = 0; i < table->launches; i++) {
        const struct launch_table *launch = &table->launch[i];
        if (launch->end.reason == RECORD_FAULTED ||
            launch->end.kept_blocks >= launch->end.recorded_blocks)
            continue;
        more += first != NULL;
        first = first ? first : launch;
    }
    if (!first)
        return;
    fprintf(file, "%slaunch %" PRIu64 ": traces and advice have ", prefix, first->number);
    if (first->end.kept_blocks)
        fprintf(file, "%" PRIu64 " of %" PRIu64 " blocks", first->end.kept_blocks,
                first->end.recorded_blocks);
    else
        fprintf(file, "a part of the first block");
    fprintf(file, " only, tables all; --blocks A-B chooses others\n");
    if (more)
        fprintf(file, "%sso it is in %zu other launch%s\n", prefix, more, more == 1 ? "" : "es");
}

/* That those of the blocks that a fault has ended are not there. */
static void print_unfinished(FILE *file, const struct program_table *table, const char *prefix)
{
    for (size_t i = 0; i < table->launches; i++) {
        const struct launch_table *launch = &table->launch[i];
        if (launch->end.reason != RECORD_FAULTED || !launch->end.single)
            continue;
        fprintf(file, "%slaunch %" PRIu64 " stopped early: traces and advice have ", prefix,
                launch->number);
        if (launch->end.kept_blocks)
            fprintf(file, "%" PRIu64 " of its %" PRIu64 " blocks only", launch->end.kept_blocks,
                    launch->end.blocks);
        else
            fprintf(file, "nothing of it");
        fprintf(file, ", tables all that was executed\n");
    }
}

/* Kernels with registers that ptxas had no room for. */
static void print_spills(FILE *file, const struct program_table *table, const char *prefix)
{
    const struct widths_spill *told[16];
    size_t count = 0;
    for (size_t i = 0; i < table->launches && count < sizeof told / sizeof *told; i++) {
        const struct widths_spill *spill = lines_spill(table->lines, table->launch[i].name);
        bool again = false;
        for (size_t k = 0; k < count; k++)
            again |= told[k] == spill;
        if (!spill || again)
            continue;
        told[count++] = spill;
        fprintf(file,
                "%s%s: ptxas has no register for some of its values and spills them to local "
                "memory: %d "
                "loads and %d stores of its machine code, which no table has\n",
                prefix, table->launch[i].name, spill->loads, spill->stores);
    }
}

void table_print_notes(FILE *file, const struct program_table *table, const char *prefix)
{
    uint64_t late = 0, dropped = 0, nodes = 0;
    for (size_t i = 0; i < table->launches; i++) {
        const struct launch_table *launch = &table->launch[i];
        dropped += launch->end.dropped;
        late += launch->end.reason == RECORD_LAUNCHES;
        nodes += launch->end.reason == RECORD_GRAPH;
    }
    excuses_print(file, table->excuses, prefix);
    print_estimates(file, table, prefix);
    if (table->memory != MEMORY_SHARED)
        print_spills(file, table, prefix);
    print_kept(file, table, prefix);
    print_unfinished(file, table, prefix);
    if (late)
        fprintf(file,
                "%s%" PRIu64
                " launch%s ran without being recorded, after enough others; --launch N or --kernel "
                "REGEX chooses\n",
                prefix, late, late == 1 ? "" : "es");
    if (nodes)
        fprintf(file,
                "%s%" PRIu64
                " launch%s in CUDA graphs ran without being recorded: too many at a time\n",
                prefix, nodes, nodes == 1 ? "" : "es");
    if (dropped && lines_on_gpu(table->lines))
        fprintf(file,
                "%s%" PRIu64 " records found no room or were not understood, and are not counted; "
                "--blocks A-B records fewer "
                "blocks, " RECORDS_MOST "=N makes room for N\n",
                prefix, dropped);
    if (table->end.lost)
        fprintf(file,
                "%s%" PRIu64 " rows of the recording found no room, and are not in the table; "
                "--kernel REGEX or --launch N records less\n",
                prefix, table->end.lost);
    if (table->end.strangers)
        fprintf(file,
                "%sprocesses of the program ran without being recorded: more than %d, or copies "
                "(fork) of one that used the GPU before\n",
                prefix, RINGS);
    if (table->end.left)
        fprintf(file,
                "%s%" PRIu32 " process%s of the program ended by a signal or _exit, or went on as "
                "another program; launches until then are recorded\n",
                prefix, table->end.left, table->end.left == 1 ? "" : "es");
    if (table->end.running)
        fprintf(file,
                "%s%" PRIu32 " process%s of the program had not ended; launches until then are "
                "recorded\n",
                prefix, table->end.running, table->end.running == 1 ? "" : "es");
    if (table->end.unsent)
        fprintf(file,
                "%s%" PRIu64 " launch%s that had begun when %s process ended %s not recorded\n",
                prefix, table->end.unsent, table->end.unsent == 1 ? "" : "es",
                table->end.unsent == 1 ? "its" : "their", table->end.unsent == 1 ? "is" : "are");
}
