/* table_notes.c - the faults and notes that belong to a table: estimates, what is not recorded, what was lost. */
#include "program/excuse.h"
#include "program/ring.h"
#include "program/report/table_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* Whether these are the loads of a loop of swaps, whose line is named for the swaps already. */
static bool is_of_swaps(const struct source_estimate *loads, const struct source_estimate *estimate,
                        size_t count)
{
    bool found = false;
    for (size_t i = 0;
         i < count && loads->op == OP_LOAD && loads->accesses && !loads->global && !loads->chance;
         i++)
        found |= op_is_atomic(estimate[i].op) && estimate[i].line == loads->line &&
                 !strcmp(estimate[i].file, loads->file);
    return found;
}

static void print_estimates(FILE *file, const struct program_table *table, const char *prefix)
{
    enum { MOST = 5 };
    struct source_estimate *estimate;
    const size_t all = table_estimates(table, &estimate);
    size_t count = 0;
    for (size_t i = 0; i < all; i++) {
        if (is_of_swaps(&estimate[i], estimate, all) || count++ >= MOST)
            continue;
        const char *global = estimate[i].global ? "global " : "", *op = op_name(estimate[i].op);
        if (estimate[i].line)
            fprintf(file, "%s%s:%d: the %s%ss of this line are an estimate: ", prefix,
                    estimate[i].file, estimate[i].line, global, op);
        else
            fprintf(file, "%s%s%sthe %s%ss without a line are an estimate: ", prefix,
                    estimate[i].file, *estimate[i].file ? ": " : "", global, op);
        if (estimate[i].chance)
            fputs("which lanes come here, how often, and where they go depends on which warp is "
                  "first\n",
                  file);
        else if (estimate[i].accesses && estimate[i].global)
            fprintf(file,
                    "of %" PRIu64
                    " request%s whose lanes share addresses a GPU takes a few sectors more\n",
                    estimate[i].accesses, estimate[i].accesses == 1 ? "" : "s");
        else if (estimate[i].accesses)
            fputs("a loop of swaps takes more turns where another warp is first\n", file);
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
