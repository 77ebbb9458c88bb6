/* arguments.h - command lines: options, numbers and choices read, and messages, the same for every command.
 *
 * `command` is the name for messages, "export". What is wrong has been said on standard error, in one line, when a
 * function here returns false; the command then ends with status 2.
 */
#ifndef BANKSCOPE_ARGUMENTS_H
#define BANKSCOPE_ARGUMENTS_H

#include "base/error.h"
#include "viewer/drawing/drawing.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- messages ------------------------------------------------------------------------------------ */

/* Prints "bankscope COMMAND: ..." with a pointer to the help. Returns 2. */
int command_usage(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints "bankscope COMMAND: " and the error's line, for a word that is wrong (command NULL: the
 * front door's). Returns 2. */
int command_wrong(const char *command, const struct error *error);

/* Prints "bankscope COMMAND: " and the error's line. Returns 1. */
int command_fail(const char *command, const struct error *error);

/* Shows "3 of 40 recorded" on standard error when that is a terminal and the work takes more than a
 * second; call it after each piece. */
void command_progress(size_t done, size_t of, const char *what);

/* What a process ends with: status, or 1 instead of 0 when standard output could not be written,
 * which then is said on standard error. */
int command_finish(int status);

/* "bankscope export 'my trace.jsonl'": the command as a shell takes it, as far as there is room. To be
 * called before getopt_long changes the order. */
void command_words(int argc, char **argv, char *text, size_t size);

/* getopt_long with this program's messages: a wrong option has been reported by command_usage
 * when '?' is returned, and the caller returns 2. shorts must begin with ':'. */
int command_option(int argc, char **argv, const char *shorts, const struct option *longs);
/* The option that it returned as users know it: "--kernel", or "-I" where it has no long name. */
enum { OPTION_WORD = 32 };
void command_option_word(int option, const struct option *longs, char word[OPTION_WORD]);

/* Reads a whole number of least..most. false: reported by command_usage, which names `what`
 * ("--seed", "parameter E"); the caller returns 2. */
bool command_number(const char *command, const char *what, const char *text, int64_t least,
                    int64_t most, int64_t *number);

/* Whether a trace may have that name: not one of a picture. false: reported by command_usage. */
bool command_trace_name(const char *command, const char *path);

/* The index of a word in names (up to NULL). -1: reported by command_usage, which names the option
 * ("--by") and the words that it may be; the caller returns 2. */
int command_choice(const char *command, const char *option, const char *text,
                   const char *const *names);

/* Says on standard error that texts of a picture are smaller than journals take, were cut or left out. */
void command_warn_flaws(const char *command, struct drawing_flaws flaws);

#endif
