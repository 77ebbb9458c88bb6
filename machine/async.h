/* async.h - operands of mbarriers, bulk copies and tensor maps: step->extra of their steps. */
#ifndef BANKSCOPE_MACHINE_ASYNC_H
#define BANKSCOPE_MACHINE_ASYNC_H

#include "machine/step.h"

/* ---- mbarriers ------------------------------------------------------------------------------------ */

enum mbarrier_kind {
    MBARRIER_INIT,
    MBARRIER_INVAL,
    MBARRIER_ARRIVE,
    MBARRIER_DROP,        /* arrives, and is not expected again */
    MBARRIER_EXPECT,      /* bytes */
    MBARRIER_COMPLETE,    /* bytes */
    MBARRIER_COPIES,      /* the thread's copies come once more than threads are expected */
    MBARRIER_WAIT,        /* for the phase of a state */
    MBARRIER_WAIT_PARITY, /* for a phase of that parity */
};
/* step->a: the address, b: a count, a number of bytes, a state or a parity (0: none), d: the state before, f: whether
 * the phase is over. */
struct mbarrier_step {
    struct access access;
    enum mbarrier_kind kind;
    bool expects; /* b: bytes that are expected, before one arrives */
    bool copies;  /* of copies of the thread that are not waited for */
};

/* What this machine keeps in the 64 bits; those of a GPU are not documented. */
struct mbarrier_state {
    uint32_t pending,
        expected;   /* threads that are still to come in this phase, that come in each */
    int32_t bytes;  /* that are still to come */
    uint32_t phase; /* modulo 8 */
};

/* ---- bulk copies ----------------------------------------------------------------------------------- */

enum { TENSOR_DIMENSIONS = 5 };
/* step->a: where to, b: from where, c: bytes, e: the mbarrier; of a tensor's copy a or b is the map. */
struct bulk_copy {
    enum ptx_space to, from; /* shared or global memory, or PTX_GENERIC */
    bool wide_to, wide_from, wide_barrier;
    int64_t to_offset, from_offset, barrier_offset;
    bool completes;    /* on an mbarrier, else in a group of the thread */
    bool prefetches;   /* nothing moves */
    bool reduces;      /* rather than stores: */
    uint32_t rule;     /* atomic_kind */
    int element_bytes; /* of a reduction */
    uint32_t mask;     /* register of 16 bits: the ranks that it goes to; 0: it goes to one */
    int dimensions;    /* of a tensor; 0: bytes in a row */
    uint32_t coordinate[TENSOR_DIMENSIONS];
    bool columns;         /* im2col */
    uint32_t offset[3];   /* registers of 16 bits: from each pixel, of dimensions 1 on; 0: none */
    struct access access; /* what is written to or read from shared memory */
};
/* st.async, red.async: step->a: where to, e: the mbarrier. */
struct async_store {
    struct access access; /* its registers */
    bool wide_barrier, reduces;
    int64_t barrier_offset;
    uint32_t rule;
};

/* ---- tensor.c ---------------------------------------------------------------------------------------- */

/* What the 128 bytes of a tensor map say; they are this machine's own, and a program only carries them. But CUTLASS clears
 * bit 21 of the second word, for small tensors, to go round a fault of older drivers. */
struct tensor_map {
    uint64_t magic; /* TENSOR_MAGIC */
    uint64_t second;
    uint64_t address;
    uint64_t stride[4]; /* bytes, of dimensions 1 to 4 */
    uint32_t size[5];   /* elements */
    uint16_t box[5];
    uint8_t step[5];
    uint8_t rank, type, bytes; /* enum machine_tensor_type; of an element */
    uint8_t swizzle;           /* enum machine_tensor_swizzle */
    uint8_t fill;              /* 1: outside of it are NaNs, not zeros */
    uint8_t columns;           /* im2col: so many pixels of box[0] channels, not a box */
    uint8_t unused;
    uint16_t pixels;
    int16_t lower[3], upper[3];
    uint8_t rest[10];
};
#define TENSOR_MAGIC UINT64_C(0x70616d726f736e74)

/* tensormap.replace: step->a: where the map is, b: the value. */
enum tensor_field {
    TENSOR_ADDRESS,
    TENSOR_RANK,
    TENSOR_BOX,
    TENSOR_SIZE,
    TENSOR_STRIDE,
    TENSOR_STEP,
    TENSOR_TYPE,
    TENSOR_INTERLEAVE,
    TENSOR_SWIZZLE,
    TENSOR_FILL
};
struct tensor_change {
    enum ptx_space space;
    bool wide, wide_value; /* registers of 64 bits */
    enum tensor_field field;
    int ordinal; /* the dimension; of strides, less 1 */
};
/* tensormap.cp_fenceproxy: step->a: where to, in global memory, b: from where, in shared memory. */
struct tensor_publish {
    bool wide_to, wide_from;
    int64_t to_offset, from_offset;
};

/* A row of the box: its place in shared memory (before swizzling), in global memory, and which of its elements are
 * inside of the tensor. */
struct tensor_row {
    uint32_t at;   /* from the box's first byte */
    bool inside;   /* whether any element is */
    uint64_t from; /* address of the first element of the row, inside or not */
    int first, count, elements;
};
struct tensor_walk {
    const struct tensor_map *map;
    int64_t start[5]; /* of columns: where the pixel is */
    uint32_t index[5], length[5];
    uint32_t at;
    uint16_t offset[3];
    bool over;
};
/* offset: of columns, from each pixel in dimensions 1 on. */
void tensor_begin(struct tensor_walk *walk, const struct tensor_map *map, const int32_t *start,
                  const uint16_t *offset);
/* false: there are no more rows. */
bool tensor_next(struct tensor_walk *walk, struct tensor_row *row);
/* Whether a map is one that machine_tensor_encode might have made, whatever bytes it is. */
bool tensor_check(const struct tensor_map *map, struct error *error);
/* 0: there is no such type. */
uint8_t tensor_element_bytes(int type);
/* Bytes of a box that an mbarrier is told of; those from its first to its last in shared memory. */
uint32_t tensor_bytes(const struct tensor_map *map);
uint32_t tensor_room(const struct tensor_map *map);
/* Where a byte lies in shared memory under the map's swizzle. */
static inline uint64_t tensor_swizzled(uint64_t address, int swizzle)
{
    return address ^ (address >> 3 & (swizzle ? (16u << swizzle) - 16 : 0));
}
/* Elements that are outside of the tensor. */
void tensor_fill(const struct tensor_map *map, uint8_t *to, int elements);
/* What happens to elements on their way to shared memory: types of 32 bits may be rounded. */
void tensor_round(const struct tensor_map *map, uint8_t *elements, int count);

#endif
