/* program.h - what the program_*.c share: CUDA programs as they stand, with HAVE_DW only. */
#ifndef BANKSCOPE_PROGRAM_H
#define BANKSCOPE_PROGRAM_H

#include "commands/command.h"
#include "program/report.h"

/* ---- program_launch.c: building and running ---------------------------------------------------- */

enum { PROGRAM_WORDS = 4096 };
/* The program's words: its source for a name, then its arguments. */
void program_words(const struct program_options *options, const struct built_program *built,
                   char *words[PROGRAM_WORDS]);
/* Builds it; what the compiler says goes to standard error. */
bool program_make(const char *command, struct built_program *built,
                  const struct program_options *options, struct error *error);
/* Says what was found (unless it is told elsewhere) and what was left out. Returns how many faults are errors. */
int program_say_faults(const char *command, int status, const struct program_table *table,
                       bool told);
/* The status to end with, as a shell has it: 128 and more for a signal. */
int program_status(int status);

/* ---- program_gate.c: run --baseline, --fail-if, --markdown, --diagnostics ------------------------ */

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

/* ---- program_reports.c: stats of reports ---------------------------------------------------------- */

/* How they are printed. */
struct report_stats {
    bool json, csv;
    const char *condition, *ncu; /* of --fail-if; a file of ncu's. NULL: none */
};
/* Of one report, or of two, of which the second is compared with the first. Returns the exit status. */
int report_stats(const char *const *path, int count, const struct report_stats *how);

/* ---- program_stages.c -------------------------------------------------------------------------- */

/* Statistics of launches; those of one kernel, shape and list of stages together. */
struct stage_table {
    struct stats stats;
    uint64_t first, launches; /* number of the first; how many there are */
};
struct stage_tables {
    enum stats_by by;
    struct stage_table *table;
    size_t tables, room;
    uint64_t number; /* of the launch that is read */
    struct trace_sink to;
};
/* As program_traces has them, with the tables for context. */
bool stages_begin(void *context, const struct program_launch *launch, struct trace_sink *sink,
                  struct error *error);
bool stages_close(void *context, struct error *error);
void stages_print(FILE *file, const struct stage_tables *tables);
bool stages_print_csv(FILE *file, const struct stage_tables *tables, struct error *error);
/* {"launches":[{"kernel":"k","launch":0,"launches":3,"stages":[...],"total":{...}}, ...]} */
bool stages_print_json(FILE *file, const struct stage_tables *tables, struct error *error);
void stages_free(struct stage_tables *tables);

#endif
