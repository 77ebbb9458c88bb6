/* helper_math.h - arithmetic of vector types, as NVIDIA's samples have it, where a program does not bring
 * the file itself: operators member by member, min, max and clamp, and for floats dot, cross, length,
 * normalize, lerp, reflect and the like. */
#ifndef BANKSCOPE_HELPER_MATH_H
#define BANKSCOPE_HELPER_MATH_H

#include "cuda_runtime.h"
#pragma clang force_cuda_host_device begin

typedef unsigned int uint;
typedef unsigned short ushort;

#ifndef __CUDA__ /* which a source of host code alone gets from NVIDIA's file, too */
#include <math.h>
BANKSCOPE_INLINE int max(int a, int b)
{
    return a > b ? a : b;
}
BANKSCOPE_INLINE int min(int a, int b)
{
    return a < b ? a : b;
}
BANKSCOPE_INLINE uint max(uint a, uint b)
{
    return a > b ? a : b;
}
BANKSCOPE_INLINE uint min(uint a, uint b)
{
    return a < b ? a : b;
}
BANKSCOPE_INLINE float max(float a, float b)
{
    return fmaxf(a, b);
}
BANKSCOPE_INLINE float min(float a, float b)
{
    return fminf(a, b);
}
BANKSCOPE_INLINE float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}
#endif

BANKSCOPE_INLINE float lerp(float a, float b, float t)
{
    return a + t * (b - a);
}
BANKSCOPE_INLINE float clamp(float x, float low, float high)
{
    return fmaxf(low, fminf(x, high));
}
BANKSCOPE_INLINE int clamp(int x, int low, int high)
{
    return max(low, min(x, high));
}
BANKSCOPE_INLINE uint clamp(uint x, uint low, uint high)
{
    return max(low, min(x, high));
}

/* One operator of V, a vector of S: with a vector and with a number on either side. ALL(f) makes the
   members. */
#define BANKSCOPE_ALL2(f) f(x), f(y)
#define BANKSCOPE_ALL3(f) f(x), f(y), f(z)
#define BANKSCOPE_ALL4(f) f(x), f(y), f(z), f(w)
#define BANKSCOPE_OPERATOR(V, S, ALL, sign, vv, vs, sv)                                            \
    BANKSCOPE_INLINE V operator sign(V a, V b)                                                     \
    {                                                                                              \
        return V{ALL(vv)};                                                                         \
    }                                                                                              \
    BANKSCOPE_INLINE V operator sign(V a, S b)                                                     \
    {                                                                                              \
        return V{ALL(vs)};                                                                         \
    }                                                                                              \
    BANKSCOPE_INLINE V operator sign(S a, V b)                                                     \
    {                                                                                              \
        return V{ALL(sv)};                                                                         \
    }                                                                                              \
    BANKSCOPE_INLINE void operator sign##=(V &a, V b)                                              \
    {                                                                                              \
        a = a sign b;                                                                              \
    }                                                                                              \
    BANKSCOPE_INLINE void operator sign##=(V &a, S b)                                              \
    {                                                                                              \
        a = a sign b;                                                                              \
    }
#define BANKSCOPE_ADD_VV(m) (a.m + b.m)
#define BANKSCOPE_ADD_VS(m) (a.m + b)
#define BANKSCOPE_ADD_SV(m) (a + b.m)
#define BANKSCOPE_SUB_VV(m) (a.m - b.m)
#define BANKSCOPE_SUB_VS(m) (a.m - b)
#define BANKSCOPE_SUB_SV(m) (a - b.m)
#define BANKSCOPE_MUL_VV(m) (a.m * b.m)
#define BANKSCOPE_MUL_VS(m) (a.m * b)
#define BANKSCOPE_MUL_SV(m) (a * b.m)
#define BANKSCOPE_DIV_VV(m) (a.m / b.m)
#define BANKSCOPE_DIV_VS(m) (a.m / b)
#define BANKSCOPE_DIV_SV(m) (a / b.m)
#define BANKSCOPE_MIN(m) min(a.m, b.m)
#define BANKSCOPE_MAX(m) max(a.m, b.m)
#define BANKSCOPE_CLAMP(m) clamp(v.m, low, high)
#define BANKSCOPE_CLAMP_V(m) clamp(v.m, low.m, high.m)
#define BANKSCOPE_SAME(m) ((void)v.m, s)
#define BANKSCOPE_VECTOR(V, S, ALL)                                                                \
    BANKSCOPE_OPERATOR(V, S, ALL, +, BANKSCOPE_ADD_VV, BANKSCOPE_ADD_VS, BANKSCOPE_ADD_SV)         \
    BANKSCOPE_OPERATOR(V, S, ALL, -, BANKSCOPE_SUB_VV, BANKSCOPE_SUB_VS, BANKSCOPE_SUB_SV)         \
    BANKSCOPE_OPERATOR(V, S, ALL, *, BANKSCOPE_MUL_VV, BANKSCOPE_MUL_VS, BANKSCOPE_MUL_SV)         \
    BANKSCOPE_INLINE V min(V a, V b)                                                               \
    {                                                                                              \
        return V{ALL(BANKSCOPE_MIN)};                                                              \
    }                                                                                              \
    BANKSCOPE_INLINE V max(V a, V b)                                                               \
    {                                                                                              \
        return V{ALL(BANKSCOPE_MAX)};                                                              \
    }                                                                                              \
    BANKSCOPE_INLINE V clamp(V v, S low, S high)                                                   \
    {                                                                                              \
        return V{ALL(BANKSCOPE_CLAMP)};                                                            \
    }                                                                                              \
    BANKSCOPE_INLINE V clamp(V v, V low, V high)                                                   \
    {                                                                                              \
        return V{ALL(BANKSCOPE_CLAMP_V)};                                                          \
    }                                                                                              \
    BANKSCOPE_INLINE V make_##V(S s)                                                               \
    {                                                                                              \
        V v = {};                                                                                  \
        return V{ALL(BANKSCOPE_SAME)};                                                             \
    }
BANKSCOPE_VECTOR(int2, int, BANKSCOPE_ALL2)
BANKSCOPE_VECTOR(int3, int, BANKSCOPE_ALL3)
BANKSCOPE_VECTOR(int4, int, BANKSCOPE_ALL4)
BANKSCOPE_VECTOR(uint2, uint, BANKSCOPE_ALL2)
BANKSCOPE_VECTOR(uint3, uint, BANKSCOPE_ALL3)
BANKSCOPE_VECTOR(uint4, uint, BANKSCOPE_ALL4)
BANKSCOPE_VECTOR(float2, float, BANKSCOPE_ALL2)
BANKSCOPE_VECTOR(float3, float, BANKSCOPE_ALL3)
BANKSCOPE_VECTOR(float4, float, BANKSCOPE_ALL4)

#define BANKSCOPE_NEGATED(m) -a.m
#define BANKSCOPE_FRACTION(m) (v.m - floorf(v.m))
#define BANKSCOPE_FLOOR(m) floorf(v.m)
#define BANKSCOPE_ABS(m) fabsf(v.m)
#define BANKSCOPE_FMOD(m) fmodf(a.m, b.m)
#define BANKSCOPE_FLOATS(V, ALL, SUM)                                                              \
    BANKSCOPE_OPERATOR(V, float, ALL, /, BANKSCOPE_DIV_VV, BANKSCOPE_DIV_VS, BANKSCOPE_DIV_SV)     \
    BANKSCOPE_INLINE V operator-(const V &a)                                                       \
    {                                                                                              \
        return V{ALL(BANKSCOPE_NEGATED)};                                                          \
    }                                                                                              \
    BANKSCOPE_INLINE float dot(V a, V b)                                                           \
    {                                                                                              \
        return SUM;                                                                                \
    }                                                                                              \
    BANKSCOPE_INLINE float length(V v)                                                             \
    {                                                                                              \
        return sqrtf(dot(v, v));                                                                   \
    }                                                                                              \
    BANKSCOPE_INLINE V normalize(V v)                                                              \
    {                                                                                              \
        return v * rsqrtf(dot(v, v));                                                              \
    }                                                                                              \
    BANKSCOPE_INLINE V lerp(V a, V b, float t)                                                     \
    {                                                                                              \
        return a + t * (b - a);                                                                    \
    }                                                                                              \
    BANKSCOPE_INLINE V fminf(V a, V b)                                                             \
    {                                                                                              \
        return min(a, b);                                                                          \
    }                                                                                              \
    BANKSCOPE_INLINE V fmaxf(V a, V b)                                                             \
    {                                                                                              \
        return max(a, b);                                                                          \
    }                                                                                              \
    BANKSCOPE_INLINE V floorf(V v)                                                                 \
    {                                                                                              \
        return V{ALL(BANKSCOPE_FLOOR)};                                                            \
    }                                                                                              \
    BANKSCOPE_INLINE V fracf(V v)                                                                  \
    {                                                                                              \
        return V{ALL(BANKSCOPE_FRACTION)};                                                         \
    }                                                                                              \
    BANKSCOPE_INLINE V fabs(V v)                                                                   \
    {                                                                                              \
        return V{ALL(BANKSCOPE_ABS)};                                                              \
    }                                                                                              \
    BANKSCOPE_INLINE V fmodf(V a, V b)                                                             \
    {                                                                                              \
        return V{ALL(BANKSCOPE_FMOD)};                                                             \
    }                                                                                              \
    BANKSCOPE_INLINE V reflect(V i, V n)                                                           \
    {                                                                                              \
        return i - 2.0f * n * dot(n, i);                                                           \
    }                                                                                              \
    BANKSCOPE_INLINE V smoothstep(V a, V b, V x)                                                   \
    {                                                                                              \
        V y = clamp((x - a) / (b - a), 0.0f, 1.0f);                                                \
        return y * y * (3.0f - 2.0f * y);                                                          \
    }
BANKSCOPE_FLOATS(float2, BANKSCOPE_ALL2, a.x *b.x + a.y * b.y)
BANKSCOPE_FLOATS(float3, BANKSCOPE_ALL3, a.x *b.x + a.y * b.y + a.z * b.z)
BANKSCOPE_FLOATS(float4, BANKSCOPE_ALL4, a.x *b.x + a.y * b.y + a.z * b.z + a.w * b.w)

BANKSCOPE_INLINE float3 cross(float3 a, float3 b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
BANKSCOPE_INLINE float fracf(float v)
{
    return v - floorf(v);
}
BANKSCOPE_INLINE float smoothstep(float a, float b, float x)
{
    float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return y * y * (3.0f - 2.0f * y);
}

/* From shorter and longer vectors, and from other types. */
BANKSCOPE_INLINE float2 make_float2(float3 v)
{
    return {v.x, v.y};
}
BANKSCOPE_INLINE float3 make_float3(float2 v)
{
    return {v.x, v.y, 0};
}
BANKSCOPE_INLINE float3 make_float3(float2 v, float z)
{
    return {v.x, v.y, z};
}
BANKSCOPE_INLINE float3 make_float3(float4 v)
{
    return {v.x, v.y, v.z};
}
BANKSCOPE_INLINE float3 make_float3(int3 v)
{
    return {(float)v.x, (float)v.y, (float)v.z};
}
BANKSCOPE_INLINE float4 make_float4(float3 v)
{
    return {v.x, v.y, v.z, 0};
}
BANKSCOPE_INLINE float4 make_float4(float3 v, float w)
{
    return {v.x, v.y, v.z, w};
}
BANKSCOPE_INLINE int2 make_int2(float2 v)
{
    return {(int)v.x, (int)v.y};
}
BANKSCOPE_INLINE int3 make_int3(float3 v)
{
    return {(int)v.x, (int)v.y, (int)v.z};
}

#undef BANKSCOPE_ABS
#undef BANKSCOPE_ADD_SV
#undef BANKSCOPE_ADD_VS
#undef BANKSCOPE_ADD_VV
#undef BANKSCOPE_ALL2
#undef BANKSCOPE_ALL3
#undef BANKSCOPE_ALL4
#undef BANKSCOPE_CLAMP
#undef BANKSCOPE_CLAMP_V
#undef BANKSCOPE_DIV_SV
#undef BANKSCOPE_DIV_VS
#undef BANKSCOPE_DIV_VV
#undef BANKSCOPE_FLOATS
#undef BANKSCOPE_FLOOR
#undef BANKSCOPE_FMOD
#undef BANKSCOPE_FRACTION
#undef BANKSCOPE_MAX
#undef BANKSCOPE_MIN
#undef BANKSCOPE_MUL_SV
#undef BANKSCOPE_MUL_VS
#undef BANKSCOPE_MUL_VV
#undef BANKSCOPE_NEGATED
#undef BANKSCOPE_OPERATOR
#undef BANKSCOPE_SAME
#undef BANKSCOPE_SUB_SV
#undef BANKSCOPE_SUB_VS
#undef BANKSCOPE_SUB_VV
#undef BANKSCOPE_VECTOR

#pragma clang force_cuda_host_device end
#endif
