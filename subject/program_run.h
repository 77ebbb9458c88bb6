/* program_run.h - a CUDA program run as its options say, what is told of it, and whether it became worse. With HAVE_DW
 * only. Messages begin with "bankscope run: ".
 */
#ifndef BANKSCOPE_PROGRAM_RUN_H
#define BANKSCOPE_PROGRAM_RUN_H

#include "program/report/report.h"
#include "program/report/stages.h"
#include "subject/program_options.h"

/* ---- program_run.c ----------------------------------------------------------------------------- */

/* Builds the program, or takes one that is built; runs it here or on a GPU; prints and writes what the options ask for.
 * Returns the exit status: the program's own, or 1 for faults and conditions that hold; what is wrong is reported. */
int program_run(struct program_options *options);

/* ---- program_gate.c: --baseline, --fail-if, --markdown, --diagnostics -------------------------- */

struct program_gate {
    const struct program_options *options;
    struct report baseline;
};
/* Reads the baseline and the conditions, before anything is compiled. Returns 0, or the exit status: reported.
 * gate_close in any case. */
int gate_open(struct program_gate *gate, const struct program_options *options);
void gate_close(struct program_gate *gate);
/* Whether the baseline was made under these conditions, before the program runs. Returns 0, or 2: reported. */
int gate_compare(const struct program_gate *gate, const struct table_about *about);
/* Writes what is asked for, and says what grew and which conditions hold. Returns 1 if any, 0, or -1: *error. */
int gate_judge(const struct program_gate *gate, const struct program_table *table,
               struct error *error);

/* ---- program_report.c: --json, --csv, or a table ----------------------------------------------- */

/* What there is to report. */
struct run_report {
    const struct program_options *options;
    const struct program_table *table;
    const struct stage_tables *stages;
};
/* "-" */
bool run_is_standard(const char *path);
/* Whether what is asked for has places of its own, before a program runs for them. Returns 0, or the exit
 * status: reported. */
int run_check_places(const struct program_options *options);
/* Whether a report takes the place of the table on standard output. */
bool run_replaces_table(const struct program_options *options);
/* Prints what was recorded, by what the options say: a table, unless CSV or JSON take its place. A trace on
 * standard output sends it to standard error. */
bool run_print_report(const struct run_report *report, struct error *error);
/* Writes the JSON that is asked for, if it is. */
bool run_write_json(const struct run_report *report, struct error *error);

#endif
