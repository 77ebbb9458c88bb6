/* ordered.h - loads, stores and updates with an order and a scope, of words of 1 to 8 bytes: on the device
 * the instructions that nvcc makes of cuda::atomic, on the host the compiler's. */
#ifndef BANKSCOPE_ORDERED_H
#define BANKSCOPE_ORDERED_H

#include "../cuda_runtime.h"
#include "traits.h"

enum bankscope_scope { BANKSCOPE_SYSTEM, BANKSCOPE_GPU, BANKSCOPE_BLOCK };
/* What an operation keeps in order; BANKSCOPE_ALL: one order for all such operations. */
enum bankscope_order { BANKSCOPE_RELAXED, BANKSCOPE_ACQUIRE_RELEASE, BANKSCOPE_ALL };

/* An unsigned word of as many bytes as T. */
template <typename T>
using bankscope_unsigned = bankscope_either<
    sizeof(T) == 1, unsigned char,
    bankscope_either<sizeof(T) == 2, unsigned short,
                     bankscope_either<sizeof(T) == 4, unsigned, unsigned long long>>>;

#ifdef __CUDA_ARCH__

/* DO(scope, ...) with the scope as PTX spells it. */
#define BANKSCOPE_IN_SCOPE(DO, ...)                                                                \
    do {                                                                                           \
        if constexpr (scope == BANKSCOPE_SYSTEM)                                                   \
            DO("sys", __VA_ARGS__);                                                                \
        else if constexpr (scope == BANKSCOPE_GPU)                                                 \
            DO("gpu", __VA_ARGS__);                                                                \
        else                                                                                       \
            DO("cta", __VA_ARGS__);                                                                \
    } while (0)

#define BANKSCOPE_FENCE(scope, kind) __asm__ __volatile__("fence." kind "." scope ";" ::: "memory")
template <int scope> BANKSCOPE_DEVICE void bankscope_fence(bankscope_order order)
{
    if (order == BANKSCOPE_ALL)
        BANKSCOPE_IN_SCOPE(BANKSCOPE_FENCE, "sc");
    else if (order == BANKSCOPE_ACQUIRE_RELEASE)
        BANKSCOPE_IN_SCOPE(BANKSCOPE_FENCE, "acq_rel");
}

#define BANKSCOPE_LOAD(scope, order, type, letter)                                                 \
    __asm__ __volatile__("ld." order "." scope "." type " %0, [%1];"                               \
                         : "=" letter(value)                                                       \
                         : "l"(at)                                                                 \
                         : "memory")
#define BANKSCOPE_STORE(scope, order, type, letter)                                                \
    __asm__ __volatile__("st." order "." scope "." type " [%0], %1;" ::"l"(at), letter(value)      \
                         : "memory")
#define BANKSCOPE_WORD(word, register, type, letter)                                               \
    template <int scope>                                                                           \
    BANKSCOPE_DEVICE word bankscope_load(const word *at, bankscope_order order)                    \
    {                                                                                              \
        register value;                                                                            \
        if (order == BANKSCOPE_ALL)                                                                \
            bankscope_fence<scope>(order);                                                         \
        if (order == BANKSCOPE_RELAXED)                                                            \
            BANKSCOPE_IN_SCOPE(BANKSCOPE_LOAD, "relaxed", type, letter);                           \
        else                                                                                       \
            BANKSCOPE_IN_SCOPE(BANKSCOPE_LOAD, "acquire", type, letter);                           \
        return (word)value;                                                                        \
    }                                                                                              \
    template <int scope>                                                                           \
    BANKSCOPE_DEVICE void bankscope_store(word *at, word what, bankscope_order order)              \
    {                                                                                              \
        register value = what;                                                                     \
        if (order == BANKSCOPE_ALL)                                                                \
            bankscope_fence<scope>(order);                                                         \
        if (order == BANKSCOPE_RELAXED)                                                            \
            BANKSCOPE_IN_SCOPE(BANKSCOPE_STORE, "relaxed", type, letter);                          \
        else                                                                                       \
            BANKSCOPE_IN_SCOPE(BANKSCOPE_STORE, "release", type, letter);                          \
    }
BANKSCOPE_WORD(unsigned char, unsigned, "u8", "r")
BANKSCOPE_WORD(unsigned short, unsigned short, "u16", "h")
BANKSCOPE_WORD(unsigned, unsigned, "u32", "r")
BANKSCOPE_WORD(unsigned long long, unsigned long long, "u64", "l")
#undef BANKSCOPE_WORD
#undef BANKSCOPE_STORE
#undef BANKSCOPE_LOAD

#define BANKSCOPE_UPDATE(scope, order, operation, letter)                                          \
    __asm__ __volatile__("atom." order "." scope "." operation " %0, [%1], %2;"                    \
                         : "=" letter(old)                                                         \
                         : "l"(at), letter(value)                                                  \
                         : "memory")
#define BANKSCOPE_SWAP(scope, order, type, letter)                                                 \
    __asm__ __volatile__("atom." order "." scope ".cas." type " %0, [%1], %2, %3;"                 \
                         : "=" letter(old)                                                         \
                         : "l"(at), letter(expected), letter(value)                                \
                         : "memory")
#define BANKSCOPE_ATOM(DO, ...)                                                                    \
    if (order == BANKSCOPE_ALL)                                                                    \
        bankscope_fence<scope>(order);                                                             \
    if (order == BANKSCOPE_RELAXED)                                                                \
        BANKSCOPE_IN_SCOPE(DO, "relaxed", __VA_ARGS__);                                            \
    else                                                                                           \
        BANKSCOPE_IN_SCOPE(DO, "acq_rel", __VA_ARGS__)
#define BANKSCOPE_OPERATION(name, type, operation, letter)                                         \
    template <int scope>                                                                           \
    BANKSCOPE_DEVICE type bankscope_##name(type *at, type value, bankscope_order order)            \
    {                                                                                              \
        type old;                                                                                  \
        BANKSCOPE_ATOM(BANKSCOPE_UPDATE, operation, letter);                                       \
        return old;                                                                                \
    }
#define BANKSCOPE_OPERATIONS(name, operation)                                                      \
    BANKSCOPE_OPERATION(name, int, operation ".s32", "r")                                          \
    BANKSCOPE_OPERATION(name, unsigned, operation ".u32", "r")                                     \
    BANKSCOPE_OPERATION(name, long long, operation ".s64", "l")                                    \
    BANKSCOPE_OPERATION(name, unsigned long long, operation ".u64", "l")
BANKSCOPE_OPERATION(add, int, "add.s32", "r")
BANKSCOPE_OPERATION(add, unsigned, "add.u32", "r")
BANKSCOPE_OPERATION(add, unsigned long long, "add.u64", "l")
BANKSCOPE_OPERATION(add, float, "add.f32", "f")
BANKSCOPE_OPERATION(add, double, "add.f64", "d")
BANKSCOPE_OPERATIONS(min, "min")
BANKSCOPE_OPERATIONS(max, "max")
#define BANKSCOPE_BITS(name, operation)                                                            \
    BANKSCOPE_OPERATION(name, unsigned, operation ".b32", "r")                                     \
    BANKSCOPE_OPERATION(name, unsigned long long, operation ".b64", "l")
BANKSCOPE_BITS(exchange, "exch")
BANKSCOPE_BITS(and, "and")
BANKSCOPE_BITS(or, "or")
BANKSCOPE_BITS(xor, "xor")
#undef BANKSCOPE_BITS
#undef BANKSCOPE_OPERATIONS
#undef BANKSCOPE_OPERATION
#define BANKSCOPE_OPERATION(type, suffix, letter)                                                  \
    template <int scope>                                                                           \
    BANKSCOPE_DEVICE type bankscope_swap(type *at, type expected, type value,                      \
                                         bankscope_order order)                                    \
    {                                                                                              \
        type old;                                                                                  \
        BANKSCOPE_ATOM(BANKSCOPE_SWAP, suffix, letter);                                            \
        return old;                                                                                \
    }
BANKSCOPE_OPERATION(unsigned short, "b16", "h")
BANKSCOPE_OPERATION(unsigned, "b32", "r")
BANKSCOPE_OPERATION(unsigned long long, "b64", "l")
#undef BANKSCOPE_OPERATION
#undef BANKSCOPE_ATOM
#undef BANKSCOPE_SWAP
#undef BANKSCOPE_UPDATE
#undef BANKSCOPE_FENCE
#undef BANKSCOPE_IN_SCOPE
/* A byte, by the word that it is in. */
template <int scope>
BANKSCOPE_DEVICE unsigned char bankscope_swap(unsigned char *at, unsigned char expected,
                                              unsigned char value, bankscope_order order)
{
    const unsigned shift = (unsigned)((size_t)at & 3) * 8, mask = 0xffu << shift;
    unsigned *word = (unsigned *)((size_t)at & ~(size_t)3);
    for (unsigned old = bankscope_load<scope>(word, BANKSCOPE_RELAXED);;) {
        if ((old >> shift & 0xff) != expected)
            return (unsigned char)(old >> shift);
        unsigned now =
            bankscope_swap<scope>(word, old, (old & ~mask) | (unsigned)value << shift, order);
        if (now == old)
            return expected;
        old = now;
    }
}

#else /* the host */

BANKSCOPE_INLINE int bankscope_host_order(bankscope_order order)
{
    return order == BANKSCOPE_RELAXED ? __ATOMIC_RELAXED : __ATOMIC_SEQ_CST;
}
template <int scope> BANKSCOPE_INLINE void bankscope_fence(bankscope_order order)
{
    if (order != BANKSCOPE_RELAXED)
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
template <int scope, typename Word>
BANKSCOPE_INLINE Word bankscope_load(const Word *at, bankscope_order)
{
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}
template <int scope, typename Word>
BANKSCOPE_INLINE void bankscope_store(Word *at, Word value, bankscope_order)
{
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);
}
template <int scope, typename Word>
BANKSCOPE_INLINE Word bankscope_swap(Word *at, Word expected, Word value, bankscope_order)
{
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}
#endif

#endif
