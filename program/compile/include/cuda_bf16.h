/* cuda_bf16.h - numbers of 16 bits: 8 of exponent, 7 of fraction, the upper half of a float. */
#ifndef BANKSCOPE_CUDA_BF16_H
#define BANKSCOPE_CUDA_BF16_H

#include "cuda_runtime.h"

#pragma clang force_cuda_host_device begin
/* The upper half of a float, rounded to nearest, ties to even. */
BANKSCOPE_INLINE unsigned short bankscope_round_bf16(float value)
{
    unsigned bits = __builtin_bit_cast(unsigned, value);
    if (value != value)
        return 0x7fff;
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#pragma clang force_cuda_host_device end
#define HALF __nv_bfloat16
#define HALF_TYPE "bf16"
#if __CUDA_ARCH__ >= 900
#define HALF_HAS_ATOMIC 1
#else
#define HALF_HAS_ATOMIC 0
#endif
#define HALF2 __nv_bfloat162
#define HALF_RAW __nv_bfloat16_raw
#define HALF2_RAW __nv_bfloat162_raw
#define HALF_NAME(before, behind) before##bfloat16##behind
/* A shift, as nvcc's code for sm_90 has it: ptxas joins 2-byte loads of values that are packed, as its header
 * does for older devices, but not of those that become integers. */
#define HALF_WIDEN(bits) __builtin_bit_cast(float, (unsigned)(bits) << 16)
#define HALF_ROUND(value) bankscope_round_bf16(value)
#include "bankscope/half.h"
#undef HALF
#undef HALF_TYPE
#undef HALF_HAS_ATOMIC
#undef HALF2
#undef HALF_RAW
#undef HALF2_RAW
#undef HALF_NAME
#undef HALF_WIDEN
#undef HALF_ROUND

#pragma clang force_cuda_host_device begin
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
BANKSCOPE_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high)
{
    return __nv_bfloat162(low, high);
}
BANKSCOPE_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 both)
{
    return __nv_bfloat162(both, both);
}
BANKSCOPE_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a)
{
    return a.x;
}
BANKSCOPE_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a)
{
    return a.y;
}
BANKSCOPE_INLINE __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a)
{
    return __low2half2(a);
}
BANKSCOPE_INLINE __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a)
{
    return __high2half2(a);
}
BANKSCOPE_INLINE __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __lows2half2(a, b);
}
BANKSCOPE_INLINE __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __highs2half2(a, b);
}
#pragma clang force_cuda_host_device end
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)
#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)

#endif
