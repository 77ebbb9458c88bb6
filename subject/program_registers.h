/* program_registers.h - `run --registers`: what a thread executed, with the registers that it wrote. */
#ifndef BANKSCOPE_PROGRAM_REGISTERS_H
#define BANKSCOPE_PROGRAM_REGISTERS_H

#include "subject/program_options.h"

/* Gathers what is told of the warp. Begins as {.options, .lines}; registers_free in any case. */
struct registers {
    const struct program_options *options;
    struct source_lines *lines;
    FILE *to; /* private, from here on */
    char *text;
    size_t room;
    uint64_t length;     /* rows of the thread */
    uint64_t rows;       /* that were told of the warp */
    int width;           /* of the column of places */
    const char *missing; /* why there is nothing; NULL: there is */
};
/* Sets, before the run, the warp that the thread is in, and the launch, if none is chosen: the first. */
void registers_choose(struct program_options *options);
struct program_sink registers_sink(struct registers *registers);
/* A row for each instruction of the thread: where it is, the lanes that executed it, its text, and its registers. false:
 * there is no such launch, block or thread. */
bool registers_print(FILE *file, struct registers *registers, struct error *error);
void registers_free(struct registers *registers);

#endif
