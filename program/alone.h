/* alone.h - what alone.c and alone_match.c share. */
#ifndef BANKSCOPE_PROGRAM_ALONE_H
#define BANKSCOPE_PROGRAM_ALONE_H

#include "program/compile/names.h"
#include "program/program.h"

/* What is built, on its way. */
struct alone {
    struct built_program *program;
    const struct program_request *request;
    struct error *error;
    const char *source[PROGRAM_MOST]; /* those of the request; standard input as a file */
    bool ptx;
    char *list; /* a kernel_list */
    struct given_known known[CALLS_KNOWN];
    struct given_names names;
    struct given_array array[CALLS_MOST];
    struct source_names source_names; /* by compilers */
    struct machine_memory *memory;
    struct machine_module *module;
    char *text[PROGRAM_MOST]; /* of the units */
};

/* alone_match.c: the kernel that the call names, or NULL: alone->error says why. */
struct machine_kernel *alone_kernel(struct alone *alone, const struct given_call *call);

#endif
