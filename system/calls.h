/* calls.h - takes system calls away from a process. It stands alone: the runtime of CUDA programs has it, too. */
#ifndef BANKSCOPE_SYSTEM_CALLS_H
#define BANKSCOPE_SYSTEM_CALLS_H

/* Leaves the calling process no system calls but for memory, time, and reading and writing what is open.
 * Returns 0, or the errno that says why this cannot be had. */
int calls_confine(void);
/* Whether it can be had, without doing it: 0 or an errno. */
int calls_there(void);

#endif
