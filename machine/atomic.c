/* atomic.c - what atomic operations leave in memory. Other blocks may run at the same time: so each is one
 * operation of the host's, or a compare-and-swap that is tried until it succeeds. */
#include "machine/atomic.h"
#include "machine/math/narrow.h"
#include "machine/math/real.h"

#include <stdatomic.h>
#include <string.h>

#define RULES(type, name)                                                                          \
    static type name(enum atomic_rule rule, type old, type b, type c)                              \
    {                                                                                              \
        switch (rule) {                                                                            \
        case ATOMIC_ADD:                                                                           \
            return (type)((uint64_t)old + (uint64_t)b);                                            \
        case ATOMIC_MIN:                                                                           \
            return old < b ? old : b;                                                              \
        case ATOMIC_MAX:                                                                           \
            return old > b ? old : b;                                                              \
        case ATOMIC_AND:                                                                           \
            return old & b;                                                                        \
        case ATOMIC_OR:                                                                            \
            return old | b;                                                                        \
        case ATOMIC_XOR:                                                                           \
            return old ^ b;                                                                        \
        case ATOMIC_CAS:                                                                           \
            return old == b ? c : old;                                                             \
        case ATOMIC_INC:                                                                           \
            return old >= b ? 0 : (type)((uint64_t)old + 1);                                       \
        case ATOMIC_DEC:                                                                           \
            return old == 0 || old > b ? b : (type)((uint64_t)old - 1);                            \
        default:                                                                                   \
            return b;                                                                              \
        }                                                                                          \
    }
RULES(uint16_t, of_u16)
RULES(uint32_t, of_u32)
RULES(int32_t, of_s32)
RULES(uint64_t, of_u64)
RULES(int64_t, of_s64)

/* Sums, or the smaller or larger one, of numbers of 16 bits. */
static uint16_t of_f16(enum atomic_rule rule, uint16_t old, uint16_t b)
{
    const float x = real_f32_f16(old), y = real_f32_f16(b);
    return rule == ATOMIC_MIN   ? real_f16_f32(real_min32(x, y))
           : rule == ATOMIC_MAX ? real_f16_f32(real_max32(x, y))
                                : real_f16_add(old, b);
}

static uint16_t of_bf16(enum atomic_rule rule, uint16_t old, uint16_t b)
{
    const float x = real_f32_bf16(old), y = real_f32_bf16(b);
    return rule == ATOMIC_MIN   ? real_bf16_f32(real_min32(x, y))
           : rule == ATOMIC_MAX ? real_bf16_f32(real_max32(x, y))
                                : real_bf16_add(old, b);
}

static uint32_t pair(enum atomic_rule rule, uint32_t a, uint32_t b,
                     uint16_t (*of)(enum atomic_rule, uint16_t, uint16_t))
{
    return of(rule, (uint16_t)a, (uint16_t)b) |
           (uint32_t)of(rule, (uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16;
}

static uint32_t sum_f32(uint64_t old, uint64_t b, bool flushes)
{
    const float x = real_f32((uint32_t)old), y = real_f32((uint32_t)b);
    return real_b32(flushes ? real_ftz32(real_add32(real_ftz32(x), real_ftz32(y)))
                            : real_add32(x, y));
}

static uint64_t changed(uint32_t kind, uint64_t old, uint64_t b, uint64_t c)
{
    const enum atomic_rule rule = (enum atomic_rule)(kind & 255);
    switch ((enum ptx_type)(kind >> 8 & 255)) {
    case PTX_S32:
        return (uint32_t)of_s32(rule, (int32_t)old, (int32_t)b, (int32_t)c);
    case PTX_S64:
        return (uint64_t)of_s64(rule, (int64_t)old, (int64_t)b, (int64_t)c);
    case PTX_U64:
    case PTX_B64:
        return of_u64(rule, old, b, c);
    case PTX_B16:
        return of_u16(rule, (uint16_t)old, (uint16_t)b, (uint16_t)c);
    case PTX_F32:
        return sum_f32(old, b, kind & ATOMIC_FLUSHES);
    case PTX_F64:
        return real_b64(real_add64(real_f64(old), real_f64(b)));
    case PTX_F16:
        return of_f16(rule, (uint16_t)old, (uint16_t)b);
    case PTX_BF16:
        return of_bf16(rule, (uint16_t)old, (uint16_t)b);
    case PTX_F16X2:
        return pair(rule, (uint32_t)old, (uint32_t)b, of_f16);
    case PTX_BF16X2:
        return pair(rule, (uint32_t)old, (uint32_t)b, of_bf16);
    default:
        return of_u32(rule, (uint32_t)old, (uint32_t)b, (uint32_t)c);
    }
}

#define EXCHANGE(type)                                                                             \
    {                                                                                              \
        type old = __atomic_load_n((type *)(void *)at, __ATOMIC_RELAXED), fresh;                   \
        do                                                                                         \
            fresh = (type)changed(kind, old, b, c);                                                \
        while (!__atomic_compare_exchange_n((type *)(void *)at, &old, fresh, false,                \
                                            __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));                  \
        return old;                                                                                \
    }

uint64_t atomic_result(uint32_t kind, uint64_t old, uint64_t b, uint64_t c)
{
    return changed(kind, old, b, c);
}

uint64_t atomic_apply(uint32_t kind, uint8_t *at, uint64_t b, uint64_t c)
{
    switch (ptx_type_bytes((enum ptx_type)(kind >> 8 & 255))) {
    case 2:
        EXCHANGE(uint16_t)
    case 4:
        EXCHANGE(uint32_t)
    default:
        EXCHANGE(uint64_t)
    }
}

/* ---- 16 bytes ---------------------------------------------------------------------------------- */

/* Host memory may be aligned less than the device's: one after the other, then. */
static atomic_wide swap_in_turn(uint8_t *at, atomic_wide b, atomic_wide c)
{
    static atomic_flag lock = ATOMIC_FLAG_INIT;
    atomic_wide old;
    while (atomic_flag_test_and_set(&lock))
        ;
    memcpy(&old, at, sizeof old);
    memcpy(at, old == b ? &c : &old, sizeof old);
    atomic_flag_clear(&lock);
    return old;
}

static atomic_wide swap(uint8_t *at, atomic_wide b, atomic_wide c)
{
    if ((uintptr_t)at % sizeof b)
        return swap_in_turn(at, b, c);
#if defined(__x86_64__) /* the builtin is a library's, but for newer processors only */
    uint64_t low = (uint64_t)b, high = (uint64_t)(b >> 64);
    __asm__ __volatile__("lock cmpxchg16b %0"
                         : "+m"(*(atomic_wide *)(void *)at), "+a"(low), "+d"(high)
                         : "b"((uint64_t)c), "c"((uint64_t)(c >> 64))
                         : "cc", "memory");
    return (atomic_wide)high << 64 | low;
#elif defined(__aarch64__)
    return __sync_val_compare_and_swap((atomic_wide *)(void *)at, b, c);
#else
    return swap_in_turn(at, b, c);
#endif
}

atomic_wide atomic_apply_wide(bool compares, uint8_t *at, atomic_wide b, atomic_wide c)
{
    atomic_wide old = 0;
    if (compares)
        return swap(at, b, c);
    for (atomic_wide was = 0; (old = swap(at, was, b)) != was;)
        was = old;
    return old;
}
