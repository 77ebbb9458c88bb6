/* hostcuda_atomics.h - atomicAdd and its relatives, on shared and global memory.
 *
 * Each is recorded once, as the user's instruction, though a GPU may need several turns for what it
 * has no instruction for (float and double in shared memory). Then it is done, unrecorded, by
 * compare-and-swap, as other blocks may be at it at the same time. */
#ifndef HOSTCUDA_ATOMICS_H
#define HOSTCUDA_ATOMICS_H

#include "vector_types.h"

/* Replaces *at by Operation::of(*at, value) and returns what it was. */
template <typename Operation, typename T> HOSTCUDA_QUIET T hostcuda_update(T *at, T value)
{
    T old, next;
    __atomic_load(at, &old, __ATOMIC_SEQ_CST);
    do
        next = Operation::of(old, value);
    while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return old;
}
template <typename T> HOSTCUDA_QUIET T hostcuda_compare_and_swap(T *at, T expected, T value)
{
    __atomic_compare_exchange(at, &expected, &value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

#define HOSTCUDA_OPERATION(name, value)                                                            \
    struct hostcuda_##name {                                                                       \
        template <typename T> HOSTCUDA_INLINE T of(T a, T b)                                       \
        {                                                                                          \
            return value;                                                                          \
        }                                                                                          \
    };
HOSTCUDA_OPERATION(add, (T)(a + b))
HOSTCUDA_OPERATION(sub, (T)(a - b))
HOSTCUDA_OPERATION(exch, ((void)a, b))
HOSTCUDA_OPERATION(min, b < a ? b : a)
HOSTCUDA_OPERATION(max, a < b ? b : a)
HOSTCUDA_OPERATION(and, (T)(a &b))
HOSTCUDA_OPERATION(or, (T)(a | b))
HOSTCUDA_OPERATION(xor, (T)(a ^ b))
HOSTCUDA_OPERATION(inc, a >= b ? 0 : a + 1)
HOSTCUDA_OPERATION(dec, a == 0 || a > b ? b : a - 1)
#undef HOSTCUDA_OPERATION

/* What nvcc makes of an operation on an int, as far as g++ can tell: the lanes of a warp that count one in
 * a word (its ATOMS.POPC.INC), or that reduce into a variable of its own (one lane does it for all), are
 * combined before the memory is touched. */
template <typename T> struct hostcuda_mergeable {
    enum { yes = false };
};
template <> struct hostcuda_mergeable<int> {
    enum { yes = true };
};
template <> struct hostcuda_mergeable<unsigned int> {
    enum { yes = true };
};
template <typename Operation> struct hostcuda_is_choice {
    enum { yes = false };
};
template <> struct hostcuda_is_choice<hostcuda_min> {
    enum { yes = true };
};
template <> struct hostcuda_is_choice<hostcuda_max> {
    enum { yes = true };
};
template <> struct hostcuda_is_choice<hostcuda_and> {
    enum { yes = true };
};
template <> struct hostcuda_is_choice<hostcuda_or> {
    enum { yes = true };
};
template <typename Operation> struct hostcuda_reduces {
    enum { yes = true, adds = false };
};
template <> struct hostcuda_reduces<hostcuda_add> {
    enum { yes = true, adds = true };
};
template <> struct hostcuda_reduces<hostcuda_exch> {
    enum { yes = false, adds = false };
};
template <> struct hostcuda_reduces<hostcuda_inc> {
    enum { yes = false, adds = false };
};
template <> struct hostcuda_reduces<hostcuda_dec> {
    enum { yes = false, adds = false };
};

#define HOSTCUDA_ATOMIC_IN(scope, name, operation, type)                                           \
    HOSTCUDA_INLINE type name##scope(type *at, type value)                                         \
    {                                                                                              \
        bool one = hostcuda_reduces<hostcuda_##operation>::adds && __builtin_constant_p(value) &&  \
                   value == 1;                                                                     \
        bool merged = hostcuda_mergeable<type>::yes &&                                             \
                      hostcuda_reduces<hostcuda_##operation>::yes &&                               \
                      (one || __builtin_object_size(at, 0) == sizeof *at);                         \
        hostcuda_atomic(merged ? HOSTCUDA_MERGED_ATOMIC : HOSTCUDA_ATOMIC, at, sizeof *at);        \
        if (hostcuda_is_choice<hostcuda_##operation>::yes)                                         \
            hostcuda_chooses(at);                                                                  \
        return hostcuda_update<hostcuda_##operation>(at, value);                                   \
    }
#define HOSTCUDA_ATOMIC_OF(name, operation, type)                                                  \
    HOSTCUDA_ATOMIC_IN(, name, operation, type)                                                    \
    HOSTCUDA_ATOMIC_IN(_block, name, operation, type)                                              \
    HOSTCUDA_ATOMIC_IN(_system, name, operation, type)
#define HOSTCUDA_ATOMIC_INT(name, operation)                                                       \
    HOSTCUDA_ATOMIC_OF(name, operation, int)                                                       \
    HOSTCUDA_ATOMIC_OF(name, operation, unsigned int)
#define HOSTCUDA_ATOMIC_BITS(name, operation)                                                      \
    HOSTCUDA_ATOMIC_INT(name, operation)                                                           \
    HOSTCUDA_ATOMIC_OF(name, operation, unsigned long long)

HOSTCUDA_ATOMIC_BITS(atomicAdd, add)
HOSTCUDA_ATOMIC_OF(atomicAdd, add, float)
HOSTCUDA_ATOMIC_OF(atomicAdd, add, double)
HOSTCUDA_ATOMIC_INT(atomicSub, sub)
HOSTCUDA_ATOMIC_BITS(atomicExch, exch)
HOSTCUDA_ATOMIC_OF(atomicExch, exch, float)
HOSTCUDA_ATOMIC_BITS(atomicMin, min)
HOSTCUDA_ATOMIC_OF(atomicMin, min, long long)
HOSTCUDA_ATOMIC_BITS(atomicMax, max)
HOSTCUDA_ATOMIC_OF(atomicMax, max, long long)
HOSTCUDA_ATOMIC_BITS(atomicAnd, and)
HOSTCUDA_ATOMIC_BITS(atomicOr, or)
HOSTCUDA_ATOMIC_BITS(atomicXor, xor)
HOSTCUDA_ATOMIC_OF(atomicInc, inc, unsigned int)
HOSTCUDA_ATOMIC_OF(atomicDec, dec, unsigned int)
#undef HOSTCUDA_ATOMIC_BITS
#undef HOSTCUDA_ATOMIC_INT
#undef HOSTCUDA_ATOMIC_OF
#undef HOSTCUDA_ATOMIC_IN

#define HOSTCUDA_CAS_IN(scope, type)                                                               \
    HOSTCUDA_INLINE type atomicCAS##scope(type *at, type expected, type value)                     \
    {                                                                                              \
        hostcuda_atomic(HOSTCUDA_COMPARE_AND_SWAP, at, sizeof *at);                                \
        hostcuda_chooses(at);                                                                      \
        return hostcuda_compare_and_swap(at, expected, value);                                     \
    }
#define HOSTCUDA_CAS(type)                                                                         \
    HOSTCUDA_CAS_IN(, type) HOSTCUDA_CAS_IN(_block, type) HOSTCUDA_CAS_IN(_system, type)
HOSTCUDA_CAS(int)
HOSTCUDA_CAS(unsigned int)
HOSTCUDA_CAS(unsigned long long)
HOSTCUDA_CAS(unsigned short)
#undef HOSTCUDA_CAS
#undef HOSTCUDA_CAS_IN

/* Vectors, in global memory: each member for itself. */
HOSTCUDA_INLINE float2 atomicAdd(float2 *at, float2 value)
{
    hostcuda_atomic(HOSTCUDA_ATOMIC, at, sizeof *at);
    return {hostcuda_update<hostcuda_add>(&at->x, value.x),
            hostcuda_update<hostcuda_add>(&at->y, value.y)};
}
HOSTCUDA_INLINE float4 atomicAdd(float4 *at, float4 value)
{
    hostcuda_atomic(HOSTCUDA_ATOMIC, at, sizeof *at);
    return {hostcuda_update<hostcuda_add>(&at->x, value.x),
            hostcuda_update<hostcuda_add>(&at->y, value.y),
            hostcuda_update<hostcuda_add>(&at->z, value.z),
            hostcuda_update<hostcuda_add>(&at->w, value.w)};
}

#endif
