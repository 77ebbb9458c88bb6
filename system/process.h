/* process.h - child processes. */
#ifndef BANKSCOPE_SYSTEM_PROCESS_H
#define BANKSCOPE_SYSTEM_PROCESS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A child process that runs work of this program, and memory that both see. A child never outlives
 * the process that started it: the system kills it when that ends, in whatever way. */
struct process {
    pid_t id;
    void *shared; /* zeroed when the child starts */
    size_t size;
};

/* Starts a child that calls work and ends with the status that it returns, 0 to 127. false: *error
 * says why; nothing is left to free. */
bool process_start(struct process *process, size_t shared, int (*work)(void *context, void *shared),
                   void *context, struct error *error);
/* Waits for its end. Returns its status, for WIFEXITED and so on. Call once. */
int process_wait(const struct process *process);
/* Whether it has ended; then *status is as from process_wait, which must not be called any more. */
bool process_ended(const struct process *process, int *status);
/* Ends it at once, and all of its process group where it has made one (setpgid(0, 0)); wait for it
 * afterwards. */
void process_kill(const struct process *process);
/* Releases the shared memory. */
void process_free(struct process *process);

/* Runs work in a child process, because the kernel `name` is a user's own and may crash or end the
 * program: then *error says so. Returns what work returned, 0 to 127, or -1 with *error set, by
 * work or here. */
int process_apart(const char *name, int (*work)(void *context, struct error *error), void *context,
                  struct error *error);

/* Another program to run. */
struct program {
    const char *const *words;    /* its name or path, arguments, NULL */
    int input, output, messages; /* file descriptors that it gets as standard input, output and
                                  * error; 0: this program's own */
    const char *temporary;       /* folder for its passing files (TMPDIR); NULL: as it is */
    const char *hint;            /* what to do when it is not installed */
};
/* Runs it and waits for its end. Returns its exit status, 128 and more for a signal; or -1 when it
 * cannot be started: *error says why, and the hint. */
int process_run(const struct program *program, struct error *error);

/* Seconds of a clock; only differences have a meaning. */
double clock_seconds(void);

#endif
