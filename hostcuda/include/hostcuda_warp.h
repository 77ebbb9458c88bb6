/* hostcuda_warp.h - what threads do together: barriers, votes, shuffles, fences; and what a thread
 * may ask or say. The lanes of the mask meet in the engine and get what others handed in. */
#ifndef HOSTCUDA_WARP_H
#define HOSTCUDA_WARP_H

#include "vector_types.h"
#include <string.h>
#include <time.h>

/* ---- barriers and fences ------------------------------------------------------------------------- */

HOSTCUDA_INLINE void __syncthreads()
{
    hostcuda_sync_block(HOSTCUDA_SYNC_PLAIN, 0);
}
HOSTCUDA_INLINE int __syncthreads_count(int predicate)
{
    return hostcuda_sync_block(HOSTCUDA_SYNC_COUNT, predicate);
}
HOSTCUDA_INLINE int __syncthreads_and(int predicate)
{
    return hostcuda_sync_block(HOSTCUDA_SYNC_AND, predicate);
}
HOSTCUDA_INLINE int __syncthreads_or(int predicate)
{
    return hostcuda_sync_block(HOSTCUDA_SYNC_OR, predicate);
}
HOSTCUDA_INLINE void __barrier_sync(unsigned barrier)
{
    hostcuda_sync_named((int)barrier, 0);
}
HOSTCUDA_INLINE void __barrier_sync_count(unsigned barrier, unsigned threads)
{
    hostcuda_sync_named((int)barrier, (int)threads);
}
HOSTCUDA_INLINE void __syncwarp(unsigned mask = 0xffffffff)
{
    hostcuda_sync_warp(mask);
}
HOSTCUDA_INLINE void __threadfence_block()
{
    hostcuda_fence(HOSTCUDA_FENCE_BLOCK);
}
HOSTCUDA_INLINE void __threadfence()
{
    hostcuda_fence(HOSTCUDA_FENCE_DEVICE);
}
HOSTCUDA_INLINE void __threadfence_system()
{
    hostcuda_fence(HOSTCUDA_FENCE_SYSTEM);
}
HOSTCUDA_INLINE void __nanosleep(unsigned)
{
    hostcuda_yield();
}

/* ---- votes ------------------------------------------------------------------------------------------ */

HOSTCUDA_INLINE unsigned __activemask()
{
    return hostcuda_active();
}

HOSTCUDA_INLINE unsigned __ballot_sync(unsigned mask, int predicate)
{
    return hostcuda_ask(mask, predicate).yes;
}
HOSTCUDA_INLINE int __any_sync(unsigned mask, int predicate)
{
    return hostcuda_ask(mask, predicate).yes != 0;
}
HOSTCUDA_INLINE int __all_sync(unsigned mask, int predicate)
{
    hostcuda_vote vote = hostcuda_ask(mask, predicate);
    return vote.yes == vote.came;
}
HOSTCUDA_INLINE int __uni_sync(unsigned mask, int predicate)
{
    hostcuda_vote vote = hostcuda_ask(mask, predicate);
    return vote.yes == vote.came || vote.yes == 0;
}

/* ---- shuffles ------------------------------------------------------------------------------------------ */

/* Where a lane reads, in sections of `width` lanes; a lane whose source is outside of its section
   reads itself, except that __shfl_sync counts sources modulo the width. */
HOSTCUDA_QUIET static unsigned hostcuda_source(int kind, int operand, int width)
{
    int lane = (int)hostcuda_lane, first = lane & ~(width - 1), last = first + width - 1, source;
    switch (kind) {
    case 0: /* idx */
        return (unsigned)(first + (operand & (width - 1)));
    case 1: /* up */
        source = lane - operand;
        return (unsigned)(source < first ? lane : source);
    case 2: /* down */
        source = lane + operand;
        return (unsigned)(source > last ? lane : source);
    default: /* xor: earlier sections may be read */
        source = lane ^ operand;
        return (unsigned)(source > last || source < 0 ? lane : source);
    }
}
/* The value of a lane; of one that did not come, the reader's own: CUDA promises nothing there. */
template <typename T>
HOSTCUDA_INLINE T hostcuda_read(unsigned mask, const T &value, unsigned source)
{
    alignas(T) unsigned char memory[sizeof(T)];
    hostcuda_receive(mask, &value, sizeof value, source, memory);
    return *reinterpret_cast<T *>(memory);
}
template <typename T>
HOSTCUDA_INLINE T hostcuda_shuffle(unsigned mask, T value, int kind, int operand, int width)
{
    static_assert(sizeof(T) <= 64, "a shuffle takes up to 64 bytes");
    return hostcuda_read(mask, value, hostcuda_source(kind, operand, width));
}
template <typename T>
HOSTCUDA_INLINE T __shfl_sync(unsigned mask, T value, int source, int width = 32)
{
    return hostcuda_shuffle(mask, value, 0, source, width);
}
template <typename T>
HOSTCUDA_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    return hostcuda_shuffle(mask, value, 1, (int)umin(delta, 32), width);
}
template <typename T>
HOSTCUDA_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    return hostcuda_shuffle(mask, value, 2, (int)umin(delta, 32), width);
}
template <typename T>
HOSTCUDA_INLINE T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32)
{
    return hostcuda_shuffle(mask, value, 3, lanes, width);
}

/* As they were before CUDA 9, without a mask: among the lanes that are here. */
template <typename T> HOSTCUDA_INLINE T __shfl(T value, int source, int width = 32)
{
    return hostcuda_shuffle(hostcuda_active(), value, 0, source, width);
}
template <typename T> HOSTCUDA_INLINE T __shfl_up(T value, unsigned delta, int width = 32)
{
    return hostcuda_shuffle(hostcuda_active(), value, 1, (int)umin(delta, 32), width);
}
template <typename T> HOSTCUDA_INLINE T __shfl_down(T value, unsigned delta, int width = 32)
{
    return hostcuda_shuffle(hostcuda_active(), value, 2, (int)umin(delta, 32), width);
}
template <typename T> HOSTCUDA_INLINE T __shfl_xor(T value, int lanes, int width = 32)
{
    return hostcuda_shuffle(hostcuda_active(), value, 3, lanes, width);
}
HOSTCUDA_INLINE unsigned __ballot(int predicate)
{
    return __ballot_sync(hostcuda_active(), predicate);
}
HOSTCUDA_INLINE int __any(int predicate)
{
    return __any_sync(hostcuda_active(), predicate);
}
HOSTCUDA_INLINE int __all(int predicate)
{
    return __all_sync(hostcuda_active(), predicate);
}

/* ---- match and reduce ------------------------------------------------------------------------------ */

template <typename T>
HOSTCUDA_QUIET unsigned hostcuda_equal(unsigned came, const T *all, const T *own)
{
    unsigned equal = 0;
    for (int lane = 0; lane < 32; lane++)
        if ((came >> lane & 1) && memcmp(&all[lane], own, sizeof(T)) == 0)
            equal |= 1u << lane;
    return equal;
}
template <typename T> HOSTCUDA_INLINE unsigned __match_any_sync(unsigned mask, T value)
{
    T all[32];
    unsigned came = hostcuda_exchange(mask, &value, sizeof value, all);
    return hostcuda_equal(came, all, &value);
}
template <typename T>
HOSTCUDA_INLINE unsigned __match_all_sync(unsigned mask, T value, int *all_equal)
{
    T all[32];
    unsigned came = hostcuda_exchange(mask, &value, sizeof value, all);
    unsigned equal = hostcuda_equal(came, all, &value);
    *all_equal = equal == came;
    return equal == came ? mask : 0;
}

#define HOSTCUDA_REDUCE(name, type, operation)                                                     \
    HOSTCUDA_QUIET static type hostcuda_reduce_##name(unsigned came, const type *all, type)        \
    {                                                                                              \
        type result = all[__builtin_ctz(came)];                                                    \
        for (int lane = __builtin_ctz(came) + 1; lane < 32; lane++)                                \
            if (came >> lane & 1) {                                                                \
                type other = all[lane];                                                            \
                result = operation;                                                                \
            }                                                                                      \
        return result;                                                                             \
    }                                                                                              \
    HOSTCUDA_INLINE type __reduce_##name##_sync(unsigned mask, type value)                         \
    {                                                                                              \
        type all[32];                                                                              \
        unsigned came = hostcuda_exchange(mask, &value, sizeof value, all);                        \
        return hostcuda_reduce_##name(came, all, value);                                           \
    }
HOSTCUDA_REDUCE(add, unsigned, result + other)
HOSTCUDA_REDUCE(min, unsigned, result < other ? result : other)
HOSTCUDA_REDUCE(max, unsigned, result > other ? result : other)
HOSTCUDA_REDUCE(and, unsigned, result &other)
HOSTCUDA_REDUCE(or, unsigned, result | other)
HOSTCUDA_REDUCE(xor, unsigned, result ^ other)
HOSTCUDA_REDUCE(add, int, (int)((unsigned)result + (unsigned)other))
HOSTCUDA_REDUCE(min, int, result < other ? result : other)
HOSTCUDA_REDUCE(max, int, result > other ? result : other)
#undef HOSTCUDA_REDUCE

/* ---- a thread by itself ---------------------------------------------------------------------------- */

HOSTCUDA_QUIET static long long clock64()
{
    return (long long)__builtin_ia32_rdtsc();
}
HOSTCUDA_INLINE int __clock()
{
    return (int)clock64();
}
HOSTCUDA_QUIET static unsigned long long __globaltimer()
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
}
HOSTCUDA_INLINE void __trap()
{
    hostcuda_trap();
}
HOSTCUDA_INLINE void __brkpt()
{
    hostcuda_trap();
}
HOSTCUDA_INLINE unsigned __isShared(const void *at)
{
    return (unsigned)hostcuda_is_shared(at);
}
HOSTCUDA_INLINE unsigned __isLocal(const void *at)
{
    return (unsigned)hostcuda_is_local(at);
}
HOSTCUDA_INLINE unsigned __isGlobal(const void *at)
{
    return !hostcuda_is_shared(at) && !hostcuda_is_local(at);
}
#define __prof_trigger(x) ((void)0)
#define __builtin_assume(condition) ((void)0)
#define __assume(condition) ((void)0)
#define __nv_is_extended_device_lambda_closure_type(type) false
#define __nv_is_extended_host_device_lambda_closure_type(type) false

/* Loads and stores with a hint for the caches, which is not needed here. */
#define HOSTCUDA_HINT(suffix)                                                                      \
    template <typename T> HOSTCUDA_INLINE T __ld##suffix(const T *at)                              \
    {                                                                                              \
        return *at;                                                                                \
    }
HOSTCUDA_HINT(g)
HOSTCUDA_HINT(ca)
HOSTCUDA_HINT(cg)
HOSTCUDA_HINT(cs)
HOSTCUDA_HINT(lu)
HOSTCUDA_HINT(cv)
#undef HOSTCUDA_HINT
#define HOSTCUDA_HINT(suffix)                                                                      \
    template <typename T, typename V> HOSTCUDA_INLINE void __st##suffix(T *at, V value)            \
    {                                                                                              \
        *at = (T)value;                                                                            \
    }
HOSTCUDA_HINT(wb)
HOSTCUDA_HINT(cg)
HOSTCUDA_HINT(cs)
HOSTCUDA_HINT(wt)
#undef HOSTCUDA_HINT

#endif
