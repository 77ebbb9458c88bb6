/* narrow.h - the small formats: f16, bf16, tf32, e4m3, e5m2, as the bits that registers hold.
 *
 * f16 and bf16 are computed in float, from results that were rounded to odd, so that the one rounding
 * that counts is the last. What is inline has no branches, for loops over lanes. NaN results are
 * 0x7fff (0x7f in 8 bits); bf16 is widened bit by bit.
 */
#ifndef MACHINE_NARROW_H
#define MACHINE_NARROW_H

#include "machine/math/exact.h"

/* ---- to and from float ----------------------------------------------------------------------------- */

static inline float real_f32_f16(uint16_t a)
{
    uint32_t sign = (uint32_t)(a & 0x8000) << 16, size = a & 0x7fff;
    float finite = real_f32(size << 13) * 0x1p112f;
    uint32_t other = size > 0x7c00 ? REAL_NAN32 : sign | REAL_INF32;
    return real_f32(size < 0x7c00 ? sign | real_b32(finite) : other);
}

/* To nearest. Adding 1/2 to a subnormal number rounds it to the least steps, of 2^-24. */
static inline uint16_t real_f16_f32(float a)
{
    uint32_t bits = real_b32(a), size = bits & ~REAL_SIGN32, sign = bits >> 16 & 0x8000;
    uint32_t usual = (size + 0xfff + (size >> 13 & 1) - (112u << 23)) >> 13;
    uint32_t small = real_b32(real_f32(size) + 0.5f) - real_b32(0.5f);
    uint32_t finite = size < 0x38800000 ? small : usual;
    uint32_t large = size >= 0x477ff000 ? 0x7c00 : finite;
    return (uint16_t)(size > REAL_INF32 ? 0x7fff : sign | large);
}

static inline float real_f32_bf16(uint16_t a)
{
    return real_f32((uint32_t)a << 16);
}

static inline uint16_t real_bf16_f32(float a)
{
    uint32_t bits = real_b32(a), near = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)(a == a ? near : 0x7fff);
}

/* A NaN keeps its payload. */
static inline double real_f64_f16(uint16_t a)
{
    bool nan = (a & 0x7fff) > 0x7c00;
    uint64_t payload = UINT64_C(0x7ff8000000000000) | (uint64_t)(a & 0x1ff) << 42;
    uint64_t sign = (uint64_t)(a & 0x8000) << 48;
    return nan ? real_f64(sign | payload) : (double)real_f32_f16(a);
}

/* cvt.f16.f64, rounded once; a NaN keeps as much of its payload as fits. */
uint16_t real_f16_f64(double a, enum real_mode mode);

/* What conversions to small formats do besides rounding. */
enum {
    REAL_RELU = 1,      /* negative numbers and -0 become 0 */
    REAL_SATFINITE = 2, /* what is too large, infinity too, becomes the largest number */
};

/* Any number in any of the formats, rounded once. tf32 comes as the float that a register holds. */
uint32_t real_narrow(double a, enum real_format_name format, enum real_mode mode, unsigned how);

/* An integer, extended to 64 bits as its type is. */
uint32_t real_narrow_integer(uint64_t integer, bool is_signed, enum real_format_name format,
                             enum real_mode mode);

/* cvt.rna.tf32.f32: a NaN is rounded like a number, and may become infinite, as on the GPU. */
static inline uint32_t real_tf32_rna(uint32_t a)
{
    return (a & REAL_INF32) == REAL_INF32 ? a & ~UINT32_C(0x1fff)
                                          : (a + 0x1000) & ~UINT32_C(0x1fff);
}

/* e4m3 and e5m2; f16 holds all of their numbers. */
float real_f32_e4m3(uint8_t a);
float real_f32_e5m2(uint8_t a);

/* ---- rounded to odd, of operands with at most 11 bits ------------------------------------------------ */

static inline float real_odd_add(float a, float b)
{
    return real_odd32(real_odd_sum((double)a, (double)b));
}

static inline float real_odd_mul(float a, float b)
{
    return real_odd32((double)a * (double)b);
}

static inline float real_odd_fma(float a, float b, float c)
{
    return real_odd32(real_odd_sum((double)a * (double)b, (double)c));
}

/* ---- f16 --------------------------------------------------------------------------------------------- */

static inline uint16_t real_f16_add(uint16_t a, uint16_t b)
{
    return real_f16_f32(real_f32_f16(a) +
                        real_f32_f16(b)); /* inexact only where 24 bits are enough */
}

static inline uint16_t real_f16_sub(uint16_t a, uint16_t b)
{
    return real_f16_f32(real_f32_f16(a) - real_f32_f16(b));
}

static inline uint16_t real_f16_mul(uint16_t a, uint16_t b)
{
    return real_f16_f32(real_f32_f16(a) * real_f32_f16(b)); /* exact in float */
}

static inline uint16_t real_f16_fma(uint16_t a, uint16_t b, uint16_t c)
{
    return real_f16_f32(real_odd_fma(real_f32_f16(a), real_f32_f16(b), real_f32_f16(c)));
}

static inline uint16_t real_f16_neg(uint16_t a)
{
    return (a & 0x7fff) > 0x7c00 ? 0x7fff : a ^ 0x8000;
}

static inline uint16_t real_f16_abs(uint16_t a)
{
    return (a & 0x7fff) > 0x7c00 ? 0x7fff : a & 0x7fff;
}

static inline uint16_t real_f16_ftz(uint16_t a)
{
    return a & 0x7c00 ? a : a & 0x8000;
}

/* .sat and .relu of a result: from 0 to 1 (0 for NaN); not below 0 (NaN stays). */
static inline uint16_t real_f16_sat(uint16_t a)
{
    return a > 0x7c00 ? 0 : a > 0x3c00 ? 0x3c00 : a;
}

static inline uint16_t real_f16_relu(uint16_t a)
{
    return a & 0x8000 ? 0 : a;
}

/* min and max are those of float (real.h), exact. With .xorsign.abs a NaN's sign counts, too: this comes
 * after the min or max of the sizes. */
static inline uint16_t real_f16_xorsign(uint16_t result, uint16_t a, uint16_t b)
{
    return result == 0x7fff ? result : result | ((a ^ b) & 0x8000);
}

/* ---- bf16 -------------------------------------------------------------------------------------------- */

static inline uint16_t real_bf16_add(uint16_t a, uint16_t b)
{
    return real_bf16_f32(real_odd_add(real_f32_bf16(a), real_f32_bf16(b)));
}

static inline uint16_t real_bf16_sub(uint16_t a, uint16_t b)
{
    return real_bf16_f32(real_odd_add(real_f32_bf16(a), real_f32_bf16(b ^ 0x8000)));
}

static inline uint16_t real_bf16_mul(uint16_t a, uint16_t b)
{
    return real_bf16_f32(real_odd_mul(real_f32_bf16(a), real_f32_bf16(b)));
}

static inline uint16_t real_bf16_fma(uint16_t a, uint16_t b, uint16_t c)
{
    return real_bf16_f32(real_odd_fma(real_f32_bf16(a), real_f32_bf16(b), real_f32_bf16(c)));
}

static inline uint16_t real_bf16_neg(uint16_t a)
{
    return (a & 0x7fff) > 0x7f80 ? 0x7fff : a ^ 0x8000;
}

static inline uint16_t real_bf16_abs(uint16_t a)
{
    return (a & 0x7fff) > 0x7f80 ? 0x7fff : a & 0x7fff;
}

#endif
