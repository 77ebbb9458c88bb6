/* real_operands.h - the operands that instructions on numbers are tried with, here and on a GPU.
 *
 * tests/gpu/real.cu executes each instruction over them on a GPU and prints a hash of the results
 * (tests/data/h100-real.tsv); test_real_gpu.c holds machine/math/real.h to these. Operand number i of an
 * instruction is the same on both: first every combination of special values, then random ones of
 * five kinds (any bits; tiny; few bits of fraction, which make ties; of like size; beside powers of two).
 */
#ifndef REAL_OPERANDS_H
#define REAL_OPERANDS_H

#include <stdint.h>

enum {
    OPERANDS_RANDOM = 4096,
};

static const uint16_t special16[] = {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0xbc00, 0x3800,
                                     0x4200, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xfe00, 0x7fff,
                                     0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7f7f, 0x4049};
static const uint32_t special32[] = {
    0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000,
    0x3f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0xffc00000, 0x3f7fffff,
    0x4b000001, 0xcb400000, 0x4f000000, 0x5f000000, 0xdf000001, 0x00ffffff, 0x477ff000, 0x43dfffff};
static const uint64_t special64[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800fffffffffffff,
    0x0010000000000000, 0x8010000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x3fe0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff0000000000001, 0xfff8000000000000, 0x3fefffffffffffff,
    0x4330000000000001, 0xc1e0000000200000, 0x41efffffffe00000, 0x43e0000000000000,
    0x47efffffefffffff, 0x380fffffffffffff, 0x36a0000000000000, 0x7ff8000000000123};
/* Of the special values so many are combined: all for one operand, fewer for two and three. */
static const int specials_of[] = {0, 22, 22, 15};

/* A number from a number: splitmix64. */
static inline uint64_t operand_mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static inline uint64_t operand_special(int bits, int which)
{
    return bits == 64 ? special64[which] : bits == 32 ? special32[which] : special16[which];
}

/* Beside a power of two: for the first operand 1, for the second the least normal number, whose
 * product is where subnormal results begin; a third one is tiny or zero. */
static inline uint64_t operand_edge(int fraction, uint64_t bias, int which, uint64_t random)
{
    uint64_t exponent = which == 0 ? bias : 1, step = random >> 8 & 7;
    if (which == 2)
        return random & 1 ? step : 0;
    return (exponent << fraction) + (random & 1 ? step : 0 - step);
}

/* Random bits for one of the operands of an execution, which all are of one kind. */
static inline uint64_t operand_random(int bits, uint64_t execution, int which)
{
    uint64_t shared = operand_mixed(execution), kind = shared % 5;
    uint64_t x = operand_mixed(execution * 4 + (uint64_t)which + 1), more = operand_mixed(x);
    int brain = execution % 8 >= 4, fraction = bits == 64 ? 52 : bits == 32 ? 23 : brain ? 7 : 10;
    uint64_t bias = bits == 64 ? 1023 : bits == 32 || brain ? 127 : 15;
    uint64_t sign = x & (UINT64_C(1) << (bits - 1)), low = x & ((UINT64_C(1) << fraction) - 1);
    uint64_t exponent = bias - 8 + (shared >> 8) % (bias == 15 ? 20 : 76);
    if (kind == 0)
        return bits == 64 ? x : x & ((UINT64_C(1) << bits) - 1);
    if (kind == 1)
        return sign | (more % 30) << (fraction - (int)(more >> 8) % 4) | low;
    if (kind == 4)
        return sign | operand_edge(fraction, bias, which, more);
    if (kind == 2)
        low &= UINT64_C(7) << ((fraction - 3 - (int)(more >> 8) % (fraction - 2)) & 63);
    return sign | (exponent + more % 3) << fraction | low;
}

static inline int operand_count(int arity)
{
    int n = specials_of[arity];
    return (arity == 1 ? n : arity == 2 ? n * n : n * n * n) + OPERANDS_RANDOM;
}

/* Operand `which` (from 0) of the i-th execution of an instruction with so many. */
static inline uint64_t operand(int bits, int arity, int which, int i)
{
    int n = specials_of[arity], random = i - (operand_count(arity) - OPERANDS_RANDOM);
    if (random >= 0)
        return operand_random(bits, (uint64_t)random, which);
    for (int k = 0; k < which; k++)
        i /= n;
    return operand_special(bits, i % n);
}

static inline uint64_t operand_hash(uint64_t hash, uint64_t result)
{
    return operand_mixed(hash ^ result);
}

#endif
