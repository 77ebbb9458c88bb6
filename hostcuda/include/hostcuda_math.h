/* hostcuda_math.h - arithmetic: what CUDA C++ has beyond <math.h>, and its intrinsics.
 *
 * Integer intrinsics are exact. Floating point is this machine's: +, -, *, / and square roots round
 * as a GPU's do; functions like sinf and fast ones like __sinf are glibc's, a few units in the last
 * place away from the GPU's; a * b + c is not fused unless the source says fmaf. */
#ifndef HOSTCUDA_MATH_H
#define HOSTCUDA_MATH_H

#include "vector_types.h"
#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- the smaller and the larger, of any two arithmetic types that CUDA pairs ---------------- */

#define HOSTCUDA_LESS(type, a, b)                                                                  \
    HOSTCUDA_INLINE constexpr type min(const a x, const b y)                                       \
    {                                                                                              \
        return (type)x < (type)y ? (type)x : (type)y;                                              \
    }                                                                                              \
    HOSTCUDA_INLINE constexpr type max(const a x, const b y)                                       \
    {                                                                                              \
        return (type)x > (type)y ? (type)x : (type)y;                                              \
    }
#define HOSTCUDA_LESS_MIXED(type, other)                                                           \
    HOSTCUDA_LESS(type, type, type)                                                                \
    HOSTCUDA_LESS(type, type, other) HOSTCUDA_LESS(type, other, type)
HOSTCUDA_LESS(int, int, int)
HOSTCUDA_LESS_MIXED(unsigned int, int)
HOSTCUDA_LESS(long, long, long)
HOSTCUDA_LESS_MIXED(unsigned long, long)
HOSTCUDA_LESS(long long, long long, long long)
HOSTCUDA_LESS_MIXED(unsigned long long, long long)
#undef HOSTCUDA_LESS
#undef HOSTCUDA_LESS_MIXED

/* of floating-point numbers: the other one when one is not a number */
HOSTCUDA_INLINE float min(float x, float y)
{
    return __builtin_fminf(x, y);
}
HOSTCUDA_INLINE float max(float x, float y)
{
    return __builtin_fmaxf(x, y);
}
#define HOSTCUDA_LESS(a, b)                                                                        \
    HOSTCUDA_INLINE double min(a x, b y)                                                           \
    {                                                                                              \
        return __builtin_fmin(x, y);                                                               \
    }                                                                                              \
    HOSTCUDA_INLINE double max(a x, b y)                                                           \
    {                                                                                              \
        return __builtin_fmax(x, y);                                                               \
    }
HOSTCUDA_LESS(double, double)
HOSTCUDA_LESS(float, double)
HOSTCUDA_LESS(double, float)
#undef HOSTCUDA_LESS

#define HOSTCUDA_MINMAX(prefix, type)                                                              \
    HOSTCUDA_INLINE type prefix##min(type x, type y)                                               \
    {                                                                                              \
        return x < y ? x : y;                                                                      \
    }                                                                                              \
    HOSTCUDA_INLINE type prefix##max(type x, type y)                                               \
    {                                                                                              \
        return x > y ? x : y;                                                                      \
    }
HOSTCUDA_MINMAX(u, unsigned int)
HOSTCUDA_MINMAX(ll, long long)
HOSTCUDA_MINMAX(ull, unsigned long long)
#undef HOSTCUDA_MINMAX

/* ---- functions that <math.h> lacks ------------------------------------------------------------- */

#define HOSTCUDA_FUNCTION(type, name, parameters, value)                                           \
    HOSTCUDA_QUIET static type name parameters                                                     \
    {                                                                                              \
        return value;                                                                              \
    }
/* name and namef, of one argument x: the float version is the double one, rounded. */
#define HOSTCUDA_FUNCTION_1(name, value)                                                           \
    HOSTCUDA_FUNCTION(double, name, (double x), value)                                             \
    HOSTCUDA_FUNCTION(float, name##f, (float x), (float)name((double)x))

/* The inverse of the normal distribution function: an estimate by bisection of erfc, which Newton's
   steps sharpen. */
HOSTCUDA_QUIET static double normcdfinv(double p)
{
    if (!(p > 0 && p < 1))
        return p == 0 ? -HUGE_VAL : p == 1 ? HUGE_VAL : NAN;
    double low = -40, high = 40, x;
    for (int i = 0; i < 60; i++) {
        x = (low + high) / 2;
        if (erfc(-x * M_SQRT1_2) / 2 < p)
            low = x;
        else
            high = x;
    }
    return (low + high) / 2;
}
HOSTCUDA_FUNCTION(float, normcdfinvf, (float p), (float)normcdfinv(p))
HOSTCUDA_FUNCTION_1(normcdf, erfc(-x *M_SQRT1_2) / 2)
HOSTCUDA_FUNCTION_1(erfinv, normcdfinv((x + 1) / 2) * M_SQRT1_2)
HOSTCUDA_FUNCTION_1(erfcinv, -normcdfinv(x / 2) * M_SQRT1_2)
HOSTCUDA_FUNCTION_1(erfcx, x < 25 ? exp(x * x) * erfc(x) : M_2_SQRTPI / 2 / (x + 0.5 / x))
HOSTCUDA_FUNCTION_1(rsqrt, 1 / sqrt(x))
HOSTCUDA_FUNCTION_1(rcbrt, 1 / cbrt(x))
/* In units of pi: reduced first, so that whole and half numbers come out exact. */
HOSTCUDA_QUIET static double sinpi(double x)
{
    double r = remainder(x, 2);
    if (fabs(r) == 1 || r == 0)
        return copysign(0, x);
    return fabs(r) == 0.5 ? 2 * r : sin(M_PI * r);
}
HOSTCUDA_QUIET static double cospi(double x)
{
    double r = fabs(remainder(x, 2));
    return r == 0.5 ? 0 : r == 1 ? -1 : cos(M_PI * r);
}
HOSTCUDA_FUNCTION(float, sinpif, (float x), (float)sinpi(x))
HOSTCUDA_FUNCTION(float, cospif, (float x), (float)cospi(x))
HOSTCUDA_FUNCTION_1(tanpi, sinpi(x) / cospi(x))
HOSTCUDA_FUNCTION(double, rhypot, (double x, double y), 1 / hypot(x, y))
HOSTCUDA_FUNCTION(float, rhypotf, (float x, float y), 1 / hypotf(x, y))
HOSTCUDA_FUNCTION(double, norm3d, (double x, double y, double z), hypot(hypot(x, y), z))
HOSTCUDA_FUNCTION(float, norm3df, (float x, float y, float z), (float)norm3d(x, y, z))
HOSTCUDA_FUNCTION(double, rnorm3d, (double x, double y, double z), 1 / norm3d(x, y, z))
HOSTCUDA_FUNCTION(float, rnorm3df, (float x, float y, float z), (float)rnorm3d(x, y, z))
HOSTCUDA_FUNCTION(double, norm4d, (double x, double y, double z, double w),
                  hypot(norm3d(x, y, z), w))
HOSTCUDA_FUNCTION(float, norm4df, (float x, float y, float z, float w), (float)norm4d(x, y, z, w))
HOSTCUDA_FUNCTION(float, rnorm4df, (float x, float y, float z, float w),
                  (float)(1 / norm4d(x, y, z, w)))
HOSTCUDA_FUNCTION(float, fdividef, (float x, float y), x / y)

HOSTCUDA_INLINE void sincospi(double x, double *sine, double *cosine)
{
    *sine = sinpi(x);
    *cosine = cospi(x);
}
HOSTCUDA_INLINE void sincospif(float x, float *sine, float *cosine)
{
    *sine = sinpif(x);
    *cosine = cospif(x);
}
HOSTCUDA_INLINE float rsqrt(float x)
{
    return rsqrtf(x);
}

/* ---- fast functions of one float ----------------------------------------------------------------- */

/* <math.h> declares functions of these names, which glibc keeps for itself. */
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __sincosf sincosf
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __powf powf
#define __tanhf tanhf
HOSTCUDA_FUNCTION(float, __frsqrt_rn, (float x), (float)(1 / sqrt((double)x)))
/* 0 for a divisor beyond 2^126 */
HOSTCUDA_FUNCTION(float, __fdividef, (float x, float y),
                  fabsf(y) > 0x1p126f && !isinf(y) ? (isinf(x) ? NAN : 0) : x / y)
HOSTCUDA_FUNCTION(float, __saturatef, (float x), x > 0 ? (x < 1 ? x : 1) : 0)

/* ---- arithmetic rounded as its name says ------------------------------------------------------- */

/* The operands are volatile, so that the compiler computes after the mode is set. */
#define HOSTCUDA_ROUNDED(type, name, from, parameters, value, mode)                                \
    HOSTCUDA_QUIET static type name parameters                                                     \
    {                                                                                              \
        volatile from x = a, y = b, z = c;                                                         \
        fesetround(mode);                                                                          \
        volatile type result = value;                                                              \
        fesetround(FE_TONEAREST);                                                                  \
        (void)x, (void)y, (void)z;                                                                 \
        return result;                                                                             \
    }
#define HOSTCUDA_MODES(type, name, from, parameters, value)                                        \
    HOSTCUDA_ROUNDED(type, name##_rn, from, parameters, value, FE_TONEAREST)                       \
    HOSTCUDA_ROUNDED(type, name##_rz, from, parameters, value, FE_TOWARDZERO)                      \
    HOSTCUDA_ROUNDED(type, name##_ru, from, parameters, value, FE_UPWARD)                          \
    HOSTCUDA_ROUNDED(type, name##_rd, from, parameters, value, FE_DOWNWARD)
#define HOSTCUDA_ONE(type) (type a, type b = 0, type c = 0)
#define HOSTCUDA_TWO(type) (type a, type b, type c = 0)
#define HOSTCUDA_THREE(type) (type a, type b, type c)
HOSTCUDA_MODES(float, __fadd, float, HOSTCUDA_TWO(float), x + y)
HOSTCUDA_MODES(float, __fsub, float, HOSTCUDA_TWO(float), x - y)
HOSTCUDA_MODES(float, __fmul, float, HOSTCUDA_TWO(float), x *y)
HOSTCUDA_MODES(float, __fdiv, float, HOSTCUDA_TWO(float), x / y)
HOSTCUDA_MODES(float, __frcp, float, HOSTCUDA_ONE(float), 1 / x)
HOSTCUDA_MODES(float, __fsqrt, float, HOSTCUDA_ONE(float), sqrtf(x))
HOSTCUDA_MODES(float, __fmaf, float, HOSTCUDA_THREE(float), fmaf(x, y, z))
HOSTCUDA_MODES(float, __fmaf_ieee, float, HOSTCUDA_THREE(float), fmaf(x, y, z))
HOSTCUDA_MODES(double, __dadd, double, HOSTCUDA_TWO(double), x + y)
HOSTCUDA_MODES(double, __dsub, double, HOSTCUDA_TWO(double), x - y)
HOSTCUDA_MODES(double, __dmul, double, HOSTCUDA_TWO(double), x *y)
HOSTCUDA_MODES(double, __ddiv, double, HOSTCUDA_TWO(double), x / y)
HOSTCUDA_MODES(double, __drcp, double, HOSTCUDA_ONE(double), 1 / x)
HOSTCUDA_MODES(double, __dsqrt, double, HOSTCUDA_ONE(double), sqrt(x))
HOSTCUDA_MODES(double, __fma, double, HOSTCUDA_THREE(double), fma(x, y, z))
HOSTCUDA_MODES(float, __int2float, int, HOSTCUDA_ONE(int), (float)x)
HOSTCUDA_MODES(float, __uint2float, unsigned, HOSTCUDA_ONE(unsigned), (float)x)
HOSTCUDA_MODES(float, __ll2float, long long, HOSTCUDA_ONE(long long), (float)x)
HOSTCUDA_MODES(float, __ull2float, unsigned long long, HOSTCUDA_ONE(unsigned long long), (float)x)
HOSTCUDA_MODES(double, __ll2double, long long, HOSTCUDA_ONE(long long), (double)x)
HOSTCUDA_MODES(double, __ull2double, unsigned long long, HOSTCUDA_ONE(unsigned long long),
               (double)x)
HOSTCUDA_MODES(float, __double2float, double, HOSTCUDA_ONE(double), (float)x)
#undef HOSTCUDA_ROUNDED
#undef HOSTCUDA_MODES
#undef HOSTCUDA_ONE
#undef HOSTCUDA_TWO
#undef HOSTCUDA_THREE
HOSTCUDA_INLINE double __int2double_rn(int x)
{
    return x;
}
HOSTCUDA_INLINE double __uint2double_rn(unsigned x)
{
    return x;
}

/* ---- to integers: out of range gives the nearest integer there is, not a number gives 0 ------ */

template <typename T> HOSTCUDA_QUIET T hostcuda_to_integer(double rounded)
{
    const double low =
        sizeof(T) == 8 ? ((T)-1 < 0 ? -0x1p63 : 0) : (double)((T)-1 < 0 ? INT_MIN : 0);
    const double past = ((T)-1 < 0 ? 0x1p31 : 0x1p32) * (sizeof(T) == 8 ? 0x1p32 : 1);
    if (!(rounded > low))
        return isnan(rounded) ? 0 : (T)low;
    return rounded >= past ? (T) ~((T)-1 < 0 ? (T)((T)1 << (8 * sizeof(T) - 1)) : (T)0)
                           : (T)rounded;
}
#define HOSTCUDA_TO_INTEGER(from, name, to)                                                        \
    HOSTCUDA_FUNCTION(to, name##_rn, (from x), hostcuda_to_integer<to>(nearbyint((double)x)))      \
    HOSTCUDA_FUNCTION(to, name##_rz, (from x), hostcuda_to_integer<to>(trunc((double)x)))          \
    HOSTCUDA_FUNCTION(to, name##_ru, (from x), hostcuda_to_integer<to>(ceil((double)x)))           \
    HOSTCUDA_FUNCTION(to, name##_rd, (from x), hostcuda_to_integer<to>(floor((double)x)))
HOSTCUDA_TO_INTEGER(float, __float2int, int)
HOSTCUDA_TO_INTEGER(float, __float2uint, unsigned int)
HOSTCUDA_TO_INTEGER(float, __float2ll, long long)
HOSTCUDA_TO_INTEGER(float, __float2ull, unsigned long long)
HOSTCUDA_TO_INTEGER(double, __double2int, int)
HOSTCUDA_TO_INTEGER(double, __double2uint, unsigned int)
HOSTCUDA_TO_INTEGER(double, __double2ll, long long)
HOSTCUDA_TO_INTEGER(double, __double2ull, unsigned long long)
#undef HOSTCUDA_TO_INTEGER

/* ---- bits ------------------------------------------------------------------------------------------ */

/* __builtin_bit_cast is one of gcc 11. */
#define HOSTCUDA_SAME_BITS(to, name, from)                                                         \
    HOSTCUDA_INLINE to name(from x)                                                                \
    {                                                                                              \
        return __builtin_bit_cast(to, x);                                                          \
    }
HOSTCUDA_SAME_BITS(int, __float_as_int, float)
HOSTCUDA_SAME_BITS(unsigned int, __float_as_uint, float)
HOSTCUDA_SAME_BITS(float, __int_as_float, int)
HOSTCUDA_SAME_BITS(float, __uint_as_float, unsigned int)
HOSTCUDA_SAME_BITS(long long, __double_as_longlong, double)
HOSTCUDA_SAME_BITS(double, __longlong_as_double, long long)
#undef HOSTCUDA_SAME_BITS
HOSTCUDA_INLINE int __double2hiint(double x)
{
    return (int)(__double_as_longlong(x) >> 32);
}
HOSTCUDA_INLINE int __double2loint(double x)
{
    return (int)__double_as_longlong(x);
}
HOSTCUDA_INLINE double __hiloint2double(int high, int low)
{
    return __longlong_as_double(
        (long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

HOSTCUDA_FUNCTION(int, __clz, (int x), x == 0 ? 32 : __builtin_clz((unsigned)x))
HOSTCUDA_FUNCTION(int, __clzll, (long long x), x == 0 ? 64 : __builtin_clzll((unsigned long long)x))
HOSTCUDA_INLINE int __ffs(int x)
{
    return __builtin_ffs(x);
}
HOSTCUDA_INLINE int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
HOSTCUDA_INLINE int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
HOSTCUDA_INLINE int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
HOSTCUDA_QUIET static unsigned __brev(unsigned x)
{
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
    return __builtin_bswap32(x);
}
HOSTCUDA_FUNCTION(unsigned long long, __brevll, (unsigned long long x),
                  (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32)))
/* The position of the n-th set bit from base, upwards (n > 0), downwards (n < 0); ~0: none. */
HOSTCUDA_QUIET static unsigned __fns(unsigned mask, unsigned base, int n)
{
    int step = n < 0 ? -1 : 1, left = n < 0 ? -n : n;
    if (n == 0)
        return mask >> base & 1 ? base : ~0u;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if ((mask >> at & 1) && --left == 0)
            return (unsigned)at;
    return ~0u;
}
HOSTCUDA_QUIET static unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        unsigned byte = (unsigned)(bytes >> 8 * (selector >> 4 * i & 7)) & 255;
        result |= byte << 8 * i;
    }
    return result;
}
HOSTCUDA_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
HOSTCUDA_INLINE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) << umin(shift, 32) >> 32);
}
HOSTCUDA_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
HOSTCUDA_INLINE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> umin(shift, 32));
}

/* ---- integers ---------------------------------------------------------------------------------------- */

HOSTCUDA_INLINE int __mul24(int x, int y) /* of the low 24 bits, as signed numbers */
{
    return (int)((unsigned)((int)((unsigned)x << 8) >> 8) *
                 (unsigned)((int)((unsigned)y << 8) >> 8));
}
HOSTCUDA_INLINE unsigned __umul24(unsigned x, unsigned y)
{
    return (x & 0xffffff) * (y & 0xffffff);
}
HOSTCUDA_INLINE int mul24(int x, int y)
{
    return __mul24(x, y);
}
HOSTCUDA_INLINE unsigned umul24(unsigned x, unsigned y)
{
    return __umul24(x, y);
}
HOSTCUDA_INLINE int __mulhi(int x, int y)
{
    return (int)((long long)x * y >> 32);
}
HOSTCUDA_INLINE unsigned __umulhi(unsigned x, unsigned y)
{
    return (unsigned)((unsigned long long)x * y >> 32);
}
HOSTCUDA_INLINE long long __mul64hi(long long x, long long y)
{
    return (long long)((__extension__(__int128) x * y) >> 64);
}
HOSTCUDA_INLINE unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((__extension__(unsigned __int128) x * y) >> 64);
}
HOSTCUDA_INLINE unsigned __sad(int x, int y, unsigned sum)
{
    return sum + (unsigned)(x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x);
}
HOSTCUDA_INLINE unsigned __usad(unsigned x, unsigned y, unsigned sum)
{
    return sum + (x > y ? x - y : y - x);
}
HOSTCUDA_INLINE int __hadd(int x, int y) /* averages, rounded down or (r) up */
{
    return (int)(((long long)x + y) >> 1);
}
HOSTCUDA_INLINE int __rhadd(int x, int y)
{
    return (int)(((long long)x + y + 1) >> 1);
}
HOSTCUDA_INLINE unsigned __uhadd(unsigned x, unsigned y)
{
    return (unsigned)(((unsigned long long)x + y) >> 1);
}
HOSTCUDA_INLINE unsigned __urhadd(unsigned x, unsigned y)
{
    return (unsigned)(((unsigned long long)x + y + 1) >> 1);
}

/* Part i of a word as a number: parts of 8 or 16 bits. */
template <typename T> HOSTCUDA_INLINE int hostcuda_part(unsigned word, int i)
{
    return (T)(word >> 8 * (int)sizeof(T) * i);
}
HOSTCUDA_QUIET static int __dp4a(int x, int y, int sum)
{
    for (int i = 0; i < 4; i++)
        sum += hostcuda_part<int8_t>((unsigned)x, i) * hostcuda_part<int8_t>((unsigned)y, i);
    return sum;
}
HOSTCUDA_QUIET static unsigned __dp4a(unsigned x, unsigned y, unsigned sum)
{
    for (int i = 0; i < 4; i++)
        sum += (unsigned)(hostcuda_part<uint8_t>(x, i) * hostcuda_part<uint8_t>(y, i));
    return sum;
}
HOSTCUDA_QUIET static int __dp2a_lo(int x, int y, int sum)
{
    for (int i = 0; i < 2; i++)
        sum += hostcuda_part<int16_t>((unsigned)x, i) * hostcuda_part<int8_t>((unsigned)y, i);
    return sum;
}
HOSTCUDA_QUIET static int __dp2a_hi(int x, int y, int sum)
{
    return __dp2a_lo(x, (int)((unsigned)y >> 16), sum);
}

/* Two or four small numbers in a word: x and y are the parts, the low bits of value the result. */
#define HOSTCUDA_PARTS(name, number, value)                                                        \
    HOSTCUDA_QUIET static unsigned name(unsigned a, unsigned b)                                    \
    {                                                                                              \
        const int bits = 8 * (int)sizeof(number);                                                  \
        unsigned result = 0;                                                                       \
        for (int i = 0; i < 32 / bits; i++) {                                                      \
            int x = hostcuda_part<number>(a, i), y = hostcuda_part<number>(b, i);                  \
            result |= ((unsigned)(value) & ((1u << bits) - 1)) << bits * i;                        \
        }                                                                                          \
        return result;                                                                             \
    }
#define HOSTCUDA_PARTS_OF(n, s, u)                                                                 \
    HOSTCUDA_PARTS(__vadd##n, u, x + y)                                                            \
    HOSTCUDA_PARTS(__vsub##n, u, x - y)                                                            \
    HOSTCUDA_PARTS(__vaddus##n, u, x + y > (u)-1 ? (u)-1 : x + y)                                  \
    HOSTCUDA_PARTS(__vsubus##n, u, x > y ? x - y : 0)                                              \
    HOSTCUDA_PARTS(__vavgu##n, u, (x + y + 1) >> 1)                                                \
    HOSTCUDA_PARTS(__vhaddu##n, u, (x + y) >> 1)                                                   \
    HOSTCUDA_PARTS(__vmaxs##n, s, x > y ? x : y)                                                   \
    HOSTCUDA_PARTS(__vmins##n, s, x < y ? x : y)                                                   \
    HOSTCUDA_PARTS(__vmaxu##n, u, x > y ? x : y)                                                   \
    HOSTCUDA_PARTS(__vminu##n, u, x < y ? x : y)                                                   \
    HOSTCUDA_PARTS(__vabsdiffs##n, s, x > y ? x - y : y - x)                                       \
    HOSTCUDA_PARTS(__vabsdiffu##n, u, x > y ? x - y : y - x)                                       \
    HOSTCUDA_PARTS(__vcmpeq##n, u, x == y ? -1 : 0)                                                \
    HOSTCUDA_PARTS(__vcmpne##n, u, x != y ? -1 : 0)                                                \
    HOSTCUDA_PARTS(__vcmpgts##n, s, x > y ? -1 : 0)                                                \
    HOSTCUDA_PARTS(__vcmpges##n, s, x >= y ? -1 : 0)                                               \
    HOSTCUDA_PARTS(__vcmplts##n, s, x < y ? -1 : 0)                                                \
    HOSTCUDA_PARTS(__vcmples##n, s, x <= y ? -1 : 0)                                               \
    HOSTCUDA_PARTS(__vcmpgtu##n, u, x > y ? -1 : 0)                                                \
    HOSTCUDA_PARTS(__vcmpgeu##n, u, x >= y ? -1 : 0)                                               \
    HOSTCUDA_PARTS(__vcmpltu##n, u, x < y ? -1 : 0)                                                \
    HOSTCUDA_PARTS(__vcmpleu##n, u, x <= y ? -1 : 0)                                               \
    HOSTCUDA_PARTS(__vseteq##n, u, x == y)                                                         \
    HOSTCUDA_PARTS(__vsetgtu##n, u, x > y)                                                         \
    HOSTCUDA_QUIET static unsigned __vsadu##n(unsigned a, unsigned b)                              \
    {                                                                                              \
        unsigned sum = 0;                                                                          \
        for (int i = 0; i < n; i++)                                                                \
            sum += (unsigned)abs(hostcuda_part<u>(a, i) - hostcuda_part<u>(b, i));                 \
        return sum;                                                                                \
    }                                                                                              \
    HOSTCUDA_QUIET static unsigned __vsads##n(unsigned a, unsigned b)                              \
    {                                                                                              \
        unsigned sum = 0;                                                                          \
        for (int i = 0; i < n; i++)                                                                \
            sum += (unsigned)abs(hostcuda_part<s>(a, i) - hostcuda_part<s>(b, i));                 \
        return sum;                                                                                \
    }                                                                                              \
    HOSTCUDA_INLINE unsigned __vneg##n(unsigned a)                                                 \
    {                                                                                              \
        return __vsub##n(0, a);                                                                    \
    }
HOSTCUDA_PARTS_OF(2, int16_t, uint16_t)
HOSTCUDA_PARTS_OF(4, int8_t, uint8_t)
#undef HOSTCUDA_PARTS
#undef HOSTCUDA_PARTS_OF
#undef HOSTCUDA_FUNCTION_1
#undef HOSTCUDA_FUNCTION

#endif
