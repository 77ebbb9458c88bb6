/* cuda_bf16.h - numbers of 16 bits: 8 of exponent, 7 of fraction, the upper half of a float. */
#ifndef HOSTCUDA_CUDA_BF16_H
#define HOSTCUDA_CUDA_BF16_H

#include "cuda_runtime.h"

struct __nv_bfloat16_raw {
    unsigned short x;
};
struct __nv_bfloat162_raw {
    unsigned short x, y;
};
struct __nv_bfloat16;
HOSTCUDA_INLINE float hostcuda_widen_bf16(unsigned short bits)
{
    return __uint_as_float((unsigned)bits << 16);
}
/* The upper half of a float, rounded to nearest, ties to even. */
HOSTCUDA_INLINE unsigned short hostcuda_round_bf16(float value)
{
    unsigned bits = __float_as_uint(value);
    if (isnan(value))
        return 0x7fff;
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
static float hostcuda_widen(__nv_bfloat16 half);
static void hostcuda_round(float value, __nv_bfloat16 *half);

struct __nv_bfloat16 {
    unsigned short bits;

    __nv_bfloat16() = default;
    constexpr __nv_bfloat16(const __nv_bfloat16_raw &raw) : bits(raw.x)
    {
    }
#define HOSTCUDA_FROM(type)                                                                        \
    __nv_bfloat16(type value)                                                                      \
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
    operator __nv_bfloat16_raw() const
    {
        return {bits};
    }
};

HOSTCUDA_QUIET static float hostcuda_widen(__nv_bfloat16 half)
{
    return hostcuda_widen_bf16(half.bits);
}
HOSTCUDA_QUIET static void hostcuda_round(float value, __nv_bfloat16 *half)
{
    half->bits = hostcuda_round_bf16(value);
}

#define HALF __nv_bfloat16
#define HALF2 __nv_bfloat162
#include "hostcuda_half.h"
#undef HALF
#undef HALF2

/* ---- conversions ---------------------------------------------------------------------------------- */

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
HOSTCUDA_INLINE __nv_bfloat16 __float2bfloat16(float x)
{
    return __nv_bfloat16(x);
}
HOSTCUDA_INLINE __nv_bfloat16 __float2bfloat16_rn(float x)
{
    return __nv_bfloat16(x);
}
/* Rounded by a mode other than to nearest: the neighbour, where the nearest is on the wrong side. */
HOSTCUDA_QUIET static __nv_bfloat16 hostcuda_bfloat16_toward(float x, float goal)
{
    __nv_bfloat16 half(x);
    float near = half;
    if (isnan(x) || near == x || (goal < x) == (near < x))
        return half;
    if (near == 0)
        half.bits = goal < 0 ? 0x8001 : 1;
    else
        half.bits = (unsigned short)(half.bits + ((near > 0) == (goal > near) ? 1 : -1));
    return half;
}
HOSTCUDA_INLINE __nv_bfloat16 __float2bfloat16_rz(float x)
{
    return hostcuda_bfloat16_toward(x, 0);
}
HOSTCUDA_INLINE __nv_bfloat16 __float2bfloat16_ru(float x)
{
    return hostcuda_bfloat16_toward(x, INFINITY);
}
HOSTCUDA_INLINE __nv_bfloat16 __float2bfloat16_rd(float x)
{
    return hostcuda_bfloat16_toward(x, -INFINITY);
}
HOSTCUDA_INLINE __nv_bfloat16 __double2bfloat16(double x)
{
    return __nv_bfloat16(x);
}
HOSTCUDA_INLINE float __bfloat162float(__nv_bfloat16 x)
{
    return x;
}
HOSTCUDA_INLINE __nv_bfloat162 __float2bfloat162_rn(float x)
{
    return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(x));
}
HOSTCUDA_INLINE __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(y));
}
HOSTCUDA_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 v)
{
    return __nv_bfloat162(__nv_bfloat16(v.x), __nv_bfloat16(v.y));
}
HOSTCUDA_INLINE float2 __bfloat1622float2(__nv_bfloat162 v)
{
    return make_float2(v.x, v.y);
}
HOSTCUDA_INLINE short __bfloat16_as_short(__nv_bfloat16 x)
{
    return (short)x.bits;
}
HOSTCUDA_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 x)
{
    return x.bits;
}
HOSTCUDA_INLINE __nv_bfloat16 __short_as_bfloat16(short x)
{
    return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)x});
}
HOSTCUDA_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short x)
{
    return __nv_bfloat16(__nv_bfloat16_raw{x});
}
HOSTCUDA_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y)
{
    return __nv_bfloat162(x, y);
}
HOSTCUDA_INLINE __nv_bfloat16 __int2bfloat16_rn(int x)
{
    return __nv_bfloat16(x);
}
HOSTCUDA_INLINE int __bfloat162int_rn(__nv_bfloat16 x)
{
    return hostcuda_to_integer<int>(nearbyint((double)(float)x));
}
HOSTCUDA_INLINE int __bfloat162int_rz(__nv_bfloat16 x)
{
    return hostcuda_to_integer<int>(trunc((double)(float)x));
}
HOSTCUDA_INLINE int __bfloat162int_ru(__nv_bfloat16 x)
{
    return hostcuda_to_integer<int>(ceil((double)(float)x));
}
HOSTCUDA_INLINE int __bfloat162int_rd(__nv_bfloat16 x)
{
    return hostcuda_to_integer<int>(floor((double)(float)x));
}
HOSTCUDA_INLINE __nv_bfloat16 __uint2bfloat16_rn(unsigned int x)
{
    return __nv_bfloat16(x);
}
HOSTCUDA_INLINE unsigned int __bfloat162uint_rn(__nv_bfloat16 x)
{
    return hostcuda_to_integer<unsigned int>(nearbyint((double)(float)x));
}
HOSTCUDA_INLINE unsigned int __bfloat162uint_rz(__nv_bfloat16 x)
{
    return hostcuda_to_integer<unsigned int>(trunc((double)(float)x));
}
HOSTCUDA_INLINE unsigned int __bfloat162uint_ru(__nv_bfloat16 x)
{
    return hostcuda_to_integer<unsigned int>(ceil((double)(float)x));
}
HOSTCUDA_INLINE unsigned int __bfloat162uint_rd(__nv_bfloat16 x)
{
    return hostcuda_to_integer<unsigned int>(floor((double)(float)x));
}
HOSTCUDA_INLINE __nv_bfloat16 __short2bfloat16_rn(short x)
{
    return __nv_bfloat16(x);
}
HOSTCUDA_INLINE short __bfloat162short_rn(__nv_bfloat16 x)
{
    return (short)min(max(hostcuda_to_integer<int>(nearbyint((double)(float)x)), -32768), 32767);
}
HOSTCUDA_INLINE short __bfloat162short_rz(__nv_bfloat16 x)
{
    return (short)min(max(hostcuda_to_integer<int>(trunc((double)(float)x)), -32768), 32767);
}
HOSTCUDA_INLINE short __bfloat162short_ru(__nv_bfloat16 x)
{
    return (short)min(max(hostcuda_to_integer<int>(ceil((double)(float)x)), -32768), 32767);
}
HOSTCUDA_INLINE short __bfloat162short_rd(__nv_bfloat16 x)
{
    return (short)min(max(hostcuda_to_integer<int>(floor((double)(float)x)), -32768), 32767);
}
HOSTCUDA_INLINE __nv_bfloat16 __ushort2bfloat16_rn(unsigned short x)
{
    return __nv_bfloat16(x);
}
HOSTCUDA_INLINE unsigned short __bfloat162ushort_rn(__nv_bfloat16 x)
{
    return (unsigned short)min(max(hostcuda_to_integer<int>(nearbyint((double)(float)x)), 0),
                               65535);
}
HOSTCUDA_INLINE unsigned short __bfloat162ushort_rz(__nv_bfloat16 x)
{
    return (unsigned short)min(max(hostcuda_to_integer<int>(trunc((double)(float)x)), 0), 65535);
}
HOSTCUDA_INLINE unsigned short __bfloat162ushort_ru(__nv_bfloat16 x)
{
    return (unsigned short)min(max(hostcuda_to_integer<int>(ceil((double)(float)x)), 0), 65535);
}
HOSTCUDA_INLINE unsigned short __bfloat162ushort_rd(__nv_bfloat16 x)
{
    return (unsigned short)min(max(hostcuda_to_integer<int>(floor((double)(float)x)), 0), 65535);
}
HOSTCUDA_INLINE __nv_bfloat16 __ll2bfloat16_rn(long long x)
{
    return __nv_bfloat16(x);
}
HOSTCUDA_INLINE long long __bfloat162ll_rn(__nv_bfloat16 x)
{
    return hostcuda_to_integer<long long>(nearbyint((double)(float)x));
}
HOSTCUDA_INLINE long long __bfloat162ll_rz(__nv_bfloat16 x)
{
    return hostcuda_to_integer<long long>(trunc((double)(float)x));
}
HOSTCUDA_INLINE long long __bfloat162ll_ru(__nv_bfloat16 x)
{
    return hostcuda_to_integer<long long>(ceil((double)(float)x));
}
HOSTCUDA_INLINE long long __bfloat162ll_rd(__nv_bfloat16 x)
{
    return hostcuda_to_integer<long long>(floor((double)(float)x));
}
HOSTCUDA_INLINE __nv_bfloat16 __ull2bfloat16_rn(unsigned long long x)
{
    return __nv_bfloat16(x);
}
HOSTCUDA_INLINE unsigned long long __bfloat162ull_rn(__nv_bfloat16 x)
{
    return hostcuda_to_integer<unsigned long long>(nearbyint((double)(float)x));
}
HOSTCUDA_INLINE unsigned long long __bfloat162ull_rz(__nv_bfloat16 x)
{
    return hostcuda_to_integer<unsigned long long>(trunc((double)(float)x));
}
HOSTCUDA_INLINE unsigned long long __bfloat162ull_ru(__nv_bfloat16 x)
{
    return hostcuda_to_integer<unsigned long long>(ceil((double)(float)x));
}
HOSTCUDA_INLINE unsigned long long __bfloat162ull_rd(__nv_bfloat16 x)
{
    return hostcuda_to_integer<unsigned long long>(floor((double)(float)x));
}
HOSTCUDA_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high)
{
    return __nv_bfloat162(low, high);
}
HOSTCUDA_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 both)
{
    return __nv_bfloat162(both, both);
}
HOSTCUDA_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a)
{
    return a.x;
}
HOSTCUDA_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a)
{
    return a.y;
}
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)
#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)

#endif
