/* cuda.h - the two CUDA builds of simt.h, and what cuda.cu must know of them.
 *
 * A kernel file is compiled twice by nvcc. Each build is a table, struct simt_build: the kernel for
 * any parameters, and one more for each parameter set of BARE, in which those numbers are constants
 * (so that loops unroll and arrays stay in registers, as in a kernel written for one size).
 *
 *   traced (-DSIMT_TRACED)  A first launch counts: which rounds and slots each stage has. A second
 *                           one records: each thread writes every access to its own place, at
 *                           (block, row, thread), where the rows of a stage are those of its
 *                           rounds in turn. There are no atomics on the way.
 *   bare (-DSIMT_BARE)      LOAD and STORE are plain accesses; of the rest no instruction is left.
 *
 * Records make code long, and unrolled it takes nvcc minutes; so the traced build has constants for
 * the first SIMT_TRACED_SETS sets only: none, unless a kernel whose traced build is timed says so
 * before it includes kernel.h.
 *
 * Shared arrays lie where the host backend puts them, so that addresses are equal. Accesses are
 * plain. (Volatile ones would stop nvcc from merging neighbouring words, but also from predicating
 * short branches; then the lanes of a warp drift apart, and each goes on alone.) What nvcc makes of
 * a set of constants is therefore to be checked by `bankscope verify` before it goes into BARE.
 */
#ifndef BANKSCOPE_CUDA_H
#define BANKSCOPE_CUDA_H

#include <stddef.h>
#include <stdint.h>

/* One build of one kernel; static data of the object that nvcc makes. */
struct simt_build {
    const void *const *run; /* its __global__ functions: [0] takes any parameters, [1 + i] only
                             * those of set i */
    const void *count;      /* traced: the one that counts, for any parameters; bare: NULL */
    const int *set;         /* sets rows of ints, as in the kernel's struct; ANY_VALUE: any */
    int sets, ints;
    /* Starts run[i] on the default stream; returns a cudaError. It is a function of the object
     * because a user's kernel is loaded with a CUDA runtime of its own, which alone knows it. */
    int (*launch)(const void *run, int blocks, int threads, size_t shared_bytes, void **arguments);
};

/* What the catalogue holds of a kernel. bare may be NULL. */
struct simt_cuda {
    const struct simt_build *traced, *bare;
};

enum { ANY_VALUE = INT32_MIN };

/* ---- records --------------------------------------------------------------------------------- */

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
    SIMT_BAD_TAG
};
enum { SIMT_REGISTERS = 256 };

/* What all threads add to. */
struct simt_totals {
    unsigned long long dropped, fills, fill_passes;
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
    unsigned shared_bytes;
    int max_rounds, max_slots;
    struct simt_rows *rows; /* per stage */
    struct simt_totals *totals;
};

#if defined(SIMT_TRACED) || defined(SIMT_BARE)
/* ---- the words of simt.h --------------------------------------------------------------------- */

#include <string.h>
#include <utility>

#define ANY ANY_VALUE

#define SIMT_INLINE static __device__ __forceinline__ __attribute__((unused))
#define DEVICE SIMT_INLINE
#define CONTEXT SIMT_UNUSED struct simt &simt_
#define UNROLL _Pragma("unroll")
/* A full warp has its own barrier; w threads that are none wait for the whole block. */
#define SYNC_WARP(w) ((w) == 32 ? __syncwarp() : __syncthreads())

#ifndef SIMT_TRACED_SETS
#define SIMT_TRACED_SETS 0
#endif
/* How many sets of P this build compiles. */
#ifdef SIMT_TRACED
#define SIMT_SETS(P)                                                                               \
    (int(simt_sets<P>::count) < SIMT_TRACED_SETS ? int(simt_sets<P>::count) : SIMT_TRACED_SETS)
#else
#define SIMT_SETS(P) int(simt_sets<P>::count)
#endif

/* All shared arrays of a block, one after another. */
extern __shared__ char simt_memory[];
/* The parameter sets of BARE(name, ..), as rows of ints; none unless it is given. */
template <class P> struct simt_sets {
    enum { ints = sizeof(P) / sizeof(int), count = 0 };
    static constexpr const int *first()
    {
        return NULL;
    }
};
#define BARE(name, ...)                                                                            \
    template <> struct simt_sets<struct name> {                                                    \
        enum { ints = sizeof(struct name) / sizeof(int) };                                         \
        static constexpr int set[][ints] = {__VA_ARGS__};                                          \
        enum {                                                                                     \
            count = sizeof set / sizeof set[0],                                                    \
            threads = offsetof(struct name, u) / sizeof(int)                                       \
        };                                                                                         \
        static constexpr const int *first()                                                        \
        {                                                                                          \
            return set[0];                                                                         \
        }                                                                                          \
    };

/* Instead of the number of a set: the kernel that counts. */
enum { SIMT_COUNTING = -2 };

/* The threads of a block of this set, or 0 where it does not say (ANY; 0: the kernel decides). */
template <class P, int SET> constexpr __host__ __device__ int simt_set_threads()
{
    if constexpr (SET >= 0) {
        constexpr int threads = simt_sets<P>::set[SET][simt_sets<P>::threads];
        return threads > 0 ? threads : 0;
    }
    return 0;
}
/* The most that they can be. */
template <class P, int SET> constexpr int simt_threads()
{
    return simt_set_threads<P, SET>() ? simt_set_threads<P, SET>() : 1024;
}

template <class P, int SET, int I> SIMT_INLINE void simt_fix_one(int *at)
{
    constexpr int value = simt_sets<P>::set[SET][I];
    if (value != ANY)
        at[I] = value;
}
template <class P, int SET, int... I>
SIMT_INLINE void simt_fix_all(int *at, std::integer_sequence<int, I...>)
{
    (simt_fix_one<P, SET, I>(at), ...);
}
/* The parameters, with what the set knows put in as constants. */
template <class P, int SET> SIMT_INLINE P simt_fix(P p)
{
    if constexpr (SET >= 0)
        simt_fix_all<P, SET>(reinterpret_cast<int *>(&p),
                             std::make_integer_sequence<int, simt_sets<P>::ints>{});
    return p;
}

static inline int simt_launch(const void *run, int blocks, int threads, size_t shared_bytes,
                              void **arguments)
{
    cudaError_t error = cudaSuccess;
    if (shared_bytes > 48 << 10)
        error = cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(shared_bytes));
    if (error == cudaSuccess)
        error =
            cudaLaunchKernel(run, dim3(static_cast<unsigned>(blocks)),
                             dim3(static_cast<unsigned>(threads)), arguments, shared_bytes, NULL);
    if (error != cudaSuccess)
        cudaGetLastError();
    return static_cast<int>(error);
}

#define KERNEL(name)                                                                               \
    SIMT_INLINE void name##_thread(struct simt &simt_, const struct name p, const int *in,         \
                                   int *out);                                                      \
    template <int SET>                                                                             \
    static __global__ void __launch_bounds__(simt_threads<struct name, SET>())                     \
        name##_run(const struct name p, const int *in, int *out SIMT_WHERE)                        \
    {                                                                                              \
        struct simt simt_;                                                                         \
        simt_begin(simt_, SET == SIMT_COUNTING, simt_set_threads<struct name, SET>() SIMT_THERE);  \
        name##_thread(simt_, simt_fix<struct name, SET>(p), in, out);                              \
        simt_end(simt_);                                                                           \
    }                                                                                              \
    template <int... SET>                                                                          \
    static const void *const *name##_runs(std::integer_sequence<int, SET...>)                      \
    {                                                                                              \
        static const void *const run[] = {reinterpret_cast<const void *>(name##_run<SET - 1>)...}; \
        return run;                                                                                \
    }                                                                                              \
    extern "C" {                                                                                   \
    extern const struct simt_build SIMT_BUILD(name);                                               \
    const struct simt_build SIMT_BUILD(name) = {                                                   \
        name##_runs(std::make_integer_sequence<int, SIMT_SETS(struct name) + 1>{}),                \
        SIMT_COUNTER(name),                                                                        \
        simt_sets<struct name>::first(),                                                           \
        SIMT_SETS(struct name),                                                                    \
        simt_sets<struct name>::ints,                                                              \
        simt_launch};                                                                              \
    }                                                                                              \
    SIMT_INLINE void name##_thread(SIMT_UNUSED struct simt &simt_,                                 \
                                   SIMT_UNUSED const struct name p, SIMT_UNUSED const int *in,     \
                                   SIMT_UNUSED int *out)

#define SHARED(type, name, count)                                                                  \
    type *name = static_cast<type *>(simt_shared(simt_, sizeof(type), (count)))
/* The next shared array. */
template <class S> SIMT_INLINE void *simt_shared(S &s, unsigned size, int count)
{
    unsigned start = (s.shared_used + size - 1) / size * size;
    s.shared_used = start + static_cast<unsigned>(count) * size;
    return simt_memory + start;
}

#ifdef SIMT_BARE
/* ---- bare ------------------------------------------------------------------------------------ */

#define SIMT_BUILD(name) simt_bare_##name
#define SIMT_WHERE
#define SIMT_THERE
#define SIMT_COUNTER(name) NULL

struct simt {
    unsigned shared_used;
};
SIMT_INLINE void simt_begin(struct simt &s, bool, int)
{
    s.shared_used = 0;
}
SIMT_INLINE void simt_end(struct simt &)
{
}
#define STAGE(s) ((void)(stage_##s))
#define ROUND(j) ((void)(j))
#define SLOT(k) ((void)(k))
#define GUARD(base, first, count) ((void)(first), (void)(count))
#define REGISTERS(type, name, count) type name[SIMT_REGISTERS]

/* No instruction comes of the asm: it says that the value is used here, or nvcc would put the load
 * off to where, and for which threads, its value is wanted. */
template <class T> SIMT_INLINE T simt_load(const T *at)
{
    T value = *at;
    if constexpr (sizeof(T) == 4)
        asm volatile("" : "+r"(value));
    else if constexpr (sizeof(T) == 8)
        asm volatile("" : "+l"(value));
    return value;
}
#define LOAD_TAG(base, i, tag) ((void)(tag), simt_load(&(base)[i]))
#define STORE_TAG(base, i, v, tag) ((void)(tag), (void)((base)[i] = (v)))
#define FILL(base, i, v) ((void)((base)[i] = (v)))

#else
/* ---- traced ---------------------------------------------------------------------------------- */

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
    s.stage = s.round = s.slot = s.accesses = 0;
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

/* Byte offset of base[i] in *offset; false: not inside the launch's shared memory, and reported.
 * Checked while counting only: recording does the same accesses again. */
template <class T>
SIMT_INLINE bool simt_inside(struct simt &s, const T *base, int i, unsigned *offset)
{
    *offset = static_cast<unsigned>(__cvta_generic_to_shared(base)) -
              static_cast<unsigned>(__cvta_generic_to_shared(simt_memory)) +
              static_cast<unsigned>(i) * static_cast<unsigned>(sizeof(T));
    if (!s.counting ||
        (*offset < s.buffer->shared_bytes && sizeof(T) <= s.buffer->shared_bytes - *offset))
        return true;
    simt_report(s.buffer, SIMT_OUTSIDE, s.stage, s.round);
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

/* Counted like the host's: once per warp, by its first thread. */
template <class T, class V>
SIMT_INLINE void simt_fill(struct simt &s, T *base, int i, const V value)
{
    unsigned offset;
    if (!simt_inside(s, base, i, &offset))
        return;
    base[i] = static_cast<T>(value);
    if (s.counting && threadIdx.x % static_cast<unsigned>(s.buffer->warp) == 0) {
        atomicAdd(&s.buffer->totals->fills, 1ull);
        atomicAdd(&s.buffer->totals->fill_passes, sizeof(T) > 4 ? sizeof(T) / 4 : 1ull);
    }
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
#endif
#endif
