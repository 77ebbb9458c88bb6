/* simt_cuda.h - what the two CUDA builds of simt.h have in common; simt_traced.h and simt_bare.h
 * include it.
 *
 * Shared arrays lie where the host backend puts them, so that addresses are equal. Accesses are
 * plain. (Volatile ones would stop nvcc from merging neighbouring words, but also from predicating
 * short branches; then the lanes of a warp diverge, and each continues alone.) Before you put a set of
 * constants into BARE, check what nvcc makes of it with `bankscope verify`.
 */
#ifndef BANKSCOPE_SIMT_CUDA_H
#define BANKSCOPE_SIMT_CUDA_H

#include <string.h>
#include <utility>

#include "instrument/cuda.h"

#define ANY ANY_VALUE

#define SIMT_INLINE static __device__ __forceinline__ __attribute__((unused))
#define DEVICE SIMT_INLINE
#define CONTEXT SIMT_UNUSED struct simt &simt_
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
enum { SIMT_REGISTERS = 256 }; /* the most that REGISTERS gives */
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

#define SHARED_PTR(type) type *
#define SHARED_AT(base, i) ((base) + (i))
#define SHARED(type, name, count)                                                                  \
    type *name = static_cast<type *>(simt_shared(simt_, simt_element<type>(), (count)))
/* The bytes of an element. */
template <class T> constexpr __device__ unsigned simt_element()
{
    constexpr unsigned size = sizeof(T);
    static_assert(size == 1 || size == 2 || size == 4 || size == 8 || size == 16,
                  "a SHARED array has elements of 1, 2, 4, 8 or 16 bytes");
    return size;
}
/* The next shared array. */
template <class S> SIMT_INLINE void *simt_shared(S &s, unsigned size, int count)
{
    unsigned start = (s.shared_used + size - 1) / size * size;
    s.shared_used = start + static_cast<unsigned>(count) * size;
    return simt_memory + start;
}

#endif
