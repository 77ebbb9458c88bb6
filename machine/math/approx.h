/* approx.h - the instructions that approximate: ex2.approx, sin.approx, tanh.approx, div.full, ...
 *
 * Computed in double by short polynomials, rounded to float at the end: as near as PTX documents or
 * nearer, not the GPU's bits. Special values are the GPU's. With .ftz, operands and results go
 * through real_ftz32 in addition. Coefficients are interpolations at Chebyshev's nodes (computed with
 * 60 digits); behind each polynomial stands its largest relative error.
 */
#ifndef MACHINE_APPROX_H
#define MACHINE_APPROX_H

#include "machine/math/narrow.h"

/* 2^a for -1000 < a < 1000, to 6e-11. */
static inline double approx_power(double a)
{
    double shifted = a + 0x1.8p52,
           f = a - (shifted - 0x1.8p52); /* the whole part is in the last bits */
    double p = 1.5303700711365693e-05;
    p = p * f + 0.00015469729214118296;
    p = p * f + 0.0013333478473685416;
    p = p * f + 0.009618025613318034;
    p = p * f + 0.055504109063258665;
    p = p * f + 0.24022651213498092;
    p = p * f + 0.6931471805568324;
    p = p * f + 0.9999999999595618;
    return p * real_f64((real_b64(shifted) << 52) + (UINT64_C(1023) << 52));
}

/* ex2.approx: 2^a. */
static inline float real_ex2(float a)
{
    float least = a > -160 ? a : -160, within = least < 130 ? least : 130;
    float result = (float)approx_power((double)within);
    return a == a ? result : real_f32(REAL_NAN32);
}

/* lg2.approx: e + log2(m) of a = m * 2^e, m from sqrt(1/2) to sqrt(2), by the series in
 * s = (m - 1) / (m + 1), to 5e-12. */
static inline float real_lg2(float a)
{
    uint64_t bits = real_b64((double)a), from_half = bits - UINT64_C(0x3fe6a09e00000000);
    int32_t e = (int32_t)(from_half >> 32) >> 20;
    double m = real_f64(bits - ((uint64_t)(uint32_t)e << 52));
    double s = (m - 1) / (m + 1), z = s * s, p = 0.3407567042788236;
    p = p * z + 0.4116714650590069;
    p = p * z + 0.5770836022893222;
    p = p * z + 0.9617966732736392;
    p = p * z + 2.885390081790118;
    float result = (float)((double)e + s * p);
    float edge = a == 0 ? real_f32(REAL_SIGN32 | REAL_INF32) : real_f32(REAL_NAN32);
    edge = a == real_f32(REAL_INF32) ? a : edge;
    return a > 0 && a < real_f32(REAL_INF32) ? result : edge;
}

/* The sine of so many turns, from -1/4 to 1/4, to 3e-11. */
static inline double approx_turn(double f)
{
    double z = f * f, p = -14.393966295455941;
    p = p * z + 42.009779303153906;
    p = p * z - 76.70427987604262;
    p = p * z + 81.60522617402967;
    p = p * z - 41.341702116744;
    p = p * z + 6.283185307072264;
    return f * p;
}

/* As the GPU does, the operand is first multiplied by 1 / (2 pi) in float: what is large loses its
 * fraction, and what is tiny is flushed. */
static inline float approx_turns(float a)
{
    return real_ftz32(real_ftz32(a) * 0x1.45f306p-3f);
}

/* Folded to where the sine takes the same value: the rest of whole turns, then of half ones. */
static inline double approx_folded(double turns)
{
    double f = turns - real_nearest64(turns);
    double other = real_copysign64(0.5, f) - f;
    return f > 0.25 || f < -0.25 ? other : f;
}

static inline float real_sin(float a)
{
    float turns = approx_turns(a), result = (float)approx_turn(approx_folded((double)turns));
    bool whole = turns == real_nearest32(turns);
    return real_canonical32(whole && a - a == 0 ? real_copysign32(0, a) : result);
}

static inline float real_cos(float a)
{
    float turns = approx_turns(a), near = real_nearest32(turns);
    return real_canonical32((float)approx_turn(approx_folded((double)(turns - near) + 0.25)));
}

/* tanh.approx: below 1/4 by an odd polynomial (1e-13), else 1 - 2 / (e^2a + 1). */
static inline float real_tanh(float a)
{
    double x = (double)real_abs32(a), z = x * x, p = -0.008220515824387839;
    p = p * z + 0.02182498517301687;
    p = p * z - 0.05396682206757438;
    p = p * z + 0.13333331243699578;
    p = p * z - 0.333333333221592;
    p = x * (p * z + 1);
    double power = approx_power((x < 30 ? x : 30) * 2.8853900817779268),
           large = 1 - 2 / (power + 1);
    return real_canonical32(a == a ? real_copysign32((float)(x < 0.25 ? p : large), a) : a);
}

static inline float real_rcp(float a)
{
    return real_canonical32(1 / a);
}

static inline float real_rsqrt(float a)
{
    float result = real_canonical32((float)(1 / __builtin_sqrt((double)a)));
    return a == 0 ? real_copysign32(real_f32(REAL_INF32), a) : result;
}

/* div.approx: a times a reciprocal, which is 0 for what is larger than 2^126. */
static inline float real_div_approx(float a, float b)
{
    bool large = real_abs32(b) > 0x1p126f;
    return real_canonical32(large ? a * real_copysign32(0, b) : a / b);
}

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: of the upper 32 bits, with 20 bits of fraction. */
double real_rcp64(double a);
double real_rsqrt64_ftz(double a);

/* rsqrt.approx.f64, to 1 ulp. */
double real_rsqrt64(double a);

/* ex2.approx.f16 and its like: by float, rounded once more. */
static inline uint16_t real_f16_ex2(uint16_t a)
{
    return real_f16_f32(real_ex2(real_f32_f16(a)));
}

static inline uint16_t real_f16_tanh(uint16_t a)
{
    return real_f16_f32(real_tanh(real_f32_f16(a)));
}

/* ex2.approx.ftz.bf16: subnormal operands and results are flushed. */
static inline uint16_t real_bf16_ex2(uint16_t a)
{
    return real_bf16_f32(real_ftz32(real_ex2(real_ftz32(real_f32_bf16(a)))));
}

static inline uint16_t real_bf16_tanh(uint16_t a)
{
    return real_bf16_f32(real_tanh(real_f32_bf16(a)));
}

#endif
