/* atomic.h - what atomic operations leave in memory. */
#ifndef BANKSCOPE_MACHINE_ATOMIC_H
#define BANKSCOPE_MACHINE_ATOMIC_H

#include "machine/ptx/ptx.h"

enum atomic_rule {
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCHANGE,
    ATOMIC_CAS,
    ATOMIC_INC,
    ATOMIC_DEC,
};
/* With the two of atomic_kind: sums of f32 have no subnormal number, nor have what they are sums of. So it is in global
 * memory; in shared memory a sum is a loop of compare-and-swap, which adds as any other instruction. */
enum { ATOMIC_FLUSHES = 1 << 16 };
/* What both say together: the rule, and the type of the word. */
static inline uint32_t atomic_kind(enum atomic_rule rule, enum ptx_type type)
{
    return (uint32_t)rule | (uint32_t)type << 8;
}
/* What it makes of what was there. */
uint64_t atomic_result(uint32_t kind, uint64_t old, uint64_t b, uint64_t c);
/* Does it to the word at `at`, as one operation. Returns what was there. */
uint64_t atomic_apply(uint32_t kind, uint8_t *at, uint64_t b, uint64_t c);
/* Numbers of 16 bytes: puts b there, or (compares) c, if b is there. Returns what was there. */
__extension__ typedef unsigned __int128 atomic_wide;
atomic_wide atomic_apply_wide(bool compares, uint8_t *at, atomic_wide b, atomic_wide c);

#endif
