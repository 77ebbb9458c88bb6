/* cuda_bf16.h - numbers of 16 bits: 8 of exponent, 7 of fraction, the upper half of a float. */
#ifndef HOSTCUDA_CUDA_BF16_H
#define HOSTCUDA_CUDA_BF16_H

#include "cuda_runtime.h"

/* The upper half of a float, rounded to nearest, ties to even. */
HOSTCUDA_INLINE unsigned short hostcuda_round_bf16(float value)
{
    unsigned bits = __float_as_uint(value);
    if (isnan(value))
        return 0x7fff;
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#define HALF __nv_bfloat16
#define HALF2 __nv_bfloat162
#define HALF_RAW __nv_bfloat16_raw
#define HALF2_RAW __nv_bfloat162_raw
#define HALF_NAME(before, behind) before##bfloat16##behind
#define HALF_WIDEN(bits) __uint_as_float((unsigned)(bits) << 16)
#define HALF_ROUND(value) hostcuda_round_bf16(value)
#include "hostcuda_half.h"
#undef HALF
#undef HALF2
#undef HALF_RAW
#undef HALF2_RAW
#undef HALF_NAME
#undef HALF_WIDEN
#undef HALF_ROUND

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
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
