/* sweep_program.h - sweeps of CUDA programs as they stand, with HAVE_DW only. */
#ifndef BANKSCOPE_SWEEP_PROGRAM_H
#define BANKSCOPE_SWEEP_PROGRAM_H

#include "measure/sweep.h"
#include "subject/subject.h"

enum { SWEEP_WORDS = 200 };
struct sweep_program {
    const char *word[SWEEP_WORDS], *name; /* the program's; name: the first source */
    int words;                            /* more than SWEEP_WORDS: too many */
    char *macro[SWEEP_AXES];              /* words that are its own */
    int macros;
};
/* Takes the program's words out of the command line, and leaves those of the sweep, whose options are `longs`. */
void sweep_program_split(struct sweep_program *program, const struct option *longs, int *argc,
                         char **argv);
void sweep_program_free(struct sweep_program *program);
/* Makes the program what the sweep records, if it has words. */
void sweep_program_set(struct sweep_program *program, struct sweep *sweep);

#endif
