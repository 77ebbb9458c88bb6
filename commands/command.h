/* command.h - what the commands share.
 *
 * A command is one file, NAME.c, with `int command_NAME(int argc, char **argv)`, its help text
 * `const char NAME_help[]` and its options `const struct option NAME_longs[]`, and a row in the table of
 * bankscope.c. argv[0] is the command's name. It returns the exit status: 0, 1 (it failed) or 2 (it was
 * called wrongly), and prints one line on standard error for the last two, by command_fail or
 * command_usage. (check and verify end with 1 after a report on standard output, too.)
 */
#ifndef BANKSCOPE_COMMAND_H
#define BANKSCOPE_COMMAND_H

#include "subject/subject.h"

struct command {
    const char *name;
    const char *summary;               /* one line, for the list of commands */
    const char *help;                  /* usage, then options, then examples; NULL: left out */
    int (*run)(int argc, char **argv); /* NULL: left out of this build */
    const struct option *longs;        /* its long options, up to a row without a name */
    const char *needs;                 /* of a command that is left out: the part it needs */
};

/* The commands in the order in which people meet them; ends with a row without a name. */
extern const struct command commands[];

/* ---- commands/version.c ------------------------------------------------------------------- */

/* "Bankscope 1.0.0 (1a2b3c4)", with the commit if it was built from git. */
const char *command_program(char text[64]);

/* ---- commands/stats.c ---------------------------------------------------------------------- */

/* What --by may be: enum stats_by in its order, then "access", then NULL. */
extern const char *const stats_by_names[];

/* ---- commands/stats_reports.c: stats of reports ---------------------------------------------- */

/* How they are printed. */
struct report_stats {
    bool json, csv;
    const char *condition, *ncu; /* of --fail-if; a file of ncu's. NULL: none */
};
/* Whether the subjects are reports of `run --json`, or are to be; they then have been printed, and *status is what the
 * command ends with. other: something is asked for that reports do not have. */
bool stats_are_reports(const struct subjects *subjects, const struct report_stats *how, bool other,
                       int *status);

/* ---- commands/help.c ----------------------------------------------------------------------- */

/* The command called `name`, or NULL: reported on standard error, with the nearest name, as from
 * the command `asker` (NULL: the front door); the caller returns 2. */
const struct command *command_find(const char *asker, const char *name);

/* Says on standard error which part a command that is left out needs. Returns 1. */
int command_left_out(const struct command *command);

/* ---- commands/complete.c: what may be typed next ------------------------------------------- */

/* `bankscope --complete WORD...`, for the shells' completion: prints what the last word may become,
 * one candidate a line, after a tab what it is; a line "\tfiles EXTENSION..." stands for files that
 * end so (all files, without an extension) and folders. Does not look at what is typed of the last
 * word, except for NAME=. */
int command_complete(int argc, char **argv);

/* ---- the commands -------------------------------------------------------------------------- */

#define COMMAND(name)                                                                              \
    int command_##name(int argc, char **argv);                                                     \
    extern const char name##_help[];                                                               \
    extern const struct option name##_longs[]

COMMAND(list);
COMMAND(run);
COMMAND(stats);
COMMAND(advise);
COMMAND(sweep);
COMMAND(view);
COMMAND(export);
COMMAND(figure);
COMMAND(lesson);
COMMAND(check);
COMMAND(verify);
COMMAND(bench);
COMMAND(help);

#endif
