/* command.h - what the commands share.
 *
 * A command is one file, NAME.c, with `int command_NAME(int argc, char **argv)`, its help text
 * `const char NAME_help[]` and its row in the table of bankscope.c. argv[0] is the command's name.
 * It returns the exit status: 0, 1 (it failed) or 2 (it was called wrongly), and prints one line
 * on standard error for the last two, by command_fail or command_usage.
 */
#ifndef BANKSCOPE_COMMAND_H
#define BANKSCOPE_COMMAND_H

#include <getopt.h>
#include "instrument/instrument.h"

struct command {
    const char *name;
    const char *summary;               /* one line, for the list of commands */
    const char *help;                  /* usage, then options, then examples; NULL: left out */
    int (*run)(int argc, char **argv); /* NULL: left out of this build */
    const char *needs;                 /* of a command that is left out: the part it needs */
};

/* The commands in the order in which people meet them; ends with a row without a name. */
extern const struct command commands[];

/* ---- commands/command.c -------------------------------------------------------------------- */

/* Prints "bankscope COMMAND: ..." with a pointer to the help. Returns 2. */
int command_usage(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints "bankscope COMMAND: " and the error's line. Returns 1. */
int command_fail(const char *command, const struct error *error);

/* getopt_long with this program's messages: a wrong option has been reported by command_usage
 * when '?' is returned, and the caller returns 2. shorts must begin with ':'. */
int command_option(int argc, char **argv, const char *shorts, const struct option *longs);

/* Reads a whole number of least..most. false: reported by command_usage, which names `what`
 * ("--seed", "parameter E"); the caller returns 2. */
bool command_number(const char *command, const char *what, const char *text, int64_t least,
                    int64_t most, int64_t *number);

/* ---- commands/help.c ----------------------------------------------------------------------- */

/* The command called `name`, or NULL: reported on standard error, with the nearest name, as from
 * the command `asker` (NULL: the front door); the caller returns 2. */
const struct command *command_find(const char *asker, const char *name);

/* Says on standard error which part a command that is left out needs. Returns 1. */
int command_left_out(const struct command *command);

/* ---- commands/paths.c ---------------------------------------------------------------------- */

/* Finds a file or folder that comes with the program ("lessons", "instrument/simt.h"; "" is the
 * folder of them all, which is what -I wants) and writes its path. Looked for in $BANKSCOPE_DATA
 * if that is set; else in the source tree that the program was built in, and where it was
 * installed. */
bool data_path(const char *name, char *path, size_t room, struct error *error);

/* ---- the commands -------------------------------------------------------------------------- */

#define COMMAND(name)                                                                              \
    int command_##name(int argc, char **argv);                                                     \
    extern const char name##_help[]

COMMAND(list);
COMMAND(run);
COMMAND(stats);
COMMAND(view);
COMMAND(export);
COMMAND(figure);
COMMAND(lesson);
COMMAND(check);
COMMAND(help);

#endif
