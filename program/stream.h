/* stream.h - what the recorder of a GPU (inject/), in the user's program, tells the bankscope process (ring.h is
 * the way).
 *
 * It is a stream of records: a head, then head.bytes of the struct of its kind, in the byte order of
 * the machine, because both ends run on it. The reader must accept any bytes, because the program may
 * write to all of its memory.
 *
 *     launch, { block, { access... }, end of block }..., end of launch
 *
 * and faults anywhere.
 */
#ifndef BANKSCOPE_PROGRAM_STREAM_H
#define BANKSCOPE_PROGRAM_STREAM_H

#include <stdint.h>

enum {
    RECORDS_VERSION = 7,
    RECORD_WARP = 32,       /* lanes of a warp */
    RECORD_MOST = 64 << 10, /* bytes of a record behind its head */
    RECORD_NAME = 1024,     /* bytes of a kernel's name, the null included */
};

/* What it is asked for: environment variables, unset for the default. */
#define RECORDS_RING                                                                               \
    "BANKSCOPE_RING" /* path of the file with the rings; unset: nothing is recorded */
#define RECORDS_KERNEL "BANKSCOPE_KERNEL" /* extended regular expression for names */
#define RECORDS_LAUNCH "BANKSCOPE_LAUNCH" /* number of the only launch */
#define RECORDS_BLOCKS "BANKSCOPE_BLOCKS" /* A-B, the blocks of each launch */
#define RECORDS_CUBINS "BANKSCOPE_CUBINS" /* folder for the program's machine code */
#define RECORDS_MEMORY "BANKSCOPE_MEMORY" /* shared, global, all */
#define RECORDS_MOST "BANKSCOPE_MOST"     /* most accesses of warps in a launch */

enum record_kind {
    RECORD_START = 0x42530001, /* struct record_start */
    RECORD_LAUNCH,             /* struct record_launch, cut behind the name */
    RECORD_BLOCK,              /* struct record_block */
    RECORD_ACCESS,             /* struct record_access, cut behind the last lane */
    RECORD_BLOCK_END,          /* nothing */
    RECORD_LAUNCH_END,         /* struct record_launch_end */
    RECORD_FAULT,              /* struct record_fault */
    RECORD_EXIT,               /* nothing: the program ends as programs do */
    RECORD_FUNCTION,           /* struct record_function, before its launches */
    RECORD_GLOBAL,             /* struct record_global, cut behind the last lane */
};

struct record_head {
    uint32_t kind, bytes;
};

struct record_start {
    uint32_t version, unused;
};

struct record_launch {
    uint64_t number;  /* from 0, in the program's order */
    uint32_t process; /* that launched it, from 0, in the order of their first launches */
    uint32_t grid[3], block[3];
    char name[RECORD_NAME];
};

struct record_block {
    uint64_t index; /* x + gridDim.x * (y + gridDim.y * z) */
};

/* Where code lies that a GPU runs. */
struct record_function {
    uint64_t pc, bytes; /* of its first instruction; of its code */
    uint32_t
        module; /* MODULE.cubin in the folder that was asked for, where all processes keep theirs */
    char name[RECORD_NAME]; /* as the cubin has it */
};

/* One warp access. Lanes are those of mask, ascending; each has its address in addr. */
struct record_access {
    uint64_t pc;   /* the next byte of the GPU's code */
    uint32_t mask; /* of lanes, not 0 */
    uint32_t phase, round;
    uint16_t warp;
    uint8_t operation;          /* enum op */
    uint8_t bytes;              /* of each lane: 1, 2, 4, 8 or 16 */
    uint32_t addr[RECORD_WARP]; /* bytes of the block's shared memory */
};

/* An access to global memory; begins as record_access does. */
struct record_global {
    uint64_t pc;
    uint32_t mask;
    uint32_t phase, round;
    uint16_t warp;
    uint8_t operation; /* OP_LOAD, OP_STORE, OP_ATOMIC, OP_ASYNC_LOAD */
    uint8_t bytes;
    uint64_t addr[RECORD_WARP];
};

struct record_launch_end {
    uint64_t blocks, recorded_blocks;
    uint64_t dropped; /* warp accesses of recorded blocks that were not handed over */
    uint32_t status;  /* a cudaError_t */
    uint32_t reason;  /* why blocks were left out: enum record_reason */
};
enum record_reason {
    RECORD_ALL,      /* none was */
    RECORD_ASKED,    /* --kernel, --launch, --blocks */
    RECORD_BUDGET,   /* of the launch */
    RECORD_LAUNCHES, /* enough launches of this kernel, or of all, were recorded before */
    RECORD_FAULTED,  /* the launch ended early */
    RECORD_GRAPH,    /* it is part of a CUDA graph */
};

/* Something that the recorder could not do. */
struct record_fault {
    uint64_t launch; /* number */
    uint64_t pc;
    char text[512];
};

#endif
