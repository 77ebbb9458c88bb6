/* cuda_fp16.h - numbers of 16 bits: 5 of exponent, 10 of fraction (the compiler's _Float16). */
#ifndef BANKSCOPE_CUDA_FP16_H
#define BANKSCOPE_CUDA_FP16_H

#include "cuda_runtime.h"

#ifdef __CUDA_ARCH__
/* No asm: clang unrolls no loop with asm in it (it counts as convergent), and nvcc does. */
BANKSCOPE_DEVICE float bankscope_widen_half(unsigned short bits)
{
    return (float)__builtin_bit_cast(_Float16, bits);
}
BANKSCOPE_DEVICE unsigned short bankscope_round_half(float value)
{
    return __builtin_bit_cast(unsigned short, (_Float16)value);
}
#else
/* 2^-14 is the smallest number with a hidden bit; below it, bits count 2^-24. */
inline float bankscope_widen_half(unsigned short bits)
{
    const unsigned sign = (bits & 0x8000u) << 16, rest = bits & 0x7fff;
    if (rest < 0x400)
        return __builtin_copysignf((float)rest * 0x1p-24f, __builtin_bit_cast(float, sign));
    return __builtin_bit_cast(float, rest < 0x7c00 ? sign | ((rest << 13) + (112u << 23))
                                                   : sign | 0x7f800000u | (rest & 0x3ff) << 13);
}
/* To nearest, ties to even. */
inline unsigned short bankscope_round_half(float value)
{
    const unsigned bits = __builtin_bit_cast(unsigned, value), sign = bits >> 16 & 0x8000;
    const unsigned rest = bits & 0x7fffffff;
    if (rest > 0x7f800000)
        return 0x7fff;
    if (rest >= 0x477ff000) /* halfway to what is too large */
        return (unsigned short)(sign | 0x7c00);
    if (rest < 0x38800000) /* the addition shifts the last bit to where 2^-24 is */
        return (unsigned short)(sign |
                                (__builtin_bit_cast(unsigned, __builtin_fabsf(value) + 0.5f) -
                                 __builtin_bit_cast(unsigned, 0.5f)));
    return (unsigned short)(sign | (rest - (112u << 23) + 0xfff + (rest >> 13 & 1)) >> 13);
}
#endif
#define HALF __half
#define HALF_TYPE "f16"
#define HALF_HAS_ATOMIC 1
#define HALF2 __half2
#define HALF_RAW __half_raw
#define HALF2_RAW __half2_raw
#define HALF_NAME(before, behind) before##half##behind
#define HALF_WIDEN bankscope_widen_half
#define HALF_ROUND bankscope_round_half
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
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
BANKSCOPE_INLINE short __half2short(__half x)
{
    return __half2short_rz(x);
}
BANKSCOPE_INLINE double __half2double(__half x)
{
    return (float)x;
}
#pragma clang force_cuda_host_device end
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)

#endif
