/* simt_traced.h - simt.h for CUDA with records: each thread writes its accesses to a device buffer
 * (device_buffer.h).
 *
 * Records make the code long, and nvcc takes minutes to compile it unrolled. Therefore this build has
 * constants only for the first SIMT_TRACED_SETS sets of BARE. That is none by default; a kernel whose
 * traced build is timed sets it before it includes kernel.h.
 */
#ifndef BANKSCOPE_SIMT_TRACED_H
#define BANKSCOPE_SIMT_TRACED_H

#include "instrument/device_buffer.h"
#include "instrument/simt_cuda.h"

#define SIMT_BUILD(name) simt_traced_##name
#define SIMT_WHERE , const __grid_constant__ struct simt_buffer simt_where
#define SIMT_THERE , simt_where
#define SIMT_COUNTER(name) reinterpret_cast<const void *>(name##_run<SIMT_COUNTING>)

/* One thread. */
struct simt {
    bool counting;    /* a constant of the kernel */
    unsigned threads; /* of a block; a constant where the set says it */
    const struct simt_buffer *buffer;
    uint64_t *record; /* of its row 0 */
    uint32_t *high;
    uint32_t fit; /* rows of this block for which there is room */
    int stage, round, slot;
    int fills;            /* so far */
    int accesses;         /* of the thread, since ROUND */
    uint32_t first, last; /* rows of the stage, cut to those that fit */
    int height;           /* rows of a round */
    bool packed;
    uint64_t farthest; /* counting: the latest round with an access, in the order of the trace */
    unsigned shared_used, dropped;
};

static __device__ __noinline__ void simt_report(const struct simt_buffer *buffer, int fault,
                                                int stage, int round)
{
    struct simt_totals *totals = buffer->totals;
    if (atomicCAS(&totals->fault, SIMT_FINE, fault) == SIMT_FINE) {
        totals->stage = stage;
        totals->round = round;
        totals->block = static_cast<int>(blockIdx.x);
        totals->thread = static_cast<int>(threadIdx.x);
    }
}

SIMT_INLINE void simt_rows_of(struct simt &s, int stage)
{
    struct simt_rows rows = s.buffer->rows[stage];
    uint32_t last = rows.first + static_cast<uint32_t>(rows.rounds * rows.height);
    s.first = rows.first;
    s.last = last < s.fit ? last : s.fit;
    s.height = rows.height;
    s.packed = rows.packed;
}

SIMT_INLINE void simt_begin(struct simt &s, bool counting, int threads,
                            const struct simt_buffer &buffer)
{
    s.threads = threads ? static_cast<unsigned>(threads) : blockDim.x;
    s.counting = counting;
    s.buffer = &buffer;
    s.stage = s.round = s.slot = s.fills = s.accesses = 0;
    s.farthest = 0;
    s.shared_used = s.dropped = 0;
    if (counting)
        return;
    uint64_t rows = buffer.row_count, first = blockIdx.x * rows;
    uint64_t room = buffer.room / s.threads;
    uint64_t at = first * s.threads + threadIdx.x;
    s.record = buffer.record + at;
    s.high = buffer.high ? buffer.high + at : NULL;
    s.fit = static_cast<uint32_t>(room <= first ? 0 : room - first < rows ? room - first : rows);
    simt_rows_of(s, 0);
}

SIMT_INLINE void simt_end(struct simt &s)
{
    if (s.dropped)
        atomicAdd(&s.buffer->totals->dropped, s.dropped);
}

SIMT_INLINE void simt_stage(struct simt &s, int stage)
{
    if (stage < 0 || stage >= s.buffer->stages) {
        simt_report(s.buffer, SIMT_BAD_STAGE, stage, 0);
        stage = 0;
    }
    s.stage = stage;
    s.round = s.slot = s.accesses = 0;
    if (!s.counting)
        simt_rows_of(s, stage);
}
#define STAGE(s) simt_stage(simt_, stage_##s)
#define ROUND(j) (simt_.round = (j), simt_.slot = simt_.accesses = 0)
#define SLOT(k) (simt_.slot = (k))

/* Makes sure that *most is at least `least`. */
SIMT_INLINE void simt_raise(int *most, int least)
{
    if (*static_cast<volatile int *>(most) < least)
        atomicMax(most, least);
}

/* The counting launch: how many rounds and slots are there? Returns the farthest round. (Not by a
 * pointer to struct simt, which would then live in memory.) */
static __device__ __noinline__ uint64_t simt_count(const struct simt_buffer *buffer, int stage,
                                                   int round, int slot, int accesses,
                                                   uint64_t farthest, int bytes)
{
    struct simt_rows *rows = &buffer->rows[stage];
    uint64_t here = static_cast<uint64_t>(stage) << 32 | static_cast<uint32_t>(round + 1);
    if (round < 0 || round >= buffer->max_rounds) {
        simt_report(buffer, SIMT_BAD_ROUND, stage, round);
    } else if (slot < 0 || slot >= buffer->max_slots) {
        simt_report(buffer, SIMT_BAD_SLOT, stage, round);
    } else {
        simt_raise(&rows->rounds, round + 1);
        simt_raise(&rows->slots, slot + 1);
        simt_raise(&rows->accesses, accesses + 1);
        if (accesses == 0 && here <= farthest)
            simt_raise(&rows->unordered, 1);
        if (bytes <= 8)
            simt_raise(&buffer->totals->widest, bytes);
    }
    return here > farthest ? here : farthest;
}

/* Records an access of `bytes` at a byte offset; `bits` is the value, as far as it fits. */
SIMT_INLINE void simt_record(struct simt &s, bool store, unsigned offset, int bytes, uint64_t bits,
                             char tag)
{
    if (s.counting) {
        if (tag < ' ' || tag > '~')
            simt_report(s.buffer, SIMT_BAD_TAG, s.stage, s.round);
        s.farthest = simt_count(s.buffer, s.stage, s.round, s.slot, s.accesses, s.farthest, bytes);
    } else {
        uint32_t row =
            s.first + static_cast<uint32_t>(s.round * s.height + (s.packed ? s.accesses : s.slot));
        if (row < s.last) {
            uint32_t log = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4;
            uint32_t what = SIMT_USED | static_cast<uint32_t>(tag & 127) << SIMT_TAG_SHIFT |
                            static_cast<uint32_t>(store) << SIMT_STORE_SHIFT |
                            log << SIMT_BYTES_SHIFT |
                            static_cast<uint32_t>(s.slot) % SIMT_PACKED_SLOTS << SIMT_SLOT_SHIFT |
                            (offset & ((UINT32_C(1) << SIMT_ADDR_BITS) - 1));
            uint64_t at = static_cast<uint64_t>(row) * s.threads;
            s.record[at] = bits << 32 | what;
            if (bytes == 8 && s.high)
                s.high[at] = static_cast<uint32_t>(bits >> 32);
        } else {
            s.dropped++;
        }
    }
    s.slot++;
    s.accesses++;
}

/* Byte offset of base[i] in *offset; false: not inside the launch's shared memory or misaligned,
 * and reported.
 * Checked while counting only: recording does the same accesses again. */
template <class T>
SIMT_INLINE bool simt_inside(struct simt &s, const T *base, int i, unsigned *offset)
{
    *offset = static_cast<unsigned>(__cvta_generic_to_shared(base)) -
              static_cast<unsigned>(__cvta_generic_to_shared(simt_memory)) +
              static_cast<unsigned>(i) * static_cast<unsigned>(sizeof(T));
    if (!s.counting)
        return true;
    bool inside = *offset < s.buffer->shared_bytes && sizeof(T) <= s.buffer->shared_bytes - *offset;
    if (inside && *offset % sizeof(T) == 0)
        return true;
    simt_report(s.buffer, inside ? SIMT_MISALIGNED : SIMT_OUTSIDE, s.stage, s.round);
    return false;
}

template <class T> SIMT_INLINE uint64_t simt_bits(const T &value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(T) < 8 ? sizeof(T) : 8);
    return bits;
}

template <class T> SIMT_INLINE T simt_load(struct simt &s, const T *base, int i, char tag)
{
    unsigned offset;
    T value = {};
    if (simt_inside(s, base, i, &offset)) {
        value = base[i];
        simt_record(s, false, offset, sizeof(T), simt_bits(value), tag);
    }
    return value;
}

template <class T, class V>
SIMT_INLINE void simt_store(struct simt &s, T *base, int i, const V v, char tag)
{
    const T value = static_cast<T>(v);
    unsigned offset;
    if (simt_inside(s, base, i, &offset)) {
        base[i] = value;
        simt_record(s, true, offset, sizeof(T), simt_bits(value), tag);
    }
}

/* A store in the stage that sets up; then the thread is where it was. */
template <class T, class V>
SIMT_INLINE void simt_fill(struct simt &s, T *base, int i, const V value)
{
    int stage = s.stage, round = s.round, slot = s.slot, accesses = s.accesses;
    if (s.counting && !s.buffer->has_setup)
        simt_report(s.buffer, SIMT_NO_SETUP, stage, round);
    simt_stage(s, 0);
    s.round = s.fills++;
    simt_store(s, base, i, value, ' ');
    simt_stage(s, stage);
    s.round = round;
    s.slot = slot;
    s.accesses = accesses;
}

/* The guarded words hold what they do on the host: zero. */
template <class T> SIMT_INLINE void simt_guard(struct simt &s, T *base, int first, int count)
{
    unsigned offset;
    if (threadIdx.x == 0)
        for (int i = first; i < first + count; i++)
            if (simt_inside(s, base, i, &offset))
                base[i] = T{};
}

SIMT_INLINE void simt_registers(struct simt &s, int count)
{
    if (count > SIMT_REGISTERS)
        simt_report(s.buffer, SIMT_MANY_REGISTERS, s.stage, s.round);
}

#define LOAD_TAG(base, i, tag) simt_load(simt_, (base), (i), (tag))
#define STORE_TAG(base, i, v, tag) simt_store(simt_, (base), (i), (v), (tag))
#define FILL(base, i, v) simt_fill(simt_, (base), (i), (v))
#define GUARD(base, first, count) simt_guard(simt_, (base), (first), (count))
#define REGISTERS(type, name, count)                                                               \
    type name[SIMT_REGISTERS];                                                                     \
    simt_registers(simt_, (count))

#endif
