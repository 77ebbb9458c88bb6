/* trace_recording.h - a launch that is kept until it has ended and becomes a trace. */
#ifndef BANKSCOPE_PROGRAM_TRACE_RECORDING_H
#define BANKSCOPE_PROGRAM_TRACE_RECORDING_H

#include "program/program.h"

enum { STAGE_NAME = 64 /* bytes, the null included */, ROWS_BYTES = 4 /* of a bank */ };

struct recorded {
    size_t lane; /* its first, in the arrays below */
    uint64_t pc;
    uint64_t mask;
    uint32_t block, phase, round; /* phase: once laid out, the stage */
    uint32_t number;              /* of the round, as the program counts */
    uint32_t order;               /* in time */
    uint16_t slot, site, warp;
    uint8_t operation, bytes, stage; /* stage: that the program named, 0: none */
    bool values, global;
};

/* Where a part of shared memory is in the trace. */
struct part {
    uint32_t from, to; /* as recorded */
    uint32_t at;       /* in the trace */
    int array;         /* lines_array; ARRAY_UNKNOWN: one row without a name */
};

struct trace_recording {
    struct program_launch launch;
    char *kernel; /* its name */
    struct recorded *access;
    size_t accesses, room;
    uint64_t *addr;
    int64_t *value;
    size_t lanes, addr_room, value_room;
    uint64_t block, dropped;
    int phases;
    bool marked;                            /* the program named a stage or numbered a round */
    char name[STAGES_MOST + 1][STAGE_NAME]; /* of stages that the program named */
    struct part *part;
    size_t parts, part_room;
};

/* Compares two struct recorded: by block, stage, round, slot, warp, as traces are ordered. */
int recording_order(const void *a, const void *b);
/* trace_stages.c: moves accesses, which are in recording_order, to the stages and rounds that the program named.
 * Rounds that it does not number are those of the stage, counted; accesses that come to a round again get slots
 * behind its others. header: gets the stages. */
void recording_place_marked(struct trace_recording *r, struct trace_header *header);

#endif
