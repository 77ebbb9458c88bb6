/* real.h - arithmetic on floating point numbers as a GPU does it, the same to the bit everywhere.
 *
 * All functions are pure: numbers in, a number out, no global state, no call of libm. Here is what
 * loops over lanes use; it is inline and free of branches, so that compilers turn such a loop into
 * vector instructions. narrow.h has the formats of 8 to 19 bits, real.c what is rare (the directed
 * roundings of double, conversions in every mode), approx.h ex2.approx and its like, math.h the functions
 * of libdevice.
 *
 * Files that include this are compiled with -ffp-contract=off (a * b + c stays two roundings) and
 * for processors whose floats are not wider than they seem (not x87).
 *
 * NaN: float results are 0x7fffffff. double keeps an operand's payload, and makes
 * 0xfff8000000000000 of what has no result. So does an H100 (tests/data/h100-real.tsv).
 */
#ifndef MACHINE_REAL_H
#define MACHINE_REAL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* To nearest (ties to even), toward zero, down, up, and to nearest with ties away from zero. */
enum real_mode { REAL_RN, REAL_RZ, REAL_RM, REAL_RP, REAL_RNA };

/* ---- numbers and their bits ---------------------------------------------------------------------- */

static inline float real_f32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t real_b32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double real_f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t real_b64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define REAL_SIGN32 UINT32_C(0x80000000)
#define REAL_NAN32 UINT32_C(0x7fffffff)
#define REAL_INF32 UINT32_C(0x7f800000)
#define REAL_SIGN64 UINT64_C(0x8000000000000000)
#define REAL_NAN64 UINT64_C(0xfff8000000000000)
#define REAL_INF64 UINT64_C(0x7ff0000000000000)

static inline float real_abs32(float a)
{
    return real_f32(real_b32(a) & ~REAL_SIGN32);
}

static inline double real_abs64(double a)
{
    return real_f64(real_b64(a) & ~REAL_SIGN64);
}

/* The size of one with the sign of the other. */
static inline float real_copysign32(float size, float sign)
{
    return real_f32((real_b32(size) & ~REAL_SIGN32) | (real_b32(sign) & REAL_SIGN32));
}

static inline double real_copysign64(double size, double sign)
{
    return real_f64((real_b64(size) & ~REAL_SIGN64) | (real_b64(sign) & REAL_SIGN64));
}

/* ---- what instructions do to operands and results ------------------------------------------------ */

/* Any NaN becomes the one that instructions give. */
static inline float real_canonical32(float a)
{
    return a == a ? a : real_f32(REAL_NAN32);
}

/* A NaN that does not signal, with the payload of this one. */
static inline double real_quiet64(double a)
{
    return a == a ? a : real_f64(real_b64(a) | UINT64_C(1) << 51);
}

/* .ftz: subnormal numbers become zeros of their sign. */
static inline float real_ftz32(float a)
{
    uint32_t bits = real_b32(a);
    return real_f32(bits & REAL_INF32 ? bits : bits & REAL_SIGN32);
}

/* .sat: from 0 to 1; 0 for NaN. */
static inline float real_sat32(float a)
{
    float positive = a > 0 ? a : 0;
    return positive < 1 ? positive : 1;
}

static inline double real_sat64(double a)
{
    double positive = a > 0 ? a : 0;
    return positive < 1 ? positive : 1;
}

/* neg and abs of float are additions of a zero, which make every NaN the same; of double they keep
 * its sign, and only make it quiet. */
static inline float real_neg32(float a)
{
    return real_canonical32(real_f32(real_b32(a) ^ REAL_SIGN32));
}

static inline float real_magnitude32(float a)
{
    return real_canonical32(real_abs32(a));
}

static inline double real_neg64(double a)
{
    return a == a ? real_f64(real_b64(a) ^ REAL_SIGN64) : real_quiet64(a);
}

static inline double real_magnitude64(double a)
{
    return a == a ? real_abs64(a) : real_quiet64(a);
}

/* A result of two (three) operands, where it is a NaN: that of the second operand, else of the third,
 * else of the first, or the one for operations without a result. */
static inline double real_result64(double result, double a, double b)
{
    double operand = b != b ? b : a != a ? a : real_f64(REAL_NAN64);
    return result == result ? result : real_quiet64(operand);
}

static inline double real_fused_result64(double result, double a, double b, double c)
{
    double operand = b != b ? b : c != c ? c : a != a ? a : real_f64(REAL_NAN64);
    return result == result ? result : real_quiet64(operand);
}

/* ---- to the nearest: add, sub, mul, fma ---------------------------------------------------------- */

static inline float real_add32(float a, float b)
{
    return real_canonical32(a + b);
}

static inline float real_sub32(float a, float b)
{
    return real_canonical32(a - b);
}

static inline float real_mul32(float a, float b)
{
    return real_canonical32(a * b);
}

static inline double real_add64(double a, double b)
{
    return real_result64(a + b, a, b);
}

static inline double real_sub64(double a, double b)
{
    return real_result64(a - b, a, b);
}

static inline double real_mul64(double a, double b)
{
    return real_result64(a * b, a, b);
}

/* Several instructions on the GPU, which keep the first of two NaNs. */
static inline double real_div64(double a, double b)
{
    return real_result64(a / b, b, a);
}

static inline double real_sqrt64(double a)
{
    return real_result64(__builtin_sqrt(a), a, a);
}

/* p + c, rounded to odd: where it is not exact, of its two neighbours the one whose last bit is set.
 * Rounding that again, to two bits less or fewer, gives what rounding the sum at once would. */
static inline double real_odd_sum(double p, double c)
{
    double sum = p + c, part = sum - p, rest = (p - (sum - part)) + (c - part);
    uint64_t bits = real_b64(sum), inward = (real_b64(rest) ^ bits) >> 63 & ~bits;
    uint64_t odd = (bits - inward) | 1;
    return real_f64(rest < 0 || rest > 0 ? odd : bits);
}

/* A double as a float, rounded to odd. */
static inline float real_odd32(double a)
{
    float near = (float)a;
    uint32_t outward = real_abs64((double)near) > real_abs64(a), inexact = (double)near != a;
    return a == a ? real_f32((real_b32(near) - outward) | inexact) : real_f32(REAL_NAN32);
}

#if defined __FMA__ || defined __aarch64__
#define REAL_HARDWARE_FMA 1
#else
#define REAL_HARDWARE_FMA 0
#endif

/* a * b + c, rounded once. Without an instruction for it the product of floats is exact in double. */
static inline float real_fma32(float a, float b, float c)
{
    float result = REAL_HARDWARE_FMA ? __builtin_fmaf(a, b, c)
                                     : (float)real_odd_sum((double)a * (double)b, (double)c);
    return real_canonical32(result);
}

/* mul.ftz and fma.ftz of operands that were flushed. A product is flushed when it is still subnormal
 * after rounding to 24 bits, which subnormal numbers do not have: 2^60 times the result tells. */
static inline float real_flushed32(float result, float scaled)
{
    return real_abs32(scaled) < 0x1p-66f ? real_copysign32(0, result) : result;
}

static inline float real_mul32_ftz(float a, float b)
{
    return real_flushed32(real_mul32(a, b), a * 0x1p60f * b);
}

static inline float real_fma32_ftz(float a, float b, float c)
{
    return real_flushed32(real_fma32(a, b, c), real_fma32(a * 0x1p60f, b, c * 0x1p60f));
}

double real_fma64_mode(double a, double b, double c, enum real_mode mode);

static inline double real_fma64(double a, double b, double c)
{
    if (!REAL_HARDWARE_FMA)
        return real_fma64_mode(a, b, c, REAL_RN);
    return real_fused_result64(__builtin_fma(a, b, c), a, b, c);
}

/* ---- min and max: -0 is less than +0; of a number and a NaN they are the number ------------------- */

static inline float real_min32(float a, float b)
{
    float less = a < b || b != b ? a : b;
    return real_canonical32(a == b ? real_f32(real_b32(a) | real_b32(b)) : less);
}

static inline float real_max32(float a, float b)
{
    float more = a > b || b != b ? a : b;
    return real_canonical32(a == b ? real_f32(real_b32(a) & real_b32(b)) : more);
}

/* Two NaNs give the second, as the instructions that ptxas makes of it do. */
static inline double real_min64(double a, double b)
{
    double less = a < b || (b != b && a == a) ? a : b;
    return real_quiet64(a == b ? real_f64(real_b64(a) | real_b64(b)) : less);
}

static inline double real_max64(double a, double b)
{
    double more = a > b || (b != b && a == a) ? a : b;
    return real_quiet64(a == b ? real_f64(real_b64(a) & real_b64(b)) : more);
}

/* .NaN: a NaN where an operand is one. */
static inline float real_min_nan32(float a, float b)
{
    return a == a && b == b ? real_min32(a, b) : real_f32(REAL_NAN32);
}

static inline float real_max_nan32(float a, float b)
{
    return a == a && b == b ? real_max32(a, b) : real_f32(REAL_NAN32);
}

/* .xorsign.abs: the min (max) of the sizes, with the exclusive or of both signs. The NaN of two NaNs
 * has none. */
static inline float real_xorsign32(float result, float a, float b)
{
    uint32_t sign = (real_b32(a) ^ real_b32(b)) & REAL_SIGN32;
    return result == result ? real_f32(real_b32(result) | sign) : result;
}

/* ---- rounding to a whole number, as a floating point number ---------------------------------------- */

/* To the nearest: below 2^23 (2^52), adding that leaves no fraction. */
static inline float real_nearest32(float a)
{
    float size = real_abs32(a), whole = size + 0x1p23f - 0x1p23f;
    return real_canonical32(size < 0x1p23f ? real_copysign32(whole, a) : a);
}

static inline double real_nearest64(double a)
{
    double size = real_abs64(a), whole = size + 0x1p52 - 0x1p52;
    return real_quiet64(size < 0x1p52 ? real_copysign64(whole, a) : a);
}

/* How far a whole number, the nearest of a, is moved: by 1 to where the mode wants it. The sign stays a's. */
static inline double real_step(double a, double near, enum real_mode mode)
{
    double down = near > a && (mode == REAL_RM || (mode == REAL_RZ && a > 0)) ? -1 : 0;
    return near < a && (mode == REAL_RP || (mode == REAL_RZ && a < 0)) ? 1 : down;
}

static inline float real_whole32(float a, enum real_mode mode)
{
    float near = real_nearest32(a);
    return real_canonical32(real_copysign32(near + (float)real_step(a, near, mode), a));
}

static inline double real_whole64(double a, enum real_mode mode)
{
    double near = real_nearest64(a);
    return real_quiet64(real_copysign64(near + real_step(a, near, mode), a));
}

/* ---- to and from integers: cvt.rzi.s32.f32 and its like -------------------------------------------- */

/* Toward zero, the nearest that there is where it is out of range, 0 for NaN. */
static inline int32_t real_s32(float a)
{
    int32_t whole = (int32_t)(real_abs32(a) < 0x1p31f ? a : 0);
    whole = a >= 0x1p31f ? INT32_MAX : whole;
    return a <= -0x1p31f ? INT32_MIN : whole;
}

static inline uint32_t real_u32(float a)
{
    uint32_t low = (uint32_t)(int32_t)(a > 0 && a < 0x1p31f ? a : 0);
    uint32_t high = (uint32_t)(int32_t)(a >= 0x1p31f && a < 0x1p32f ? a - 0x1p31f : 0);
    high = a >= 0x1p31f ? high | 0x80000000 : low;
    return a >= 0x1p32f ? UINT32_MAX : high;
}

/* In the mode, into so many bits (8 to 64), of which the result is the zero (sign) extension. NaN of
 * float gives 0, but 2^63 as 64 bits; NaN of double sets the highest bit alone. */
uint64_t real_integer32(float a, int bits, bool is_signed, enum real_mode mode);
uint64_t real_integer64(double a, int bits, bool is_signed, enum real_mode mode);

/* ---- other modes --------------------------------------------------------------------------------- */

/* What was rounded to odd (or not at all), as a float in the mode. */
static inline float real_round32(double a, enum real_mode mode)
{
    float near = (float)a;
    uint32_t bits = real_b32(near), negative = bits >> 31;
    bool outward = real_abs64((double)near) > real_abs64(a);
    bool inward = real_abs64((double)near) < real_abs64(a);
    bool grows = (mode == REAL_RM && negative) || (mode == REAL_RP && !negative);
    uint32_t grown = inward ? bits + 1 : bits, shrunk = outward ? bits - 1 : bits;
    uint32_t directed = grows ? grown : shrunk;
    return real_canonical32(real_f32(mode == REAL_RN ? bits : directed));
}

/* p + c as a double, rounded to odd. An exact zero that is a sum of numbers of different signs is -0 in mode rm. */
static inline double real_odd_sum_mode(double p, double c, enum real_mode mode)
{
    double sum = real_odd_sum(p, c);
    bool differ = (real_b64(p) ^ real_b64(c)) >> 63;
    return sum == 0 && differ && mode == REAL_RM ? -0.0 : sum;
}

static inline float real_add32_mode(float a, float b, enum real_mode mode)
{
    return real_round32(real_odd_sum_mode((double)a, (double)b, mode), mode);
}

static inline float real_sub32_mode(float a, float b, enum real_mode mode)
{
    return real_round32(real_odd_sum_mode((double)a, -(double)b, mode), mode);
}

static inline float real_mul32_mode(float a, float b, enum real_mode mode)
{
    return real_round32((double)a * (double)b, mode);
}

static inline float real_fma32_mode(float a, float b, float c, enum real_mode mode)
{
    return real_round32(real_odd_sum_mode((double)a * (double)b, (double)c, mode), mode);
}

/* With .ftz, of operands that were flushed. */
static inline float real_round32_ftz(double a, enum real_mode mode)
{
    return real_flushed32(real_round32(a, mode), real_round32(a * 0x1p60, mode));
}

static inline float real_mul32_ftz_mode(float a, float b, enum real_mode mode)
{
    return real_round32_ftz((double)a * (double)b, mode);
}

static inline float real_fma32_ftz_mode(float a, float b, float c, enum real_mode mode)
{
    return real_round32_ftz(real_odd_sum_mode((double)a * (double)b, (double)c, mode), mode);
}

/* A quotient (root) of floats that no float is equal to is further from every float, and every middle
 * of two, than double's rounding moves it. */
static inline float real_div32(float a, float b, enum real_mode mode)
{
    return real_round32((double)a / (double)b, mode);
}

static inline float real_sqrt32(float a, enum real_mode mode)
{
    return real_round32(__builtin_sqrt((double)a), mode);
}

double real_add64_mode(double a, double b, enum real_mode mode);
double real_mul64_mode(double a, double b, enum real_mode mode);
double real_div64_mode(double a, double b, enum real_mode mode);
double real_sqrt64_mode(double a, enum real_mode mode);

/* cvt.f32.f64 and cvt.f64.f32: a NaN keeps as much of its payload as fits. */
static inline float real_f32_f64(double a, enum real_mode mode)
{
    uint64_t bits = real_b64(a);
    uint32_t nan =
        (uint32_t)(bits >> 32 & REAL_SIGN32) | 0x7fc00000 | (uint32_t)(bits >> 29 & 0x3fffff);
    return a == a ? real_round32(a, mode) : real_f32(nan);
}

static inline double real_f64_f32(float a)
{
    uint64_t bits = real_b32(a);
    uint64_t nan =
        (bits & REAL_SIGN32) << 32 | UINT64_C(0x7ff8000000000000) | (bits & 0x3fffff) << 29;
    return a == a ? (double)a : real_f64(nan);
}

/* cvt.rp.f32.u64 and its like; the integer is extended to 64 bits as its type is. */
float real_f32_integer(uint64_t integer, bool is_signed, enum real_mode mode);
double real_f64_integer(uint64_t integer, bool is_signed, enum real_mode mode);

/* ---- testp ----------------------------------------------------------------------------------------- */

enum real_kind {
    REAL_FINITE,
    REAL_INFINITE,
    REAL_NUMBER,
    REAL_NOT_A_NUMBER,
    REAL_NORMAL, /* zeros too */
    REAL_SUBNORMAL,
};

bool real_is32(float a, enum real_kind kind);
bool real_is64(double a, enum real_kind kind);

#endif
