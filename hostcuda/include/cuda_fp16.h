/* cuda_fp16.h - numbers of 16 bits: 5 of exponent, 10 of fraction (the compiler's _Float16). */
#ifndef HOSTCUDA_CUDA_FP16_H
#define HOSTCUDA_CUDA_FP16_H

#include "cuda_runtime.h"

struct __half_raw {
    unsigned short x;
};
struct __half2_raw {
    unsigned short x, y;
};
struct __half;
HOSTCUDA_INLINE float hostcuda_widen_fp16(unsigned short bits)
{
    return (float)__builtin_bit_cast(_Float16, bits);
}
HOSTCUDA_INLINE unsigned short hostcuda_round_fp16(float value)
{
    return __builtin_bit_cast(unsigned short, (_Float16)value);
}
static float hostcuda_widen(__half half);
static void hostcuda_round(float value, __half *half);

struct __half {
    unsigned short bits;

    __half() = default;
    constexpr __half(const __half_raw &raw) : bits(raw.x)
    {
    }
#define HOSTCUDA_FROM(type)                                                                        \
    __half(type value)                                                                             \
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
    operator __half_raw() const
    {
        return {bits};
    }
};

HOSTCUDA_QUIET static float hostcuda_widen(__half half)
{
    return hostcuda_widen_fp16(half.bits);
}
HOSTCUDA_QUIET static void hostcuda_round(float value, __half *half)
{
    half->bits = hostcuda_round_fp16(value);
}

#define HALF __half
#define HALF2 __half2
#include "hostcuda_half.h"
#undef HALF
#undef HALF2

/* ---- conversions ---------------------------------------------------------------------------------- */

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
HOSTCUDA_INLINE __half __float2half(float x)
{
    return __half(x);
}
HOSTCUDA_INLINE __half __float2half_rn(float x)
{
    return __half(x);
}
/* Rounded by a mode other than to nearest: the neighbour, where the nearest is on the wrong side. */
HOSTCUDA_QUIET static __half hostcuda_half_toward(float x, float goal)
{
    __half half(x);
    float near = half;
    if (isnan(x) || near == x || (goal < x) == (near < x))
        return half;
    if (near == 0)
        half.bits = goal < 0 ? 0x8001 : 1;
    else
        half.bits = (unsigned short)(half.bits + ((near > 0) == (goal > near) ? 1 : -1));
    return half;
}
HOSTCUDA_INLINE __half __float2half_rz(float x)
{
    return hostcuda_half_toward(x, 0);
}
HOSTCUDA_INLINE __half __float2half_ru(float x)
{
    return hostcuda_half_toward(x, INFINITY);
}
HOSTCUDA_INLINE __half __float2half_rd(float x)
{
    return hostcuda_half_toward(x, -INFINITY);
}
HOSTCUDA_INLINE __half __double2half(double x)
{
    return __half(x);
}
HOSTCUDA_INLINE float __half2float(__half x)
{
    return x;
}
HOSTCUDA_INLINE __half2 __float2half2_rn(float x)
{
    return __half2(__half(x), __half(x));
}
HOSTCUDA_INLINE __half2 __floats2half2_rn(float x, float y)
{
    return __half2(__half(x), __half(y));
}
HOSTCUDA_INLINE __half2 __float22half2_rn(float2 v)
{
    return __half2(__half(v.x), __half(v.y));
}
HOSTCUDA_INLINE float2 __half22float2(__half2 v)
{
    return make_float2(v.x, v.y);
}
HOSTCUDA_INLINE short __half_as_short(__half x)
{
    return (short)x.bits;
}
HOSTCUDA_INLINE unsigned short __half_as_ushort(__half x)
{
    return x.bits;
}
HOSTCUDA_INLINE __half __short_as_half(short x)
{
    return __half(__half_raw{(unsigned short)x});
}
HOSTCUDA_INLINE __half __ushort_as_half(unsigned short x)
{
    return __half(__half_raw{x});
}
HOSTCUDA_INLINE __half2 make_half2(__half x, __half y)
{
    return __half2(x, y);
}
HOSTCUDA_INLINE __half __int2half_rn(int x)
{
    return __half(x);
}
HOSTCUDA_INLINE int __half2int_rn(__half x)
{
    return hostcuda_to_integer<int>(nearbyint((double)(float)x));
}
HOSTCUDA_INLINE int __half2int_rz(__half x)
{
    return hostcuda_to_integer<int>(trunc((double)(float)x));
}
HOSTCUDA_INLINE int __half2int_ru(__half x)
{
    return hostcuda_to_integer<int>(ceil((double)(float)x));
}
HOSTCUDA_INLINE int __half2int_rd(__half x)
{
    return hostcuda_to_integer<int>(floor((double)(float)x));
}
HOSTCUDA_INLINE __half __uint2half_rn(unsigned int x)
{
    return __half(x);
}
HOSTCUDA_INLINE unsigned int __half2uint_rn(__half x)
{
    return hostcuda_to_integer<unsigned int>(nearbyint((double)(float)x));
}
HOSTCUDA_INLINE unsigned int __half2uint_rz(__half x)
{
    return hostcuda_to_integer<unsigned int>(trunc((double)(float)x));
}
HOSTCUDA_INLINE unsigned int __half2uint_ru(__half x)
{
    return hostcuda_to_integer<unsigned int>(ceil((double)(float)x));
}
HOSTCUDA_INLINE unsigned int __half2uint_rd(__half x)
{
    return hostcuda_to_integer<unsigned int>(floor((double)(float)x));
}
HOSTCUDA_INLINE __half __short2half_rn(short x)
{
    return __half(x);
}
HOSTCUDA_INLINE short __half2short_rn(__half x)
{
    return (short)min(max(hostcuda_to_integer<int>(nearbyint((double)(float)x)), -32768), 32767);
}
HOSTCUDA_INLINE short __half2short_rz(__half x)
{
    return (short)min(max(hostcuda_to_integer<int>(trunc((double)(float)x)), -32768), 32767);
}
HOSTCUDA_INLINE short __half2short_ru(__half x)
{
    return (short)min(max(hostcuda_to_integer<int>(ceil((double)(float)x)), -32768), 32767);
}
HOSTCUDA_INLINE short __half2short_rd(__half x)
{
    return (short)min(max(hostcuda_to_integer<int>(floor((double)(float)x)), -32768), 32767);
}
HOSTCUDA_INLINE __half __ushort2half_rn(unsigned short x)
{
    return __half(x);
}
HOSTCUDA_INLINE unsigned short __half2ushort_rn(__half x)
{
    return (unsigned short)min(max(hostcuda_to_integer<int>(nearbyint((double)(float)x)), 0),
                               65535);
}
HOSTCUDA_INLINE unsigned short __half2ushort_rz(__half x)
{
    return (unsigned short)min(max(hostcuda_to_integer<int>(trunc((double)(float)x)), 0), 65535);
}
HOSTCUDA_INLINE unsigned short __half2ushort_ru(__half x)
{
    return (unsigned short)min(max(hostcuda_to_integer<int>(ceil((double)(float)x)), 0), 65535);
}
HOSTCUDA_INLINE unsigned short __half2ushort_rd(__half x)
{
    return (unsigned short)min(max(hostcuda_to_integer<int>(floor((double)(float)x)), 0), 65535);
}
HOSTCUDA_INLINE __half __ll2half_rn(long long x)
{
    return __half(x);
}
HOSTCUDA_INLINE long long __half2ll_rn(__half x)
{
    return hostcuda_to_integer<long long>(nearbyint((double)(float)x));
}
HOSTCUDA_INLINE long long __half2ll_rz(__half x)
{
    return hostcuda_to_integer<long long>(trunc((double)(float)x));
}
HOSTCUDA_INLINE long long __half2ll_ru(__half x)
{
    return hostcuda_to_integer<long long>(ceil((double)(float)x));
}
HOSTCUDA_INLINE long long __half2ll_rd(__half x)
{
    return hostcuda_to_integer<long long>(floor((double)(float)x));
}
HOSTCUDA_INLINE __half __ull2half_rn(unsigned long long x)
{
    return __half(x);
}
HOSTCUDA_INLINE unsigned long long __half2ull_rn(__half x)
{
    return hostcuda_to_integer<unsigned long long>(nearbyint((double)(float)x));
}
HOSTCUDA_INLINE unsigned long long __half2ull_rz(__half x)
{
    return hostcuda_to_integer<unsigned long long>(trunc((double)(float)x));
}
HOSTCUDA_INLINE unsigned long long __half2ull_ru(__half x)
{
    return hostcuda_to_integer<unsigned long long>(ceil((double)(float)x));
}
HOSTCUDA_INLINE unsigned long long __half2ull_rd(__half x)
{
    return hostcuda_to_integer<unsigned long long>(floor((double)(float)x));
}
HOSTCUDA_INLINE short __half2short(__half x)
{
    return __half2short_rz(x);
}
HOSTCUDA_INLINE double __half2double(__half x)
{
    return (float)x;
}
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)

#endif
