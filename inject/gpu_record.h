/* gpu_record.h - what a patched kernel writes into a buffer of the GPU: the patches fill it, launches.c and
 * send.c read it.
 */
#ifndef BANKSCOPE_INJECT_GPU_RECORD_H
#define BANKSCOPE_INJECT_GPU_RECORD_H

#include <stdint.h>

enum { GPU_LANES = 32 };

enum gpu_kind {
    GPU_LOAD,
    GPU_STORE,
    GPU_ATOMIC,
    GPU_COPY,        /* asynchronous, from global to shared memory */
    GPU_MATRIX_LOAD, /* ldmatrix: each of the first 8 * matrices lanes gives the address of a row */
    GPU_MATRIX_STORE, /* stmatrix, likewise */
    GPU_GLOBAL_LOAD, /* of global memory: addr has the lower halves of addresses, and the next record is */
    GPU_GLOBAL_STORE, /* a GPU_HIGH */
    GPU_GLOBAL_ATOMIC,
    GPU_GLOBAL_COPY, /* what an asynchronous copy reads */
    GPU_BARRIER,     /* the warp has come to a barrier of its block; nothing else is set */
    GPU_HIGH,        /* addr has the upper halves for the record before */
    GPU_NOTHING,     /* a place that one record alone has left */
};

/* What the lanes of a warp did in one instruction. Records of one warp are in its order. */
struct gpu_record {
    uint64_t pc; /* of the instruction */
    uint32_t mask, block;
    uint16_t warp;
    uint8_t kind, bytes;      /* of each lane */
    uint32_t grid;            /* %gridid, its low half: of launches that share the records */
    uint32_t addr[GPU_LANES]; /* in bytes, of the lanes of mask; others undefined */
};

enum { GPU_SLOTS = 1024 }; /* launches that share a buffer, at most */

/* What a launch records into, or the launches of a CUDA graph together: which of a graph's nodes get which address of a
 * buffer is left to chance, so all get the same. */
struct gpu_buffer {
    unsigned long long used;               /* records asked for; those past `most` were dropped */
    unsigned long long dropped[GPU_SLOTS]; /* of the launch with this grid, modulo GPU_SLOTS */
    uint64_t most;                         /* room */
    uint64_t first, last;                  /* blocks to record */
    struct gpu_record *record;             /* on the device */
};

#endif
