/* hostcuda_half.h - what fp16 and bf16 have in common. No guard: cuda_fp16.h and cuda_bf16.h include it
 * once each, having defined
 *
 *     HALF, HALF2, HALF_RAW, HALF2_RAW  the names of the types
 *     HALF_NAME(before, behind)         __float2half_rn is HALF_NAME(__float2, _rn)
 *     HALF_WIDEN(bits)                  a float, exact
 *     HALF_ROUND(float)                 the bits of what is nearest, ties to even
 *
 * Sums, products and quotients are computed as floats, which are wide enough for the second rounding
 * to change nothing; fused ones as doubles. */

/* ---- the type ------------------------------------------------------------------------------------- */

struct HALF_RAW {
    unsigned short x;
};
struct HALF2_RAW {
    unsigned short x, y;
};
struct HALF;
static float hostcuda_widen(HALF half);
static void hostcuda_round(float value, HALF *half);

struct HALF {
    unsigned short bits;

    HALF() = default;
    constexpr HALF(const HALF_RAW &raw) : bits(raw.x)
    {
    }
#define HOSTCUDA_FROM(type)                                                                        \
    HALF(type value)                                                                               \
    {                                                                                              \
        hostcuda_round((float)value, this);                                                        \
    }
    HOSTCUDA_FROM(float)
    HOSTCUDA_FROM(double)
    HOSTCUDA_FROM(short)
    HOSTCUDA_FROM(unsigned short)
    HOSTCUDA_FROM(int)
    HOSTCUDA_FROM(unsigned int)
    HOSTCUDA_FROM(long)
    HOSTCUDA_FROM(unsigned long)
    HOSTCUDA_FROM(long long)
    HOSTCUDA_FROM(unsigned long long)
#undef HOSTCUDA_FROM
    operator float() const
    {
        return hostcuda_widen(*this);
    }
    operator HALF_RAW() const
    {
        return {bits};
    }
};

HOSTCUDA_QUIET static float hostcuda_widen(HALF half)
{
    return HALF_WIDEN(half.bits);
}
HOSTCUDA_QUIET static void hostcuda_round(float value, HALF *half)
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
HOSTCUDA_INLINE HALF hostcuda_rounded(float value, const HALF *)
{
    HALF half;
    hostcuda_round(value, &half);
    return half;
}
#define HOSTCUDA_HALF(value) hostcuda_rounded(value, (const HALF *)0)
HOSTCUDA_INLINE HALF2 __halves2half2(HALF low, HALF high)
{
    return HALF2(low, high);
}
HOSTCUDA_INLINE HALF2 __half2half2(HALF both)
{
    return HALF2(both, both);
}
HOSTCUDA_INLINE HALF __low2half(HALF2 a)
{
    return a.x;
}
HOSTCUDA_INLINE HALF __high2half(HALF2 a)
{
    return a.y;
}
HOSTCUDA_INLINE float __low2float(HALF2 a)
{
    return hostcuda_widen(a.x);
}
HOSTCUDA_INLINE float __high2float(HALF2 a)
{
    return hostcuda_widen(a.y);
}
HOSTCUDA_INLINE HALF2 __low2half2(HALF2 a)
{
    return HALF2(a.x, a.x);
}
HOSTCUDA_INLINE HALF2 __high2half2(HALF2 a)
{
    return HALF2(a.y, a.y);
}
HOSTCUDA_INLINE HALF2 __lows2half2(HALF2 a, HALF2 b)
{
    return HALF2(a.x, b.x);
}
HOSTCUDA_INLINE HALF2 __highs2half2(HALF2 a, HALF2 b)
{
    return HALF2(a.y, b.y);
}
HOSTCUDA_INLINE HALF2 __lowhigh2highlow(HALF2 a)
{
    return HALF2(a.y, a.x);
}

/* ---- arithmetic -------------------------------------------------------------------------------------- */

#define HOSTCUDA_BINARY(name, value)                                                               \
    HOSTCUDA_QUIET static HALF __h##name(HALF a, HALF b)                                           \
    {                                                                                              \
        float x = hostcuda_widen(a), y = hostcuda_widen(b);                                        \
        return HOSTCUDA_HALF(value);                                                               \
    }                                                                                              \
    HOSTCUDA_INLINE HALF2 __h##name##2(HALF2 a, HALF2 b)                                           \
    {                                                                                              \
        return HALF2(__h##name(a.x, b.x), __h##name(a.y, b.y));                                    \
    }
HOSTCUDA_BINARY(add, x + y)
HOSTCUDA_BINARY(sub, x - y)
HOSTCUDA_BINARY(mul, x *y)
HOSTCUDA_BINARY(add_rn, x + y)
HOSTCUDA_BINARY(sub_rn, x - y)
HOSTCUDA_BINARY(mul_rn, x *y)
HOSTCUDA_BINARY(add_sat, __saturatef(x + y))
HOSTCUDA_BINARY(sub_sat, __saturatef(x - y))
HOSTCUDA_BINARY(mul_sat, __saturatef(x *y))
HOSTCUDA_BINARY(max, fmaxf(x, y))
HOSTCUDA_BINARY(min, fminf(x, y))
HOSTCUDA_BINARY(max_nan, isnan(x) || isnan(y) ? NAN : fmaxf(x, y))
HOSTCUDA_BINARY(min_nan, isnan(x) || isnan(y) ? NAN : fminf(x, y))
#undef HOSTCUDA_BINARY
HOSTCUDA_QUIET static HALF __hdiv(HALF a, HALF b)
{
    return HOSTCUDA_HALF(hostcuda_widen(a) / hostcuda_widen(b));
}
HOSTCUDA_INLINE HALF2 __h2div(HALF2 a, HALF2 b)
{
    return HALF2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
HOSTCUDA_QUIET static HALF __hfma(HALF a, HALF b, HALF c)
{
    /* The double is rounded to a float by way of an odd last bit, so that only the last rounding
       counts. */
    double exact = (double)hostcuda_widen(a) * hostcuda_widen(b) + hostcuda_widen(c);
    float near = (float)exact;
    if ((double)near != exact && isfinite(near)) {
        float toward_zero = fabs((double)near) > fabs(exact) ? nextafterf(near, 0) : near;
        near = __uint_as_float(__float_as_uint(toward_zero) | 1);
    }
    return HOSTCUDA_HALF(near);
}
HOSTCUDA_INLINE HALF2 __hfma2(HALF2 a, HALF2 b, HALF2 c)
{
    return HALF2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
HOSTCUDA_QUIET static HALF __hfma_sat(HALF a, HALF b, HALF c)
{
    return HOSTCUDA_HALF(__saturatef(hostcuda_widen(__hfma(a, b, c))));
}
HOSTCUDA_INLINE HALF2 __hfma2_sat(HALF2 a, HALF2 b, HALF2 c)
{
    return HALF2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
HOSTCUDA_QUIET static HALF __hfma_relu(HALF a, HALF b, HALF c)
{
    return HOSTCUDA_HALF(fmaxf(hostcuda_widen(__hfma(a, b, c)), 0));
}

/* Functions of one number; h2NAME is of a pair. */
#define HOSTCUDA_UNARY(name, name2, value)                                                         \
    HOSTCUDA_QUIET static HALF name(HALF a)                                                        \
    {                                                                                              \
        float x = hostcuda_widen(a);                                                               \
        return HOSTCUDA_HALF(value);                                                               \
    }                                                                                              \
    HOSTCUDA_INLINE HALF2 name2(HALF2 a)                                                           \
    {                                                                                              \
        return HALF2(name(a.x), name(a.y));                                                        \
    }
HOSTCUDA_UNARY(__hneg, __hneg2, -x)
HOSTCUDA_UNARY(__habs, __habs2, fabsf(x))
HOSTCUDA_UNARY(hsqrt, h2sqrt, (float)sqrt((double)x))
HOSTCUDA_UNARY(hrsqrt, h2rsqrt, (float)(1 / sqrt((double)x)))
HOSTCUDA_UNARY(hrcp, h2rcp, 1 / x)
HOSTCUDA_UNARY(hexp, h2exp, expf(x))
HOSTCUDA_UNARY(hexp2, h2exp2, exp2f(x))
HOSTCUDA_UNARY(hexp10, h2exp10, exp10f(x))
HOSTCUDA_UNARY(hlog, h2log, logf(x))
HOSTCUDA_UNARY(hlog2, h2log2, log2f(x))
HOSTCUDA_UNARY(hlog10, h2log10, log10f(x))
HOSTCUDA_UNARY(hsin, h2sin, sinf(x))
HOSTCUDA_UNARY(hcos, h2cos, cosf(x))
HOSTCUDA_UNARY(htanh, h2tanh, tanhf(x))
HOSTCUDA_UNARY(hceil, h2ceil, ceilf(x))
HOSTCUDA_UNARY(hfloor, h2floor, floorf(x))
HOSTCUDA_UNARY(htrunc, h2trunc, truncf(x))
HOSTCUDA_UNARY(hrint, h2rint, nearbyintf(x))
#undef HOSTCUDA_UNARY

/* ---- comparisons: ordered ones are false where one is not a number, those with a u true ------- */

#define HOSTCUDA_COMPARE(name, ordered)                                                            \
    HOSTCUDA_QUIET static bool __h##name(HALF a, HALF b)                                           \
    {                                                                                              \
        float x = hostcuda_widen(a), y = hostcuda_widen(b);                                        \
        return !isnan(x) && !isnan(y) && (ordered);                                                \
    }                                                                                              \
    HOSTCUDA_QUIET static bool __h##name##u(HALF a, HALF b)                                        \
    {                                                                                              \
        float x = hostcuda_widen(a), y = hostcuda_widen(b);                                        \
        return isnan(x) || isnan(y) || (ordered);                                                  \
    }                                                                                              \
    HOSTCUDA_INLINE HALF2 __h##name##2(HALF2 a, HALF2 b)                                           \
    {                                                                                              \
        return HALF2(HOSTCUDA_HALF(__h##name(a.x, b.x)), HOSTCUDA_HALF(__h##name(a.y, b.y)));      \
    }                                                                                              \
    HOSTCUDA_INLINE bool __hb##name##2(HALF2 a, HALF2 b)                                           \
    {                                                                                              \
        return __h##name(a.x, b.x) & __h##name(a.y, b.y);                                          \
    }
HOSTCUDA_COMPARE(eq, x == y)
HOSTCUDA_COMPARE(ne, x != y)
HOSTCUDA_COMPARE(lt, x < y)
HOSTCUDA_COMPARE(le, x <= y)
HOSTCUDA_COMPARE(gt, x > y)
HOSTCUDA_COMPARE(ge, x >= y)
#undef HOSTCUDA_COMPARE
HOSTCUDA_QUIET static bool __hisnan(HALF a)
{
    return isnan(hostcuda_widen(a));
}
HOSTCUDA_QUIET static int __hisinf(HALF a)
{
    float x = hostcuda_widen(a);
    return isinf(x) ? (x < 0 ? -1 : 1) : 0;
}

#define HOSTCUDA_OPERATOR(sign, name)                                                              \
    HOSTCUDA_INLINE HALF operator sign(const HALF &a, const HALF &b)                               \
    {                                                                                              \
        return __h##name(a, b);                                                                    \
    }                                                                                              \
    HOSTCUDA_INLINE HALF &operator sign##=(HALF &a, const HALF &b)                                 \
    {                                                                                              \
        return a = __h##name(a, b);                                                                \
    }
HOSTCUDA_OPERATOR(+, add)
HOSTCUDA_OPERATOR(-, sub)
HOSTCUDA_OPERATOR(*, mul)
HOSTCUDA_OPERATOR(/, div)
#undef HOSTCUDA_OPERATOR
#define HOSTCUDA_OPERATOR(sign, name)                                                              \
    HOSTCUDA_INLINE HALF2 operator sign(const HALF2 &a, const HALF2 &b)                            \
    {                                                                                              \
        return name(a, b);                                                                         \
    }                                                                                              \
    HOSTCUDA_INLINE HALF2 &operator sign##=(HALF2 &a, const HALF2 &b)                              \
    {                                                                                              \
        return a = name(a, b);                                                                     \
    }
HOSTCUDA_OPERATOR(+, __hadd2)
HOSTCUDA_OPERATOR(-, __hsub2)
HOSTCUDA_OPERATOR(*, __hmul2)
HOSTCUDA_OPERATOR(/, __h2div)
#undef HOSTCUDA_OPERATOR
#define HOSTCUDA_OPERATOR(sign, name)                                                              \
    HOSTCUDA_INLINE bool operator sign(const HALF &a, const HALF &b)                               \
    {                                                                                              \
        return name(a, b);                                                                         \
    }
HOSTCUDA_OPERATOR(==, __heq)
HOSTCUDA_OPERATOR(!=, __hneu)
HOSTCUDA_OPERATOR(<, __hlt)
HOSTCUDA_OPERATOR(<=, __hle)
HOSTCUDA_OPERATOR(>, __hgt)
HOSTCUDA_OPERATOR(>=, __hge)
#undef HOSTCUDA_OPERATOR
HOSTCUDA_INLINE HALF operator-(const HALF &a)
{
    return __hneg(a);
}
HOSTCUDA_INLINE HALF2 operator-(const HALF2 &a)
{
    return __hneg2(a);
}
HOSTCUDA_INLINE bool operator==(const HALF2 &a, const HALF2 &b)
{
    return __hbeq2(a, b);
}

/* ---- atomics ------------------------------------------------------------------------------------------ */

HOSTCUDA_INLINE HALF atomicAdd(HALF *at, HALF value)
{
    hostcuda_atomic(HOSTCUDA_ATOMIC, at, sizeof *at);
    return hostcuda_update<hostcuda_add>(at, value);
}
HOSTCUDA_INLINE HALF2 atomicAdd(HALF2 *at, HALF2 value)
{
    hostcuda_atomic(HOSTCUDA_ATOMIC, at, sizeof *at);
    return hostcuda_update<hostcuda_add>(at, value);
}
#undef HOSTCUDA_HALF

/* ---- conversions ---------------------------------------------------------------------------------- */

HOSTCUDA_INLINE HALF HALF_NAME(__float2, )(float x)
{
    return HALF(x);
}
HOSTCUDA_INLINE HALF HALF_NAME(__float2, _rn)(float x)
{
    return HALF(x);
}
/* Rounded by a mode other than to nearest: the neighbour, where the nearest is on the wrong side. */
HOSTCUDA_QUIET static HALF HALF_NAME(hostcuda_, _toward)(float x, float goal)
{
    HALF half(x);
    float near = half;
    if (isnan(x) || near == x || (goal < x) == (near < x))
        return half;
    if (near == 0)
        half.bits = goal < 0 ? 0x8001 : 1;
    else
        half.bits = (unsigned short)(half.bits + ((near > 0) == (goal > near) ? 1 : -1));
    return half;
}
HOSTCUDA_INLINE HALF HALF_NAME(__float2, _rz)(float x)
{
    return HALF_NAME(hostcuda_, _toward)(x, 0);
}
HOSTCUDA_INLINE HALF HALF_NAME(__float2, _ru)(float x)
{
    return HALF_NAME(hostcuda_, _toward)(x, INFINITY);
}
HOSTCUDA_INLINE HALF HALF_NAME(__float2, _rd)(float x)
{
    return HALF_NAME(hostcuda_, _toward)(x, -INFINITY);
}
HOSTCUDA_INLINE HALF HALF_NAME(__double2, )(double x)
{
    return HALF(x);
}
HOSTCUDA_INLINE float HALF_NAME(__, 2float)(HALF x)
{
    return x;
}
HOSTCUDA_INLINE HALF2 HALF_NAME(__float2, 2_rn)(float x)
{
    return HALF2(HALF(x), HALF(x));
}
HOSTCUDA_INLINE HALF2 HALF_NAME(__floats2, 2_rn)(float x, float y)
{
    return HALF2(HALF(x), HALF(y));
}
HOSTCUDA_INLINE HALF2 HALF_NAME(__float22, 2_rn)(float2 v)
{
    return HALF2(HALF(v.x), HALF(v.y));
}
HOSTCUDA_INLINE float2 HALF_NAME(__, 22float2)(HALF2 v)
{
    return make_float2(v.x, v.y);
}
HOSTCUDA_INLINE short HALF_NAME(__, _as_short)(HALF x)
{
    return (short)x.bits;
}
HOSTCUDA_INLINE unsigned short HALF_NAME(__, _as_ushort)(HALF x)
{
    return x.bits;
}
HOSTCUDA_INLINE HALF HALF_NAME(__short_as_, )(short x)
{
    return HALF(HALF_RAW{(unsigned short)x});
}
HOSTCUDA_INLINE HALF HALF_NAME(__ushort_as_, )(unsigned short x)
{
    return HALF(HALF_RAW{x});
}
HOSTCUDA_INLINE HALF2 HALF_NAME(make_, 2)(HALF x, HALF y)
{
    return HALF2(x, y);
}
/* Whole numbers: rounded to nearest, towards zero, up, down; what is too large becomes the largest. */
template <typename T> HOSTCUDA_QUIET T HALF_NAME(hostcuda_, _to)(double rounded)
{
    if (sizeof(T) > 2)
        return hostcuda_to_integer<T>(rounded);
    int low = (T)-1 < 0 ? SHRT_MIN : 0, high = (T)-1 < 0 ? SHRT_MAX : USHRT_MAX;
    return (T)min(max(hostcuda_to_integer<int>(rounded), low), high);
}
#define HOSTCUDA_TO(type, name, function)                                                          \
    HOSTCUDA_INLINE type HALF_NAME(__, name)(HALF x)                                               \
    {                                                                                              \
        return HALF_NAME(hostcuda_, _to)<type>(function((double)(float)x));                        \
    }
#define HOSTCUDA_INTEGER(type, from, to)                                                           \
    HOSTCUDA_INLINE HALF HALF_NAME(from, _rn)(type x)                                              \
    {                                                                                              \
        return HALF(x);                                                                            \
    }                                                                                              \
    HOSTCUDA_TO(type, to##_rn, nearbyint)                                                          \
    HOSTCUDA_TO(type, to##_rz, trunc)                                                              \
    HOSTCUDA_TO(type, to##_ru, ceil)                                                               \
    HOSTCUDA_TO(type, to##_rd, floor)
HOSTCUDA_INTEGER(int, __int2, 2int)
HOSTCUDA_INTEGER(unsigned int, __uint2, 2uint)
HOSTCUDA_INTEGER(short, __short2, 2short)
HOSTCUDA_INTEGER(unsigned short, __ushort2, 2ushort)
HOSTCUDA_INTEGER(long long, __ll2, 2ll)
HOSTCUDA_INTEGER(unsigned long long, __ull2, 2ull)
#undef HOSTCUDA_INTEGER
#undef HOSTCUDA_TO
