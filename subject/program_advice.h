/* program_advice.h - advice for the kernels of a CUDA program. With HAVE_DW only. */
#ifndef BANKSCOPE_PROGRAM_ADVICE_H
#define BANKSCOPE_PROGRAM_ADVICE_H

#include "instrument/advice.h"
#include "subject/program_options.h"

/* A kernel of a program, and advice that is counted over all its launches in which its arrays are alike. */
struct advised_kernel {
    char *name;
    int launches;
    uint64_t conflicts; /* of its arrays as they are */
    struct advice advice;
};
struct advised_program {
    int kernels;
    struct advised_kernel *kernel; /* those with the most conflicts first */
    size_t room;                   /* private, from here on */
    struct launch_taker taker;
    const char *name; /* of the launch that is being taken */
    struct trace_sink to;
};
/* Builds and runs the program and searches. *status: what the program's run ends with. advised_program_free in any
 * case. */
bool program_advise(const char *command, const struct program_options *options,
                    struct advised_program *program, int *status, struct error *error);
void advised_program_free(struct advised_program *program);

#endif
