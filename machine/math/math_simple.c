/* math_simple.c - the functions of libdevice that are an instruction or two: the fast ones, integers and
 * bits.
 */
#include "machine/math/approx.h"
#include "machine/math/math_calls.h"

/* ---- fast -------------------------------------------------------------------------------------------- */

float math_fast_exp(float a, float b)
{
    (void)b;
    return real_ex2(a * 0x1.715476p+0f);
}

float math_fast_exp10(float a, float b)
{
    (void)b;
    return real_ex2(a * 0x1.a934f0p+1f);
}

float math_fast_log2(float a, float b)
{
    (void)b;
    return real_lg2(a);
}

float math_fast_log(float a, float b)
{
    (void)b;
    return real_lg2(a) * 0x1.62e430p-1f;
}

float math_fast_log10(float a, float b)
{
    (void)b;
    return real_lg2(a) * 0x1.344136p-2f;
}

float math_fast_pow(float a, float b)
{
    return real_ex2(b * real_lg2(a));
}

float math_fast_sin(float a, float b)
{
    (void)b;
    return real_sin(a);
}

float math_fast_cos(float a, float b)
{
    (void)b;
    return real_cos(a);
}

float math_fast_tan(float a, float b)
{
    (void)b;
    return real_div_approx(real_sin(a), real_cos(a));
}

float math_fast_tanh(float a, float b)
{
    (void)b;
    return real_tanh(a);
}

float math_fast_divide(float a, float b)
{
    return real_div_approx(a, b);
}

float math_saturate(float a, float b)
{
    (void)b;
    return real_sat32(a);
}

double math_powi(double x, int power)
{
    return math_pow(x, power);
}

/* ---- integers ---------------------------------------------------------------------------------------- */

#define WORDS(name) uint64_t name(uint64_t a, uint64_t b, uint64_t c)
#define ONE(name, result)                                                                          \
    WORDS(name)                                                                                    \
    {                                                                                              \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        return result;                                                                             \
    }
#define TWO(name, result)                                                                          \
    WORDS(name)                                                                                    \
    {                                                                                              \
        (void)c;                                                                                   \
        return result;                                                                             \
    }
#define THREE(name, result)                                                                        \
    WORDS(name)                                                                                    \
    {                                                                                              \
        return result;                                                                             \
    }

static bool less(uint64_t a, uint64_t b)
{
    return (int64_t)a < (int64_t)b;
}

static uint64_t reversed(uint64_t a, int bits)
{
    uint64_t result = 0;
    for (int i = 0; i < bits; i++)
        result |= (a >> i & 1) << (bits - 1 - i);
    return result;
}

static uint64_t ones(uint64_t a)
{
    uint64_t count = 0;
    for (; a; a &= a - 1)
        count++;
    return count;
}

static uint64_t leading_zeros(uint64_t a, int bits)
{
    uint64_t count = 0;
    for (int i = bits - 1; i >= 0 && !(a >> i & 1); i--)
        count++;
    return count;
}

/* The place of the lowest set bit, from 1; 0: there is none. */
static uint64_t first_set(uint64_t a)
{
    return a ? ones(a ^ (a - 1)) : 0;
}

/* The upper 64 bits of a product, by halves. */
static uint64_t high_product(uint64_t a, uint64_t b)
{
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t low = al * bl, cross = ah * bl + (low >> 32), other = al * bh + (uint32_t)cross;
    return ah * bh + (cross >> 32) + (other >> 32);
}

/* 24 bits with their sign. */
static int64_t low_24(uint64_t a)
{
    return (int64_t)((a & 0xffffff) ^ 0x800000) - 0x800000;
}

/* Each digit of c chooses one of eight bytes. */
static uint64_t permuted(uint64_t bytes, uint64_t c)
{
    uint64_t result = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t digit = c >> (4 * i), byte = bytes >> (8 * (digit & 7)) & 255;
        result |= byte << (8 * i);
    }
    return result;
}

ONE(math_abs, less(a, 0) ? 0 - a : a)
TWO(math_min, less(a, b) ? a : b)
TWO(math_max, less(a, b) ? b : a)
TWO(math_umin, a < b ? a : b)
TWO(math_umax, a < b ? b : a)
ONE(math_brev, reversed(a, 32))
ONE(math_brevll, reversed(a, 64))
THREE(math_byte_perm, permuted((uint32_t)a | b << 32, c))
ONE(math_clz, leading_zeros(a, 32))
ONE(math_clzll, leading_zeros(a, 64))
ONE(math_ffs, first_set(a))
ONE(math_popc, ones(a))
TWO(math_hadd, (uint64_t)((int64_t)(a + b) >> 1))
TWO(math_rhadd, (uint64_t)((int64_t)(a + b + 1) >> 1))
TWO(math_mul24, (uint64_t)(low_24(a) * low_24(b)))
TWO(math_umul24, (a & 0xffffff) * (b & 0xffffff))
TWO(math_mulhi, (uint64_t)((int64_t)(a *b) >> 32))
TWO(math_umul64hi, high_product(a, b))
TWO(math_mul64hi, high_product(a, b) - (less(a, 0) ? b : 0) - (less(b, 0) ? a : 0))
THREE(math_sad, (less(a, b) ? b - a : a - b) + c)
THREE(math_usad, (a < b ? b - a : a - b) + c)

/* ---- bits of numbers --------------------------------------------------------------------------------- */

ONE(math_same, a)
ONE(math_upper, a >> 32)
TWO(math_joined, a << 32 | (uint32_t)b)
ONE(math_half_of, real_f16_f32(real_f32((uint32_t)a)))
ONE(math_of_half, real_b32(real_f32_f16((uint16_t)a)))
ONE(math_llround, real_integer64(math_round(real_f64(a)), 64, true, REAL_RZ))
ONE(math_llroundf, real_integer64(math_round((double)real_f32((uint32_t)a)), 64, true, REAL_RZ))
ONE(math_ilogb_word, (uint64_t)math_ilogb(real_f64(a)))
ONE(math_ilogbf_word, (uint64_t)math_ilogb((double)real_f32((uint32_t)a)))
ONE(math_isfinite, real_is64(real_f64(a), REAL_FINITE))
ONE(math_isinf, real_is64(real_f64(a), REAL_INFINITE))
ONE(math_isnan, real_is64(real_f64(a), REAL_NOT_A_NUMBER))
ONE(math_signbit, a >> 63)
ONE(math_isfinitef, real_is32(real_f32((uint32_t)a), REAL_FINITE))
ONE(math_isinff, real_is32(real_f32((uint32_t)a), REAL_INFINITE))
ONE(math_isnanf, real_is32(real_f32((uint32_t)a), REAL_NOT_A_NUMBER))
ONE(math_signbitf, a >> 31 & 1)
ONE(math_nan, a * 0 + UINT64_C(0x7ff8000000000000))
ONE(math_nanf, a * 0 + REAL_NAN32)
