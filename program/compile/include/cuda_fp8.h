/* cuda_fp8.h - numbers of 8 bits: e4m3 (4 bits of exponent, 3 of fraction, no infinities, up to 448) and
 * e5m2 (5 and 2, up to 57344), kept as bytes and computed with as floats. */
#ifndef BANKSCOPE_CUDA_FP8_H
#define BANKSCOPE_CUDA_FP8_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#pragma clang force_cuda_host_device begin
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

/* ---- one number ------------------------------------------------------------------------------------- */

/* To nearest, ties to even. What is too large becomes the largest number or, unsaturated, no number (e4m3)
 * or infinity (e5m2). */
BANKSCOPE_INLINE __nv_fp8_storage_t bankscope_to_fp8(float value, __nv_saturation_t saturation,
                                                     __nv_fp8_interpretation_t kind)
{
    const bool e4m3 = kind == __NV_E4M3;
    const unsigned fraction = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15, shift = 23 - fraction;
    const unsigned largest = e4m3 ? 0x7e : 0x7b, beyond = e4m3 ? 0x7f : 0x7c;
    const unsigned bits = __builtin_bit_cast(unsigned, value), sign = bits >> 24 & 0x80;
    const unsigned rest = bits & 0x7fffffff;
    unsigned result;
    if (rest > 0x7f800000)
        return 0x7f;
    if (rest < (128 - bias)
                   << 23) { /* below the smallest with a hidden bit: units of 2^(1-bias-fraction) */
        const float unit = __builtin_bit_cast(float, (127 + 1 - bias - fraction) << 23);
        float units = __builtin_bit_cast(float, rest) / unit;
        result = (unsigned)units;
        float left = units - (float)result;
        result += left > 0.5f || (left == 0.5f && (result & 1));
    } else {
        result =
            (rest - ((127 - bias) << 23) + (1u << (shift - 1)) - 1 + (rest >> shift & 1)) >> shift;
    }
    if (result > largest || rest == 0x7f800000)
        result = saturation == __NV_SATFINITE ? largest : beyond;
    return (__nv_fp8_storage_t)(sign | result);
}
BANKSCOPE_INLINE float bankscope_from_fp8(__nv_fp8_storage_t bits, __nv_fp8_interpretation_t kind)
{
    const unsigned sign = (bits & 0x80u) << 24, rest = bits & 0x7f;
    const unsigned fraction = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
    unsigned wide = (rest << (23 - fraction)) + ((127 - bias) << 23);
    if (kind == __NV_E4M3 ? rest == 0x7f : rest > 0x7c)
        wide = 0x7fc00000;
    else if (kind == __NV_E5M2 && rest == 0x7c)
        wide = 0x7f800000;
    else if (rest >> fraction == 0)
        wide = __builtin_bit_cast(
            unsigned, (float)rest *__builtin_bit_cast(float, (128 - bias - fraction) << 23));
    return __builtin_bit_cast(float, sign | wide);
}
BANKSCOPE_INLINE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation,
                                                          __nv_fp8_interpretation_t kind)
{
    return bankscope_to_fp8(x, saturation, kind);
}
BANKSCOPE_INLINE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                           __nv_fp8_interpretation_t kind)
{
    return bankscope_to_fp8((float)x, saturation, kind);
}
BANKSCOPE_INLINE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x,
                                                            __nv_saturation_t saturation,
                                                            __nv_fp8_interpretation_t kind)
{
    return bankscope_to_fp8((float)__half(x), saturation, kind);
}
BANKSCOPE_INLINE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                                __nv_saturation_t saturation,
                                                                __nv_fp8_interpretation_t kind)
{
    return bankscope_to_fp8((float)__nv_bfloat16(x), saturation, kind);
}
BANKSCOPE_INLINE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                                    __nv_fp8_interpretation_t kind)
{
    return __half(bankscope_from_fp8(x, kind));
}
BANKSCOPE_INLINE __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x,
                                                               __nv_saturation_t saturation,
                                                               __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8x2_storage_t)(bankscope_to_fp8(x.x, saturation, kind) |
                                  bankscope_to_fp8(x.y, saturation, kind) << 8);
}
BANKSCOPE_INLINE __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x,
                                                                 __nv_saturation_t saturation,
                                                                 __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(make_float2(__half(__half_raw{x.x}), __half(__half_raw{x.y})),
                                    saturation, kind);
}
BANKSCOPE_INLINE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                        __nv_fp8_interpretation_t kind)
{
    return {__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x,
            __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x};
}

/* ---- types ------------------------------------------------------------------------------------------ */

#define BANKSCOPE_FROM(name, type, kind)                                                           \
    explicit BANKSCOPE_MEMBER name(type value)                                                     \
        : __x(bankscope_to_fp8((float)value, __NV_SATFINITE, kind))                                \
    {                                                                                              \
    }
#define BANKSCOPE_TO(type, kind)                                                                   \
    explicit BANKSCOPE_MEMBER operator type() const                                                \
    {                                                                                              \
        return (type)bankscope_from_fp8(__x, kind);                                                \
    }
#define BANKSCOPE_FP8(name, kind)                                                                  \
    struct name {                                                                                  \
        __nv_fp8_storage_t __x;                                                                    \
        name() = default;                                                                          \
        BANKSCOPE_FROM(name, float, kind)                                                          \
        BANKSCOPE_FROM(name, double, kind)                                                         \
        BANKSCOPE_FROM(name, __half, kind)                                                         \
        BANKSCOPE_FROM(name, __nv_bfloat16, kind)                                                  \
        BANKSCOPE_FROM(name, int, kind)                                                            \
        BANKSCOPE_FROM(name, unsigned, kind)                                                       \
        BANKSCOPE_FROM(name, short, kind)                                                          \
        BANKSCOPE_FROM(name, unsigned short, kind)                                                 \
        BANKSCOPE_FROM(name, long, kind)                                                           \
        BANKSCOPE_FROM(name, unsigned long, kind)                                                  \
        BANKSCOPE_FROM(name, long long, kind)                                                      \
        BANKSCOPE_FROM(name, unsigned long long, kind)                                             \
        BANKSCOPE_TO(float, kind)                                                                  \
        BANKSCOPE_TO(double, kind)                                                                 \
        BANKSCOPE_TO(__half, kind)                                                                 \
        BANKSCOPE_TO(__nv_bfloat16, kind)                                                          \
        BANKSCOPE_TO(int, kind)                                                                    \
        BANKSCOPE_TO(unsigned, kind)                                                               \
        BANKSCOPE_TO(char, kind)                                                                   \
        BANKSCOPE_TO(short, kind)                                                                  \
        explicit BANKSCOPE_MEMBER operator bool() const                                            \
        {                                                                                          \
            return (__x & 0x7f) != 0;                                                              \
        }                                                                                          \
    };
BANKSCOPE_FP8(__nv_fp8_e4m3, __NV_E4M3)
BANKSCOPE_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef BANKSCOPE_FP8
#undef BANKSCOPE_TO
#undef BANKSCOPE_FROM

/* Two and four of them. */
#define BANKSCOPE_FP8S(suffix, kind)                                                               \
    struct __nv_fp8x2_##suffix {                                                                   \
        __nv_fp8x2_storage_t __x;                                                                  \
        __nv_fp8x2_##suffix() = default;                                                           \
        explicit BANKSCOPE_MEMBER __nv_fp8x2_##suffix(float2 value)                                \
            : __x(__nv_cvt_float2_to_fp8x2(value, __NV_SATFINITE, kind))                           \
        {                                                                                          \
        }                                                                                          \
        explicit BANKSCOPE_MEMBER __nv_fp8x2_##suffix(__half2 value)                               \
            : __x(__nv_cvt_float2_to_fp8x2(__half22float2(value), __NV_SATFINITE, kind))           \
        {                                                                                          \
        }                                                                                          \
        explicit BANKSCOPE_MEMBER operator float2() const                                          \
        {                                                                                          \
            return make_float2(bankscope_from_fp8((__nv_fp8_storage_t)__x, kind),                  \
                               bankscope_from_fp8((__nv_fp8_storage_t)(__x >> 8), kind));          \
        }                                                                                          \
        explicit BANKSCOPE_MEMBER operator __half2() const                                         \
        {                                                                                          \
            return __float22half2_rn((float2) * this);                                             \
        }                                                                                          \
    };                                                                                             \
    struct __nv_fp8x4_##suffix {                                                                   \
        __nv_fp8x4_storage_t __x;                                                                  \
        __nv_fp8x4_##suffix() = default;                                                           \
        explicit BANKSCOPE_MEMBER __nv_fp8x4_##suffix(float4 value)                                \
            : __x(__nv_cvt_float2_to_fp8x2(make_float2(value.x, value.y), __NV_SATFINITE, kind) |  \
                  (__nv_fp8x4_storage_t)__nv_cvt_float2_to_fp8x2(make_float2(value.z, value.w),    \
                                                                 __NV_SATFINITE, kind)             \
                      << 16)                                                                       \
        {                                                                                          \
        }                                                                                          \
        explicit BANKSCOPE_MEMBER operator float4() const                                          \
        {                                                                                          \
            return make_float4(bankscope_from_fp8((__nv_fp8_storage_t)__x, kind),                  \
                               bankscope_from_fp8((__nv_fp8_storage_t)(__x >> 8), kind),           \
                               bankscope_from_fp8((__nv_fp8_storage_t)(__x >> 16), kind),          \
                               bankscope_from_fp8((__nv_fp8_storage_t)(__x >> 24), kind));         \
        }                                                                                          \
    };
BANKSCOPE_FP8S(e4m3, __NV_E4M3)
BANKSCOPE_FP8S(e5m2, __NV_E5M2)
#undef BANKSCOPE_FP8S
#pragma clang force_cuda_host_device end

#endif
