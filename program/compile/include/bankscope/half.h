/* half.h - what fp16 and bf16 have in common. No guard: cuda_fp16.h and cuda_bf16.h include it
 * once each, having defined
 *
 *     HALF, HALF2, HALF_RAW, HALF2_RAW  the names of the types
 *     HALF_NAME(before, behind)         __float2half_rn is HALF_NAME(__float2, _rn)
 *     HALF_TYPE                         "f16", as PTX has it
 *     HALF_WIDEN(bits)                  a float, exact
 *     HALF_ROUND(float)                 the bits of what is nearest, ties to even
 *
 * Sums, products and quotients are computed as floats, which are wide enough for the second rounding
 * to change nothing; fused ones as doubles. */

#ifdef __CUDA__
#define BANKSCOPE_SATURATE(value) __saturatef(value)
#define BANKSCOPE_WITHIN(value, low, high) min(max(value, low), high)
#else /* a source of host code alone, where these are nobody's names */
#include <math.h>
#define BANKSCOPE_SATURATE(value) fmaxf(0, fminf(value, 1))
#define BANKSCOPE_WITHIN(value, low, high) (value < low ? low : value > high ? high : value)
#endif
#pragma clang force_cuda_host_device begin
#ifndef BANKSCOPE_TO_INTEGER
#define BANKSCOPE_TO_INTEGER
#include <limits.h>
template <typename T> BANKSCOPE_INLINE T bankscope_to_integer(double rounded)
{
    const double low =
        sizeof(T) == 8 ? ((T)-1 < 0 ? -0x1p63 : 0) : (double)((T)-1 < 0 ? INT_MIN : 0);
    const double past = ((T)-1 < 0 ? 0x1p31 : 0x1p32) * (sizeof(T) == 8 ? 0x1p32 : 1);
    if (!(rounded > low))
        return rounded != rounded ? 0 : (T)low;
    return rounded >= past ? (T) ~((T)-1 < 0 ? (T)((T)1 << (8 * sizeof(T) - 1)) : (T)0)
                           : (T)rounded;
}
#endif
/* ---- the type ------------------------------------------------------------------------------------- */

struct HALF_RAW {
    unsigned short x;
};
struct HALF2_RAW {
    unsigned short x, y;
};
struct HALF;
static float bankscope_widen(HALF half);
static void bankscope_round(float value, HALF *half);

struct HALF {
    unsigned short bits;

    HALF() = default;
    constexpr HALF(const HALF_RAW &raw) : bits(raw.x)
    {
    }
#define BANKSCOPE_FROM(type)                                                                       \
    HALF(type value)                                                                               \
    {                                                                                              \
        bankscope_round((float)value, this);                                                       \
    }
    BANKSCOPE_FROM(float)
    BANKSCOPE_FROM(double)
    BANKSCOPE_FROM(short)
    BANKSCOPE_FROM(unsigned short)
    BANKSCOPE_FROM(int)
    BANKSCOPE_FROM(unsigned int)
    BANKSCOPE_FROM(long)
    BANKSCOPE_FROM(unsigned long)
    BANKSCOPE_FROM(long long)
    BANKSCOPE_FROM(unsigned long long)
#undef BANKSCOPE_FROM
    operator float() const
    {
        return bankscope_widen(*this);
    }
    operator HALF_RAW() const
    {
        return {bits};
    }
};

BANKSCOPE_INLINE float bankscope_widen(HALF half)
{
    return HALF_WIDEN(half.bits);
}
BANKSCOPE_INLINE void bankscope_round(float value, HALF *half)
{
    half->bits = HALF_ROUND(value);
}

/* ---- the pair ------------------------------------------------------------------------------------- */

struct __attribute__((aligned(4))) HALF2 {
    HALF x, y;
    HALF2() = default;
    constexpr HALF2(const HALF &x, const HALF &y) : x(x), y(y)
    {
    }
};
BANKSCOPE_INLINE HALF bankscope_rounded(float value, const HALF *)
{
    HALF half;
    bankscope_round(value, &half);
    return half;
}
#define BANKSCOPE_HALF(value) bankscope_rounded(value, (const HALF *)0)
BANKSCOPE_INLINE HALF2 __halves2half2(HALF low, HALF high)
{
    return HALF2(low, high);
}
BANKSCOPE_INLINE HALF2 __half2half2(HALF both)
{
    return HALF2(both, both);
}
BANKSCOPE_INLINE HALF __low2half(HALF2 a)
{
    return a.x;
}
BANKSCOPE_INLINE HALF __high2half(HALF2 a)
{
    return a.y;
}
BANKSCOPE_INLINE float __low2float(HALF2 a)
{
    return bankscope_widen(a.x);
}
BANKSCOPE_INLINE float __high2float(HALF2 a)
{
    return bankscope_widen(a.y);
}
BANKSCOPE_INLINE HALF2 __low2half2(HALF2 a)
{
    return HALF2(a.x, a.x);
}
BANKSCOPE_INLINE HALF2 __high2half2(HALF2 a)
{
    return HALF2(a.y, a.y);
}
BANKSCOPE_INLINE HALF2 __lows2half2(HALF2 a, HALF2 b)
{
    return HALF2(a.x, b.x);
}
BANKSCOPE_INLINE HALF2 __highs2half2(HALF2 a, HALF2 b)
{
    return HALF2(a.y, b.y);
}
BANKSCOPE_INLINE HALF2 __lowhigh2highlow(HALF2 a)
{
    return HALF2(a.y, a.x);
}

/* ---- arithmetic -------------------------------------------------------------------------------------- */

/* __hadd_rn and, of a pair, __hadd2_rn. */
#define BANKSCOPE_BINARY(name, behind, value)                                                      \
    BANKSCOPE_INLINE HALF __h##name##behind(HALF a, HALF b)                                        \
    {                                                                                              \
        float x = bankscope_widen(a), y = bankscope_widen(b);                                      \
        return BANKSCOPE_HALF(value);                                                              \
    }                                                                                              \
    BANKSCOPE_INLINE HALF2 __h##name##2##behind(HALF2 a, HALF2 b)                                  \
    {                                                                                              \
        return HALF2(__h##name##behind(a.x, b.x), __h##name##behind(a.y, b.y));                    \
    }
BANKSCOPE_BINARY(add, , x + y)
BANKSCOPE_BINARY(sub, , x - y)
BANKSCOPE_BINARY(mul, , x *y)
BANKSCOPE_BINARY(add, _rn, x + y)
BANKSCOPE_BINARY(sub, _rn, x - y)
BANKSCOPE_BINARY(mul, _rn, x *y)
BANKSCOPE_BINARY(add, _sat, BANKSCOPE_SATURATE(x + y))
BANKSCOPE_BINARY(sub, _sat, BANKSCOPE_SATURATE(x - y))
BANKSCOPE_BINARY(mul, _sat, BANKSCOPE_SATURATE(x *y))
BANKSCOPE_BINARY(max, , fmaxf(x, y))
BANKSCOPE_BINARY(min, , fminf(x, y))
BANKSCOPE_BINARY(max, _nan, isnan(x) || isnan(y) ? x + y : fmaxf(x, y))
BANKSCOPE_BINARY(min, _nan, isnan(x) || isnan(y) ? x + y : fminf(x, y))
#undef BANKSCOPE_BINARY
BANKSCOPE_INLINE HALF __hdiv(HALF a, HALF b)
{
    return BANKSCOPE_HALF(bankscope_widen(a) / bankscope_widen(b));
}
BANKSCOPE_INLINE HALF2 __h2div(HALF2 a, HALF2 b)
{
    return HALF2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
BANKSCOPE_INLINE HALF __hfma(HALF a, HALF b, HALF c)
{
#ifdef __CUDA_ARCH__
    HALF r;
    __asm__("fma.rn." HALF_TYPE " %0, %1, %2, %3;"
            : "=h"(r.bits)
            : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return r;
#else
    /* The double is rounded to a float by way of an odd last bit, so that only the last rounding
       counts. */
    double exact = (double)bankscope_widen(a) * bankscope_widen(b) + bankscope_widen(c);
    float near = (float)exact;
    if ((double)near != exact && isfinite(near)) {
        float toward_zero = fabs((double)near) > fabs(exact) ? nextafterf(near, 0) : near;
        near = __builtin_bit_cast(float, __builtin_bit_cast(unsigned, toward_zero) | 1);
    }
    return BANKSCOPE_HALF(near);
#endif
}
BANKSCOPE_INLINE HALF2 __hfma2(HALF2 a, HALF2 b, HALF2 c)
{
    return HALF2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
BANKSCOPE_INLINE HALF __hfma_sat(HALF a, HALF b, HALF c)
{
    return BANKSCOPE_HALF(BANKSCOPE_SATURATE(bankscope_widen(__hfma(a, b, c))));
}
BANKSCOPE_INLINE HALF2 __hfma2_sat(HALF2 a, HALF2 b, HALF2 c)
{
    return HALF2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
BANKSCOPE_INLINE HALF __hfma_relu(HALF a, HALF b, HALF c)
{
    float x = bankscope_widen(__hfma(a, b, c));
    return BANKSCOPE_HALF(x <= 0 ? 0 : x); /* what is not a number stays so */
}
BANKSCOPE_INLINE HALF2 __hfma2_relu(HALF2 a, HALF2 b, HALF2 c)
{
    return HALF2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
/* a * b + c of complex numbers. */
BANKSCOPE_INLINE HALF2 __hcmadd(HALF2 a, HALF2 b, HALF2 c)
{
    HALF2 minus = HALF2(HALF(HALF_RAW{(unsigned short)(a.y.bits ^ 0x8000)}), a.y);
    return __hfma2(minus, HALF2(b.y, b.x), __hfma2(HALF2(a.x, a.x), b, c));
}

/* Functions of one number; h2NAME is of a pair. */
#define BANKSCOPE_UNARY(name, name2, value)                                                        \
    BANKSCOPE_INLINE HALF name(HALF a)                                                             \
    {                                                                                              \
        float x = bankscope_widen(a);                                                              \
        return BANKSCOPE_HALF(value);                                                              \
    }                                                                                              \
    BANKSCOPE_INLINE HALF2 name2(HALF2 a)                                                          \
    {                                                                                              \
        return HALF2(name(a.x), name(a.y));                                                        \
    }
BANKSCOPE_UNARY(__hneg, __hneg2, -x)
BANKSCOPE_UNARY(__habs, __habs2, fabsf(x))
BANKSCOPE_UNARY(hsqrt, h2sqrt, (float)sqrt((double)x))
BANKSCOPE_UNARY(hrsqrt, h2rsqrt, (float)(1 / sqrt((double)x)))
BANKSCOPE_UNARY(hrcp, h2rcp, 1 / x)
BANKSCOPE_UNARY(hexp, h2exp, expf(x))
BANKSCOPE_UNARY(hexp2, h2exp2, exp2f(x))
BANKSCOPE_UNARY(hexp10, h2exp10, exp10f(x))
BANKSCOPE_UNARY(hlog, h2log, logf(x))
BANKSCOPE_UNARY(hlog2, h2log2, log2f(x))
BANKSCOPE_UNARY(hlog10, h2log10, log10f(x))
BANKSCOPE_UNARY(hsin, h2sin, sinf(x))
BANKSCOPE_UNARY(hcos, h2cos, cosf(x))
BANKSCOPE_UNARY(htanh, h2tanh, tanhf(x))
BANKSCOPE_UNARY(htanh_approx, h2tanh_approx, tanhf(x))
BANKSCOPE_UNARY(hceil, h2ceil, ceilf(x))
BANKSCOPE_UNARY(hfloor, h2floor, floorf(x))
BANKSCOPE_UNARY(htrunc, h2trunc, truncf(x))
BANKSCOPE_UNARY(hrint, h2rint, nearbyintf(x))
#undef BANKSCOPE_UNARY

/* ---- comparisons: ordered ones are false where one is not a number, those with a u true ------- */

/* Of pairs: 1 or 0 each, whether both, all bits of those that are. */
#define BANKSCOPE_OF_PAIRS(name)                                                                   \
    BANKSCOPE_INLINE HALF2 __h##name##2(HALF2 a, HALF2 b)                                          \
    {                                                                                              \
        return HALF2(BANKSCOPE_HALF(__h##name(a.x, b.x)), BANKSCOPE_HALF(__h##name(a.y, b.y)));    \
    }                                                                                              \
    BANKSCOPE_INLINE bool __hb##name##2(HALF2 a, HALF2 b)                                          \
    {                                                                                              \
        return __h##name(a.x, b.x) & __h##name(a.y, b.y);                                          \
    }                                                                                              \
    BANKSCOPE_INLINE unsigned __h##name##2_mask(HALF2 a, HALF2 b)                                  \
    {                                                                                              \
        return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0);      \
    }
#define BANKSCOPE_COMPARE(name, ordered)                                                           \
    BANKSCOPE_INLINE bool __h##name(HALF a, HALF b)                                                \
    {                                                                                              \
        float x = bankscope_widen(a), y = bankscope_widen(b);                                      \
        return !isnan(x) && !isnan(y) && (ordered);                                                \
    }                                                                                              \
    BANKSCOPE_INLINE bool __h##name##u(HALF a, HALF b)                                             \
    {                                                                                              \
        float x = bankscope_widen(a), y = bankscope_widen(b);                                      \
        return isnan(x) || isnan(y) || (ordered);                                                  \
    }                                                                                              \
    BANKSCOPE_OF_PAIRS(name)                                                                       \
    BANKSCOPE_OF_PAIRS(name##u)
BANKSCOPE_COMPARE(eq, x == y)
BANKSCOPE_COMPARE(ne, x != y)
BANKSCOPE_COMPARE(lt, x < y)
BANKSCOPE_COMPARE(le, x <= y)
BANKSCOPE_COMPARE(gt, x > y)
BANKSCOPE_COMPARE(ge, x >= y)
#undef BANKSCOPE_COMPARE
#undef BANKSCOPE_OF_PAIRS
BANKSCOPE_INLINE bool __hisnan(HALF a)
{
    return isnan(bankscope_widen(a));
}
BANKSCOPE_INLINE HALF2 __hisnan2(HALF2 a)
{
    return HALF2(BANKSCOPE_HALF(__hisnan(a.x)), BANKSCOPE_HALF(__hisnan(a.y)));
}
BANKSCOPE_INLINE int __hisinf(HALF a)
{
    float x = bankscope_widen(a);
    return isinf(x) ? (x < 0 ? -1 : 1) : 0;
}

#define BANKSCOPE_OPERATOR(sign, name)                                                             \
    BANKSCOPE_INLINE HALF operator sign(const HALF &a, const HALF &b)                              \
    {                                                                                              \
        return __h##name(a, b);                                                                    \
    }                                                                                              \
    BANKSCOPE_INLINE HALF &operator sign##=(HALF &a, const HALF &b)                                \
    {                                                                                              \
        return a = __h##name(a, b);                                                                \
    }
BANKSCOPE_OPERATOR(+, add)
BANKSCOPE_OPERATOR(-, sub)
BANKSCOPE_OPERATOR(*, mul)
BANKSCOPE_OPERATOR(/, div)
#undef BANKSCOPE_OPERATOR
#define BANKSCOPE_OPERATOR(sign, name)                                                             \
    BANKSCOPE_INLINE HALF2 operator sign(const HALF2 &a, const HALF2 &b)                           \
    {                                                                                              \
        return name(a, b);                                                                         \
    }                                                                                              \
    BANKSCOPE_INLINE HALF2 &operator sign##=(HALF2 &a, const HALF2 &b)                             \
    {                                                                                              \
        return a = name(a, b);                                                                     \
    }
BANKSCOPE_OPERATOR(+, __hadd2)
BANKSCOPE_OPERATOR(-, __hsub2)
BANKSCOPE_OPERATOR(*, __hmul2)
BANKSCOPE_OPERATOR(/, __h2div)
#undef BANKSCOPE_OPERATOR
#define BANKSCOPE_OPERATOR(sign, name)                                                             \
    BANKSCOPE_INLINE bool operator sign(const HALF &a, const HALF &b)                              \
    {                                                                                              \
        return name(a, b);                                                                         \
    }
BANKSCOPE_OPERATOR(==, __heq)
BANKSCOPE_OPERATOR(!=, __hneu)
BANKSCOPE_OPERATOR(<, __hlt)
BANKSCOPE_OPERATOR(<=, __hle)
BANKSCOPE_OPERATOR(>, __hgt)
BANKSCOPE_OPERATOR(>=, __hge)
#undef BANKSCOPE_OPERATOR
BANKSCOPE_INLINE HALF operator-(const HALF &a)
{
    return __hneg(a);
}
BANKSCOPE_INLINE HALF2 operator-(const HALF2 &a)
{
    return __hneg2(a);
}
BANKSCOPE_INLINE bool operator==(const HALF2 &a, const HALF2 &b)
{
    return __hbeq2(a, b);
}

#ifdef __CUDA__
/* ---- atomics ------------------------------------------------------------------------------------------ */

#if HALF_HAS_ATOMIC
BANKSCOPE_DEVICE HALF atomicAdd(HALF *at, HALF value)
{
    HALF old;
    __asm__ __volatile__("atom.add.noftz." HALF_TYPE " %0, [%1], %2;"
                         : "=h"(old.bits)
                         : "l"(at), "h"(value.bits)
                         : "memory");
    return old;
}
BANKSCOPE_DEVICE HALF2 atomicAdd(HALF2 *at, HALF2 value)
{
    unsigned old;
    __asm__ __volatile__("atom.add.noftz." HALF_TYPE "x2 %0, [%1], %2;"
                         : "=r"(old)
                         : "l"(at), "r"(__builtin_bit_cast(unsigned, value))
                         : "memory");
    HALF2 both;
    __builtin_memcpy(&both, &old, sizeof both);
    return both;
}
#else
BANKSCOPE_DEVICE HALF atomicAdd(HALF *at, HALF value)
{
    HALF old = *at, before;
    do {
        before = old;
        HALF next = __hadd(before, value);
        old = HALF(HALF_RAW{atomicCAS(&at->bits, before.bits, next.bits)});
    } while (old.bits != before.bits);
    return old;
}
BANKSCOPE_DEVICE HALF2 atomicAdd(HALF2 *at, HALF2 value)
{
    return HALF2(atomicAdd(&at->x, value.x), atomicAdd(&at->y, value.y));
}
#endif
BANKSCOPE_INLINE HALF HALF_NAME(bankscope_shuffled_, )(unsigned bits)
{
    return HALF(HALF_RAW{(unsigned short)bits});
}
#define BANKSCOPE_SHUFFLE(name, operand)                                                           \
    BANKSCOPE_DEVICE HALF name(unsigned mask, HALF v, operand l, int width = 32)                   \
    {                                                                                              \
        return HALF_NAME(bankscope_shuffled_, )((unsigned)name(mask, (int)v.bits, l, width));      \
    }                                                                                              \
    BANKSCOPE_DEVICE HALF2 name(unsigned mask, HALF2 v, operand l, int width = 32)                 \
    {                                                                                              \
        int r = name(mask, __builtin_bit_cast(int, v), l, width);                                  \
        HALF2 h;                                                                                   \
        __builtin_memcpy(&h, &r, 4);                                                               \
        return h;                                                                                  \
    }
BANKSCOPE_SHUFFLE(__shfl_sync, int)
BANKSCOPE_SHUFFLE(__shfl_up_sync, unsigned)
BANKSCOPE_SHUFFLE(__shfl_down_sync, unsigned)
BANKSCOPE_SHUFFLE(__shfl_xor_sync, int)
#undef BANKSCOPE_SHUFFLE
BANKSCOPE_DEVICE HALF __ldg(const HALF *at)
{
    return HALF(HALF_RAW{__ldg(&at->bits)});
}
BANKSCOPE_DEVICE HALF2 __ldg(const HALF2 *at)
{
    int r = __ldg((const int *)at);
    HALF2 h;
    __builtin_memcpy(&h, &r, 4);
    return h;
}
#endif
#undef BANKSCOPE_HALF

/* ---- conversions ---------------------------------------------------------------------------------- */

BANKSCOPE_INLINE HALF HALF_NAME(__float2, )(float x)
{
    return HALF(x);
}
BANKSCOPE_INLINE HALF HALF_NAME(__float2, _rn)(float x)
{
    return HALF(x);
}
/* Rounded by a mode other than to nearest: the neighbour, where the nearest is on the wrong side. */
BANKSCOPE_INLINE HALF HALF_NAME(bankscope_, _toward)(double x, float goal)
{
    HALF half(x);
    double near = (float)half;
    if (isnan(x) || near == x || (goal < x) == (near < x))
        return half;
    if (near == 0)
        half.bits = goal < 0 ? 0x8001 : 1;
    else
        half.bits = (unsigned short)(half.bits + ((near > 0) == (goal > near) ? 1 : -1));
    return half;
}
BANKSCOPE_INLINE HALF HALF_NAME(__float2, _rz)(float x)
{
    return HALF_NAME(bankscope_, _toward)(x, 0);
}
BANKSCOPE_INLINE HALF HALF_NAME(__float2, _ru)(float x)
{
    return HALF_NAME(bankscope_, _toward)(x, INFINITY);
}
BANKSCOPE_INLINE HALF HALF_NAME(__float2, _rd)(float x)
{
    return HALF_NAME(bankscope_, _toward)(x, -INFINITY);
}
BANKSCOPE_INLINE HALF HALF_NAME(__double2, )(double x)
{
    return HALF(x);
}
BANKSCOPE_INLINE float HALF_NAME(__, 2float)(HALF x)
{
    return x;
}
BANKSCOPE_INLINE HALF2 HALF_NAME(__float2, 2_rn)(float x)
{
    return HALF2(HALF(x), HALF(x));
}
BANKSCOPE_INLINE HALF2 HALF_NAME(__floats2, 2_rn)(float x, float y)
{
    return HALF2(HALF(x), HALF(y));
}
BANKSCOPE_INLINE HALF2 HALF_NAME(__float22, 2_rn)(float2 v)
{
    return HALF2(HALF(v.x), HALF(v.y));
}
BANKSCOPE_INLINE float2 HALF_NAME(__, 22float2)(HALF2 v)
{
    return make_float2(v.x, v.y);
}
BANKSCOPE_INLINE short HALF_NAME(__, _as_short)(HALF x)
{
    return (short)x.bits;
}
BANKSCOPE_INLINE unsigned short HALF_NAME(__, _as_ushort)(HALF x)
{
    return x.bits;
}
BANKSCOPE_INLINE HALF HALF_NAME(__short_as_, )(short x)
{
    return HALF(HALF_RAW{(unsigned short)x});
}
BANKSCOPE_INLINE HALF HALF_NAME(__ushort_as_, )(unsigned short x)
{
    return HALF(HALF_RAW{x});
}
BANKSCOPE_INLINE HALF2 HALF_NAME(make_, 2)(HALF x, HALF y)
{
    return HALF2(x, y);
}
/* Whole numbers: rounded to nearest, towards zero, up, down; what is too large becomes the largest. */
template <typename T> BANKSCOPE_INLINE T HALF_NAME(bankscope_, _to)(double rounded)
{
    if (sizeof(T) > 2)
        return bankscope_to_integer<T>(rounded);
    int low = (T)-1 < 0 ? SHRT_MIN : 0, high = (T)-1 < 0 ? SHRT_MAX : USHRT_MAX;
    const int whole = bankscope_to_integer<int>(rounded);
    return (T)BANKSCOPE_WITHIN(whole, low, high);
}
#define BANKSCOPE_TO(type, name, function)                                                         \
    BANKSCOPE_INLINE type HALF_NAME(__, name)(HALF x)                                              \
    {                                                                                              \
        return HALF_NAME(bankscope_, _to)<type>(function((double)(float)x));                       \
    }
/* A number of more than 53 bits, with a last one that says whether there were more. */
template <typename T> BANKSCOPE_INLINE double HALF_NAME(bankscope_, _from)(T x)
{
    const bool more = fabs((double)x) >= 0x1p53 && x & (T)2047;
    return (double)(more ? (T)((x | (T)2048) & ~(T)2047) : x);
}
#define BANKSCOPE_FROM(type, from, behind, goal)                                                   \
    BANKSCOPE_INLINE HALF HALF_NAME(from, behind)(type x)                                          \
    {                                                                                              \
        return HALF_NAME(bankscope_, _toward)(HALF_NAME(bankscope_, _from)(x), goal);              \
    }
#define BANKSCOPE_INTEGER(type, from, to)                                                          \
    BANKSCOPE_INLINE HALF HALF_NAME(from, _rn)(type x)                                             \
    {                                                                                              \
        return HALF(x);                                                                            \
    }                                                                                              \
    BANKSCOPE_FROM(type, from, _rz, 0)                                                             \
    BANKSCOPE_FROM(type, from, _ru, INFINITY)                                                      \
    BANKSCOPE_FROM(type, from, _rd, -INFINITY)                                                     \
    BANKSCOPE_TO(type, to##_rn, nearbyint)                                                         \
    BANKSCOPE_TO(type, to##_rz, trunc)                                                             \
    BANKSCOPE_TO(type, to##_ru, ceil)                                                              \
    BANKSCOPE_TO(type, to##_rd, floor)
BANKSCOPE_INTEGER(int, __int2, 2int)
BANKSCOPE_INTEGER(unsigned int, __uint2, 2uint)
BANKSCOPE_INTEGER(short, __short2, 2short)
BANKSCOPE_INTEGER(unsigned short, __ushort2, 2ushort)
BANKSCOPE_INTEGER(long long, __ll2, 2ll)
BANKSCOPE_INTEGER(unsigned long long, __ull2, 2ull)
#undef BANKSCOPE_INTEGER
#undef BANKSCOPE_FROM
#define BANKSCOPE_CHAR(type, name)                                                                 \
    BANKSCOPE_INLINE type HALF_NAME(__, name)(HALF x)                                              \
    {                                                                                              \
        const int low = (type)-1 < 0 ? SCHAR_MIN : 0, high = low ? SCHAR_MAX : UCHAR_MAX;          \
        const int whole = bankscope_to_integer<int>(trunc((double)(float)x));                      \
        return (type)BANKSCOPE_WITHIN(whole, low, high);                                           \
    }
BANKSCOPE_CHAR(signed char, 2char_rz)
BANKSCOPE_CHAR(unsigned char, 2uchar_rz)
#undef BANKSCOPE_CHAR
#undef BANKSCOPE_TO
#undef BANKSCOPE_SATURATE
#undef BANKSCOPE_WITHIN
#pragma clang force_cuda_host_device end
