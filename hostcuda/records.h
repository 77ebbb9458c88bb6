/* records.h - what the engine, in the user's program, tells the bankscope process (ring.h is the way).
 *
 * It is a stream of records: a head, then head.bytes of the struct of its kind, in the byte order of
 * the machine, because both ends run on it. The reader must accept any bytes, because the program may
 * write to all of its memory.
 *
 *     launch, { block, { access... }, end of block }..., end of launch
 *
 * and faults anywhere.
 */
#ifndef BANKSCOPE_HOSTCUDA_RECORDS_H
#define BANKSCOPE_HOSTCUDA_RECORDS_H

#include <stdint.h>

enum {
    RECORDS_VERSION = 4,
    RECORD_WARP = 32,         /* lanes of a warp */
    RECORD_MOST = 64 << 10,   /* bytes of a record behind its head */
    RECORD_NAME = 1024,       /* bytes of a kernel's name, the null included */
    RECORD_DYNAMIC = 1 << 30, /* first address of dynamic shared memory */
    RECORD_STAGES = 255,      /* names of stages, and the largest of their numbers */
    RECORD_STAGE_NAME = 64,   /* bytes of one, the null included */
    RECORD_CALLERS = 3,       /* return addresses that come with a place, 0: none */
};

/* What the engine is asked for: environment variables, unset for the default. */
#define RECORDS_RING "BANKSCOPE_RING" /* file descriptor of a ring; unset: nothing is recorded */
#define RECORDS_KERNEL "BANKSCOPE_KERNEL"   /* extended regular expression for names */
#define RECORDS_LAUNCH "BANKSCOPE_LAUNCH"   /* number of the only launch */
#define RECORDS_BLOCKS "BANKSCOPE_BLOCKS"   /* A-B, the blocks of each launch */
#define RECORDS_VALUES "BANKSCOPE_VALUES"   /* 1: with values */
#define RECORDS_SECONDS "BANKSCOPE_SECONDS" /* how long a launch may take */
#define RECORDS_CUBINS "BANKSCOPE_CUBINS"   /* on a GPU: folder for the program's machine code */
#define RECORDS_MOST "BANKSCOPE_MOST"       /* on a GPU: most accesses of warps in a launch */
/* Seconds: for so long, blocks that are not recorded are checked. For tests. */
#define RECORDS_WATCHED "BANKSCOPE_WATCHED"
#define RECORDS_BOX "BANKSCOPE_BOX" /* 1: no system calls from the beginning (record/calls.c) */

/* Addresses that the engine reserves. */
#define RECORDS_RESERVED (UINT64_C(5) << 34)

#define RECORD_UNNUMBERED UINT32_MAX

enum record_kind {
    RECORD_START = 0x42530001, /* struct record_start */
    RECORD_LAUNCH,             /* struct record_launch */
    RECORD_BLOCK,              /* struct record_block */
    RECORD_ACCESS,             /* struct record_access, cut behind the last lane */
    RECORD_BLOCK_END,          /* nothing */
    RECORD_LAUNCH_END,         /* struct record_launch_end */
    RECORD_FAULT,              /* struct record_fault */
    RECORD_EXIT,               /* nothing: the program ends as programs do */
    RECORD_STAGE,              /* struct record_stage, before the first access of that stage */
    RECORD_FUNCTION, /* struct record_function: of a program on a GPU, before its launches */
};

struct record_head {
    uint32_t kind, bytes;
};

struct record_start {
    uint32_t version, values;
};

struct record_launch {
    uint64_t number; /* from 0, in the program's order */
    uint64_t kernel; /* address of its code, 0: unknown */
    uint32_t grid[3], block[3];
    uint32_t dynamic_bytes; /* of shared memory */
    uint32_t line;          /* where it was launched; 0: unknown */
    char name[RECORD_NAME];
};

struct record_block {
    uint64_t index; /* x + gridDim.x * (y + gridDim.y * z) */
};

/* A stage that the program named. */
struct record_stage {
    uint32_t number; /* 1, 2, ... */
    char name[RECORD_STAGE_NAME];
};

/* Where code lies that a GPU runs. */
struct record_function {
    uint64_t pc, bytes;     /* of its first instruction; of its code */
    uint32_t module;        /* MODULE.cubin in the folder that was asked for */
    char name[RECORD_NAME]; /* as the cubin has it */
};

/* One warp access. Lanes are those of mask, ascending; each has its address in addr and, if there
 * are values, the first 8 bytes at it, which follow behind the last address (aligned to 8). */
struct record_access {
    uint64_t
        pc; /* behind the access: return address of the hook, or the next byte of a GPU's code */
    uint32_t caller[RECORD_CALLERS];
    uint32_t mask; /* of lanes, not 0 */
    uint32_t phase, round, slot;
    uint32_t stage;  /* that the program named, 0: none */
    uint32_t number; /* of the round, as the program counts; RECORD_UNNUMBERED */
    uint16_t warp;
    uint8_t operation;          /* HOSTCUDA_LOAD, ... */
    uint8_t bytes;              /* of each lane: 1, 2, 4, 8 or 16 */
    uint32_t addr[RECORD_WARP]; /* bytes from the start of the segment, or RECORD_DYNAMIC + bytes */
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
    RECORD_GRAPH,    /* on a GPU: it is part of a CUDA graph */
};

/* What the checker or the engine found. */
enum fault_kind {
    FAULT_RACE,
    FAULT_BOUNDS,
    FAULT_UNWRITTEN,
    FAULT_FREED,
    FAULT_DIVERGENCE, /* threads of a block wait at different barriers, or some have returned */
    FAULT_LANES,      /* a warp operation names lanes that do not come */
    FAULT_DEADLOCK,
    FAULT_ENDLESS,
    FAULT_CRASH, /* a signal */
    FAULT_STACK, /* overflow */
    FAULT_ASSERT,
    FAULT_TRAP,
    FAULT_EXIT,     /* the kernel ended the program */
    FAULT_ARGUMENT, /* of a function of the runtime, by the host */
    FAULT_MISALIGNED,
    FAULT_HOST_MEMORY, /* a kernel used a pointer to the host's memory */
    FAULT_LEAK,        /* at exit: bytes, in size, of count allocations */
    FAULT_OTHER,       /* text says all */
    FAULT_KINDS
};

struct record_thread {
    uint64_t pc; /* 0: unknown */
    uint32_t caller[RECORD_CALLERS];
    uint32_t thread[3], block[3];
    uint8_t operation;
    uint8_t known; /* 0: there is no such party */
};

struct record_fault {
    uint32_t kind;   /* enum fault_kind */
    uint32_t space;  /* enum fault_space */
    uint64_t launch; /* number; UINT64_MAX: none */
    uint64_t address, size, count;
    uint64_t base, length; /* of the allocation next to it, length 0: none */
    struct record_thread who, other;
    char text[512];
};
/* SPACE_VARIABLE: base and length are of a variable, whose name is the text. */
enum fault_space { SPACE_NONE, SPACE_SHARED, SPACE_DYNAMIC, SPACE_GLOBAL, SPACE_VARIABLE };

/* What is known of the whole run at its end. */
struct record_exit {
    uint64_t launches;
    uint64_t unwatched; /* launches whose unrecorded blocks were not checked, to save time */
    uint32_t strangers; /* 1: other processes have launched kernels, too, which are not recorded */
    uint32_t left;      /* 1: it ended without this record, by _exit or as another program */
};

#endif
