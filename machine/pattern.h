/* pattern.h - where the lanes of a load or a store are, seen from the first of them. An instruction that is executed
 * again mostly has the pattern of the last time, a row or a column further on. What follows from it is worked out
 * once: how far it reaches, which lanes are side by side, and what it costs. operations/pattern.inc does this; here is
 * also what counts such a cost (count.c).
 *
 *     tile[threadIdx.y][k], blocks of 16 x 16    distances 0 (16 times), 64 (16 times): 2 runs of a lane that 15 others
 *                                                are with
 *     tile[k][threadIdx.x]                       distances 0, 4, ... 60, twice: 2 runs of 16 lanes
 */
#ifndef BANKSCOPE_MACHINE_PATTERN_H
#define BANKSCOPE_MACHINE_PATTERN_H

#include "machine/step.h"

enum { PATTERN_LANES = 32 };

/* What an access costs: of shared memory in passes, of global memory in sectors. */
struct access_cost {
    uint32_t key; /* what it depends on, beside the lanes' distances; 0: not known */
    uint32_t passes, conflicts, ways, estimate;
};
/* The cost of the last time, with the distances that lanes had then. */
struct memo {
    uint32_t delta[MACHINE_LANES];
    uint64_t mask;
    struct access_cost cost;
};

/* Lanes side by side that touch memory side by side; or one, and which lanes behind it touch the same. */
struct lane_run {
    uint8_t lane, lanes;
    uint32_t same;
};

/* An access of a worker's. Lanes that take no part have distance 0. */
struct pattern {
    uint64_t mask;                 /* 0: there was none yet */
    uint32_t delta[PATTERN_LANES]; /* from the first lane's address, signed */
    int64_t low, high;             /* the least and the greatest */
    uint32_t bits;                 /* all that are set in any */
    bool is_row;                   /* all lanes, each behind the one before */
    bool scattered;                /* it has many runs */
    int runs;                      /* 0: not looked at yet */
    struct lane_run run[PATTERN_LANES];
    struct access_cost cost;
};

/* ---- count.c: what an access costs -------------------------------------------------------------- */

static inline void count_add(struct machine_count *count, const struct access_cost *cost,
                             uint64_t mask)
{
    count->instructions++;
    count->lanes += (uint64_t)__builtin_popcountll(mask);
    count->passes += cost->passes;
    count->conflicts += cost->conflicts;
    count->estimates += cost->estimate;
    if (cost->ways > count->max_ways)
        count->max_ways = cost->ways;
}

/* The address of the first lane, of shared memory. */
static inline void count_reach(struct machine_count *count, uint32_t first)
{
    if (!count->instructions || first < count->low)
        count->low = first;
    if (first > count->high)
        count->high = first;
}

/* What an access costs beside its lanes and their distances; never 0. */
static inline uint32_t count_shared_key(enum op op, uint32_t first, int bytes, int bank_bytes)
{
    return (first & (uint32_t)(bank_bytes - 1)) | (uint32_t)bytes << 4 | (uint32_t)op << 12 |
           1u << 31;
}

static inline uint32_t count_global_key(enum op op, uint32_t first, int bytes)
{
    const uint32_t place = op == OP_ASYNC_LOAD_CG ? LINE_BYTES : SECTOR_BYTES;
    return (first & (place - 1)) | (uint32_t)bytes << 8 | (uint32_t)op << 16 | 1u << 31;
}

/* A shared access of lanes, each at its address, by the bank model (doc/bank-model.md). */
void count_shared(struct warp *warp, int number, enum op op, uint64_t mask, const uint64_t *address,
                  int bytes);
/* A global one, in sectors of 32 bytes. */
void count_global(struct warp *warp, int number, enum op op, uint64_t mask, const uint64_t *address,
                  int bytes);
/* What it costs, but for the key; nothing is counted. */
void count_cost(const struct machine_run *run, bool global, enum op op, uint64_t mask,
                const uint64_t *address, int bytes, struct access_cost *cost);
/* One of local memory: how many. */
void count_local(struct warp *warp, int number, uint64_t mask);
/* One on shared memory of other blocks: a pass, whatever its addresses. */
void count_remote_atomic(struct warp *warp, int number, uint64_t mask);

#endif
