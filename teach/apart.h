/* apart.h - what the grader and the process that runs a student's kernel tell each other: apart.c,
 * apart_child.c. */
#ifndef BANKSCOPE_APART_H
#define BANKSCOPE_APART_H

#include "teach/teach.h"

/* The files of that process. The others are /dev/null. */
enum apart_file { APART_ORDER = 0, APART_TALE = 3, APART_ANSWERS = 4 };

enum { APART_SECONDS = 10 /* of the processor for a launch */ };

/* What it is to run. The params, the input and the texts follow: the kernel's name, then those of the
 * stages, each with its null byte. */
struct order {
    size_t params_bytes, in_bytes, out_bytes, text_bytes;
    int warp, banks, bank_bytes, threads, blocks, shared_bytes, stages;
    bool partial, unconfined;
    char object[PATH_MAX];
};

/* What goes through the pipe: one of these, and OUT is followed by the output's bytes. */
enum tale { ACCESS, LINE, FAULT, OUT, UNFIT };
struct message {
    int tale;
    size_t place; /* LINE: of an instruction in the object; the answer is an int */
    char text[sizeof((struct error *)0)->text]; /* FAULT; UNFIT: why the kernel cannot be run */
    int stage, round, slot, block, warp, op, bytes, lanes, valued, tagged;
    uint8_t lane[MAX_WARP];
    uint32_t addr[MAX_WARP];
    int64_t value[MAX_WARP];
    char tag[MAX_WARP];
};

#endif
