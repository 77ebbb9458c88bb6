/* cuda_fp16.h - numbers of 16 bits: 5 of exponent, 10 of fraction (the compiler's _Float16). */
#ifndef HOSTCUDA_CUDA_FP16_H
#define HOSTCUDA_CUDA_FP16_H

#include "cuda_runtime.h"

/* The compiler calls a function of its library unless it may rely on F16C, which nearly every processor
 * has. */
HOSTCUDA_INLINE float hostcuda_half_to_float(unsigned short bits)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("f16c")) {
        float value;
        __asm__("vmovd %1, %0\n\tvcvtph2ps %0, %0" : "=x"(value) : "r"((unsigned)bits));
        return value;
    }
#endif
    return (float)__builtin_bit_cast(_Float16, bits);
}
HOSTCUDA_INLINE unsigned short hostcuda_float_to_half(float value)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("f16c")) {
        unsigned bits;
        __asm__("vcvtps2ph $0, %1, %1\n\tvmovd %1, %0" : "=r"(bits), "+x"(value));
        return (unsigned short)bits;
    }
#endif
    return __builtin_bit_cast(unsigned short, (_Float16)value);
}

#define HALF __half
#define HALF2 __half2
#define HALF_RAW __half_raw
#define HALF2_RAW __half2_raw
#define HALF_NAME(before, behind) before##half##behind
#define HALF_WIDEN hostcuda_half_to_float
#define HALF_ROUND hostcuda_float_to_half
#include "hostcuda_half.h"
#undef HALF
#undef HALF2
#undef HALF_RAW
#undef HALF2_RAW
#undef HALF_NAME
#undef HALF_WIDEN
#undef HALF_ROUND

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
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
