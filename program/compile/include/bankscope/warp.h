/* warp.h - what the lanes of a warp do together: shuffles, votes, matches, reductions; and what a thread
 * asks of its machine. In place of clang's own header for them, which differs from version to version. */
#ifndef BANKSCOPE_WARP_H
#define BANKSCOPE_WARP_H

#include "traits.h"

/* Any type of 4 or 8 bytes, as CUDA's overloads take them, in words. */
template <typename T>
using bankscope_word = bankscope_only_if<std::is_arithmetic<T>::value && (sizeof(T) >= 4), int>;

/* ---- shuffles --------------------------------------------------------------------------------- */

/* The last operand of shfl: the lanes of a part of `width`, and the bound that keeps within it. */
#define BANKSCOPE_SHUFFLE(name, way, bound, operand)                                               \
    BANKSCOPE_DEVICE int name(unsigned mask, int value, operand lane, int width = 32)              \
    {                                                                                              \
        return __nvvm_shfl_sync_##way##_i32(mask, value, (int)lane, (32 - width) << 8 | bound);    \
    }                                                                                              \
    BANKSCOPE_DEVICE float name(unsigned mask, float value, operand lane, int width = 32)          \
    {                                                                                              \
        return __nvvm_shfl_sync_##way##_f32(mask, value, (int)lane, (32 - width) << 8 | bound);    \
    }                                                                                              \
    template <typename T, bankscope_word<T> = 0>                                                   \
    BANKSCOPE_DEVICE T name(unsigned mask, T value, operand lane, int width = 32)                  \
    {                                                                                              \
        int word[sizeof(T) / 4];                                                                   \
        __builtin_memcpy(word, &value, sizeof value);                                              \
        for (int &one : word)                                                                      \
            one = name(mask, one, lane, width);                                                    \
        __builtin_memcpy(&value, word, sizeof value);                                              \
        return value;                                                                              \
    }
BANKSCOPE_SHUFFLE(__shfl_sync, idx, 31, int)
BANKSCOPE_SHUFFLE(__shfl_up_sync, up, 0, unsigned)
BANKSCOPE_SHUFFLE(__shfl_down_sync, down, 31, unsigned)
BANKSCOPE_SHUFFLE(__shfl_xor_sync, bfly, 31, int)
#undef BANKSCOPE_SHUFFLE

/* In both arms of a branch it is not the same: nomerge keeps clang from having it once, before the branch. */
BANKSCOPE_DEVICE unsigned __activemask()
{
    unsigned mask;
    __attribute__((nomerge))
    {
        __asm__ __volatile__("activemask.b32 %0;" : "=r"(mask));
    }
    return mask;
}

/* Without a mask, the lanes that are here together take part, as on GPUs before Volta. */
#define BANKSCOPE_SHUFFLE(name, operand)                                                           \
    template <typename T> BANKSCOPE_DEVICE T name(T value, operand lane, int width = 32)           \
    {                                                                                              \
        return name##_sync(__activemask(), value, lane, width);                                    \
    }
BANKSCOPE_SHUFFLE(__shfl, int)
BANKSCOPE_SHUFFLE(__shfl_up, unsigned)
BANKSCOPE_SHUFFLE(__shfl_down, unsigned)
BANKSCOPE_SHUFFLE(__shfl_xor, int)
#undef BANKSCOPE_SHUFFLE

/* ---- votes, matches, reductions ---------------------------------------------------------------- */

BANKSCOPE_DEVICE int __all_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_all_sync(mask, predicate);
}
BANKSCOPE_DEVICE int __any_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_any_sync(mask, predicate);
}
BANKSCOPE_DEVICE int __uni_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_uni_sync(mask, predicate);
}
BANKSCOPE_DEVICE unsigned __ballot_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_ballot_sync(mask, predicate);
}
BANKSCOPE_DEVICE int bankscope_all(int predicate)
{
    return __all_sync(__activemask(), predicate);
}
BANKSCOPE_DEVICE int bankscope_any(int predicate)
{
    return __any_sync(__activemask(), predicate);
}
BANKSCOPE_DEVICE unsigned bankscope_ballot(int predicate)
{
    return __ballot_sync(__activemask(), predicate);
}
#define __all bankscope_all
#define __any bankscope_any
#define __ballot bankscope_ballot

template <typename T> BANKSCOPE_DEVICE unsigned __match_any_sync(unsigned mask, T value)
{
    if constexpr (sizeof(T) == 8)
        return (unsigned)__nvvm_match_any_sync_i64(mask, __builtin_bit_cast(long, value));
    else if constexpr (sizeof(T) == 4)
        return __nvvm_match_any_sync_i32(mask, __builtin_bit_cast(int, value));
    else
        return __nvvm_match_any_sync_i32(mask, (int)value);
}
template <typename T> BANKSCOPE_DEVICE unsigned __match_all_sync(unsigned mask, T value, int *same)
{
    if constexpr (sizeof(T) == 8)
        return (unsigned)__nvvm_match_all_sync_i64p(mask, __builtin_bit_cast(long, value), same);
    else if constexpr (sizeof(T) == 4)
        return __nvvm_match_all_sync_i32p(mask, __builtin_bit_cast(int, value), same);
    else
        return __nvvm_match_all_sync_i32p(mask, (int)value, same);
}

#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800
#define BANKSCOPE_REDUCE(name, type, instruction)                                                  \
    BANKSCOPE_DEVICE type name(unsigned mask, type value)                                          \
    {                                                                                              \
        type all;                                                                                  \
        __asm__ __volatile__("redux.sync." instruction " %0, %1, %2;"                              \
                             : "=r"(all)                                                           \
                             : "r"(value), "r"(mask));                                             \
        return all;                                                                                \
    }
BANKSCOPE_REDUCE(__reduce_add_sync, unsigned, "add.u32")
BANKSCOPE_REDUCE(__reduce_min_sync, unsigned, "min.u32")
BANKSCOPE_REDUCE(__reduce_max_sync, unsigned, "max.u32")
BANKSCOPE_REDUCE(__reduce_add_sync, int, "add.s32")
BANKSCOPE_REDUCE(__reduce_min_sync, int, "min.s32")
BANKSCOPE_REDUCE(__reduce_max_sync, int, "max.s32")
BANKSCOPE_REDUCE(__reduce_and_sync, unsigned, "and.b32")
BANKSCOPE_REDUCE(__reduce_or_sync, unsigned, "or.b32")
BANKSCOPE_REDUCE(__reduce_xor_sync, unsigned, "xor.b32")
#undef BANKSCOPE_REDUCE
#endif

/* The place of the n-th bit of a mask, from `base` on (before it, for n below 0); ~0: there is none. */
BANKSCOPE_DEVICE unsigned __fns(unsigned mask, unsigned base, int n)
{
    unsigned place;
    __asm__("fns.b32 %0, %1, %2, %3;" : "=r"(place) : "r"(mask), "r"(base), "r"(n));
    return place;
}

/* ---- the thread and its machine ----------------------------------------------------------------- */

BANKSCOPE_DEVICE unsigned bankscope_lane()
{
    return __nvvm_read_ptx_sreg_laneid();
}
BANKSCOPE_DEVICE unsigned bankscope_thread()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
BANKSCOPE_DEVICE void __nanosleep(unsigned nanoseconds)
{
    __asm__ __volatile__("nanosleep.u32 %0;" ::"r"(nanoseconds));
}
BANKSCOPE_DEVICE unsigned long long __globaltimer()
{
    unsigned long long now;
    __asm__ __volatile__("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}
#undef __prof_trigger /* clang's takes constants only */
#define __prof_trigger(counter) ((void)(counter))
#define __assume(condition) __builtin_assume(condition)
#define __nv_is_extended_device_lambda_closure_type(type) false
#define __nv_is_extended_host_device_lambda_closure_type(type) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(type) false

#endif
