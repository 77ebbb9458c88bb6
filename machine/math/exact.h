/* exact.h - numbers before they are rounded, for real.c and narrow.c: a whole number of 128 bits times a
 * power of two, whose last bit is also set when something smaller was cut off.
 */
#ifndef MACHINE_EXACT_H
#define MACHINE_EXACT_H

#include "machine/math/real.h"

__extension__ typedef unsigned __int128 real_wide;

/* (-1)^negative * size * 2^exponent. */
struct real_exact {
    bool negative;
    int exponent;
    real_wide size;
};

/* A number has so many bits of fraction, and its exponent this bias; below the sign bit (its place)
 * these are the largest number, infinity (or what stands for it) and the NaN that conversions give. */
struct real_format {
    int fraction, bias;
    uint64_t most, infinity, nan;
    int sign;
};

enum real_format_name {
    REAL_E4M3, /* has no infinity: what overflows is a NaN, unless it saturates */
    REAL_E5M2,
    REAL_F16,
    REAL_BF16,
    REAL_TF32, /* here as 19 bits, in registers 13 zeros follow */
    REAL_F32,
    REAL_F64,
};

extern const struct real_format real_formats[];

/* The exact value of a finite number. */
struct real_exact real_exact_of(double a);
struct real_exact real_exact_integer(uint64_t integer, bool is_signed);

/* Rounded once, also where it is subnormal or too large. The result is the format's bits. */
uint64_t real_pack(struct real_exact a, const struct real_format *format, enum real_mode mode);

#endif
