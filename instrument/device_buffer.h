/* device_buffer.h - where a traced kernel records on the GPU: what the device's side (simt_traced.h)
 * writes and the host's side (cuda.cu) reads.
 *
 * The first launch counts the rounds and slots of each stage. The second one records: each thread
 * writes every access to its own place, at (block, row, thread), where the rows of a stage are those
 * of its rounds in turn. This needs no atomics.
 */
#ifndef BANKSCOPE_DEVICE_BUFFER_H
#define BANKSCOPE_DEVICE_BUFFER_H

#include <stdint.h>

/* A record is 64 bits: what the low half of the value is, above
 *   bits 0-17 the byte address, 18-19 the slot, 20-22 log2 of the bytes, 23 store, 24-30 the tag,
 *   31 always set.
 * The slot counts only in a packed stage. Upper halves of 8-byte values lie apart; the values of
 * 16-byte accesses are not recorded. */
enum {
    SIMT_ADDR_BITS = 18,
    SIMT_SLOT_SHIFT = 18,
    SIMT_PACKED_SLOTS = 4,
    SIMT_BYTES_SHIFT = 20,
    SIMT_STORE_SHIFT = 23,
    SIMT_TAG_SHIFT = 24,
};
#define SIMT_USED UINT32_C(0x80000000)

/* Rows of a stage: round r has `height` of them from first + r * height on. In a packed stage, the
 * k-th access of a thread in the round is in row k, whatever its slot: lanes that take one branch
 * and lanes that take the other fill a row together, and memory is written in whole sectors. In
 * any other stage the access of slot k is in row k. */
struct simt_rows {
    uint32_t first;
    int32_t rounds, slots; /* one more than the highest */
    int32_t accesses;      /* the most that a thread makes in a round */
    int32_t unordered;     /* 1: some thread goes back to a round, or begins one twice */
    int32_t packed, height;
};

/* Why a thread stopped recording. */
enum simt_fault {
    SIMT_FINE,
    SIMT_BAD_STAGE,      /* not one of the kernel's stages */
    SIMT_BAD_ROUND,      /* below 0 or too large */
    SIMT_BAD_SLOT,       /* too many in a round */
    SIMT_OUTSIDE,        /* an access outside the shared memory of the launch */
    SIMT_MANY_REGISTERS, /* REGISTERS of more than SIMT_REGISTERS */
    SIMT_BAD_TAG,
    SIMT_NO_SETUP,   /* FILL, but the first stage is not its */
    SIMT_MISALIGNED, /* an address that is no multiple of the access's bytes */
};

/* What all threads add to. */
struct simt_totals {
    unsigned long long dropped;
    int widest;                             /* bytes of the widest access whose value is recorded */
    int fault, stage, round, block, thread; /* of the first fault */
};

/* Where a traced kernel records. The one that counts needs only what comes after row_count. */
struct simt_buffer {
    uint64_t *record; /* [block][row][thread] */
    uint32_t *high;   /* the same shape, or NULL: no value has more than four bytes */
    uint64_t room;    /* records */
    uint32_t row_count;
    int stages, warp;
    int has_setup; /* the first stage is FILL's */
    unsigned shared_bytes;
    int max_rounds, max_slots;
    struct simt_rows *rows; /* per stage */
    struct simt_totals *totals;
};

#endif
