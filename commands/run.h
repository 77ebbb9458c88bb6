/* run.h - the parts of `bankscope run` of a CUDA program, with HAVE_DW only. */
#ifndef BANKSCOPE_COMMANDS_RUN_H
#define BANKSCOPE_COMMANDS_RUN_H

#include "commands/command.h"
#include "program/report.h"

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

#endif
