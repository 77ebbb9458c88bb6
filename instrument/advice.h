/* advice.h - layouts of shared arrays that have fewer bank conflicts.
 *
 *     struct advice advice = {0};
 *     ... run or read a trace into advice_sink(&advice) ...
 *     advice_search(&advice, &error);
 *     for each advice.array[i]: its cost today, and array[i].row[], the best layout first
 *     advice_free(&advice);
 *
 * A layout says where each unit of an array goes: it is a function from indices to indices. Its cost
 * is not an estimate, because a recording has all addresses: every recorded access of the array, load
 * or store, is moved, and the bank model computes its cost again.
 */
#ifndef BANKSCOPE_ADVICE_H
#define BANKSCOPE_ADVICE_H

#include "instrument/model.h"

/* Where unit i of an array goes. In this order: first the indices are exchanged, then units are
 * swizzled, then padded; 0 leaves a step out.
 *     exchanged, columns = 5, rows = 12     i becomes i % 5 * 12 + i / 5: (r, c) becomes (c, r), in each 60 units;
 *                inner = 7                  of 7 units each: (r, c, k) becomes (c, r, k)
 *     swizzled, every = 32, mask = 31       i becomes i ^ (i / 32 & 31); mask + 1 divides every
 *     padded, every = 32, padding = 1       i becomes i + i / 32 * 1
 */
struct layout {
    int unit; /* bytes that stay together: those of the widest access, and of a bank's word */
    uint32_t columns, rows, inner; /* inner 0: 1 */
    uint32_t every;
    uint32_t mask, padding;
};
uint32_t layout_index(const struct layout *layout, uint32_t i);
/* How many units an array of `units` units takes in the layout. */
uint32_t layout_units(const struct layout *layout, uint32_t units);

/* What an array's accesses cost in a layout. */
struct advice_row {
    struct layout layout;
    uint64_t passes, conflicts; /* of all accesses that touch the array */
    uint64_t irregular;         /* of the conflicts: those of accesses whose lanes' addresses follow
                                 * no pattern, as when data decides where a lane reads */
    int64_t extra_bytes;        /* that the array grows by */
};

enum { ADVICE_ROWS = 3 }; /* the best that pads, the best that swizzles, the best that exchanges */
struct advice_array {
    struct trace_array array; /* a copy; without a name where the recording names no arrays: then
                               * it is the whole shared memory */
    int narrowest;            /* bytes of the narrowest access */
    uint64_t warp_accesses;   /* that touch it */
    struct advice_row today;
    int rows; /* layouts that cost less than today's, fewest passes first */
    struct advice_row row[ADVICE_ROWS];
};

struct advice {
    struct trace_header header;
    struct trace_end end;
    int arrays; /* that were accessed, in order of address */
    struct advice_array *array;
    /* Private: the different warp accesses, each once. */
    struct advice_access *access;
    size_t accesses, access_room;
    uint8_t *lane;
    uint32_t *addr;
    size_t lanes, lane_room, addr_room;
    struct hash_index index; /* of access */
};

/* Collects a trace into empty advice ({0}). Accesses that differ only in place and value are kept
 * once: memory grows with the number of different accesses. */
struct trace_sink advice_sink(struct advice *advice);
/* Searches the layouts of every array. false: out of memory. */
bool advice_search(struct advice *advice, struct error *error);
void advice_free(struct advice *advice);

/* How to write a layout in CUDA: the declaration ("float tile[32][33]") and an access with indices
 * as the programmer has them ("tile[y][x ^ (y & 31)]"), each cut to `room` bytes. */
void advice_write(const struct advice_array *array, const struct layout *layout, char *declaration,
                  char *access, size_t room);
/* Whether the layout has a declaration with the array's own indices or members: "float t[8][32][33]; then
 * t[z][y][x]". */
bool advice_is_plain(const struct advice_array *array, const struct layout *layout);
/* "1 word after every 32", "swizzled by rows of 32"; for a table. */
void advice_describe(const struct advice_array *array, const struct layout *layout, char *text,
                     size_t room);

/* How many blocks of that many threads and bytes of shared memory fit a multiprocessor at a time, as far as these
 * two decide; registers may allow fewer. One row for each size of shared memory that multiprocessors have. */
enum { MULTIPROCESSORS = 4 };
extern const struct multiprocessor {
    int kilobytes;       /* of shared memory for blocks */
    int threads, blocks; /* at most */
    int reserved;        /* bytes of each block's that the system takes */
} multiprocessors[MULTIPROCESSORS];
int multiprocessor_blocks(const struct multiprocessor *of, int threads, int64_t shared_bytes);

/* A sink that moves the accesses of one array to a layout and hands the trace on: the recording as
 * it would have been. Arrays behind it move up. Both `to` and the array outlive it. */
struct layout_move {
    const struct advice_array *array;
    struct layout layout;
    struct trace_sink to;
    int64_t extra; /* private, as are these: */
    struct trace_header header;
};
struct trace_sink layout_move_sink(struct layout_move *move);
void layout_move_free(struct layout_move *move);

#endif
