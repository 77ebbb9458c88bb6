/* run.h - the parts of `bankscope run` of a CUDA program, with HAVE_DW only. */
#ifndef BANKSCOPE_COMMANDS_RUN_H
#define BANKSCOPE_COMMANDS_RUN_H

#include "commands/command.h"
#include "program/report.h"
#include "program/stages.h"

/* ---- run_gate.c: run --baseline, --fail-if, --markdown, --diagnostics ------------------------ */

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
bool gate_asked(const struct program_options *options);
/* Writes what is asked for, and says what grew and which conditions hold. Returns 1 if any, 0, or -1: *error. */
int gate_judge(const struct program_gate *gate, const struct program_table *table,
               struct error *error);

/* ---- run_report.c ------------------------------------------------------------------------------ */

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
