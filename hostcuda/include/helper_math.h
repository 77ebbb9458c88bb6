/* helper_math.h - arithmetic of vector types, as NVIDIA's samples have it, where a program does not bring
 * the file itself: operators member by member, min, max and clamp, and for floats dot, cross, length,
 * normalize, lerp, reflect and the like. */
#ifndef HOSTCUDA_HELPER_MATH_H
#define HOSTCUDA_HELPER_MATH_H

#include "cuda_runtime.h"

typedef unsigned int uint;
typedef unsigned short ushort;

HOSTCUDA_INLINE float lerp(float a, float b, float t)
{
    return a + t * (b - a);
}
HOSTCUDA_INLINE float clamp(float x, float low, float high)
{
    return fmaxf(low, fminf(x, high));
}
HOSTCUDA_INLINE int clamp(int x, int low, int high)
{
    return max(low, min(x, high));
}
HOSTCUDA_INLINE uint clamp(uint x, uint low, uint high)
{
    return max(low, min(x, high));
}

/* One operator of V, a vector of S: with a vector and with a number on either side. ALL(f) makes the
   members. */
#define HOSTCUDA_ALL2(f) f(x), f(y)
#define HOSTCUDA_ALL3(f) f(x), f(y), f(z)
#define HOSTCUDA_ALL4(f) f(x), f(y), f(z), f(w)
#define HOSTCUDA_OPERATOR(V, S, ALL, sign, vv, vs, sv)                                             \
    HOSTCUDA_INLINE V operator sign(V a, V b)                                                      \
    {                                                                                              \
        return V{ALL(vv)};                                                                         \
    }                                                                                              \
    HOSTCUDA_INLINE V operator sign(V a, S b)                                                      \
    {                                                                                              \
        return V{ALL(vs)};                                                                         \
    }                                                                                              \
    HOSTCUDA_INLINE V operator sign(S a, V b)                                                      \
    {                                                                                              \
        return V{ALL(sv)};                                                                         \
    }                                                                                              \
    HOSTCUDA_INLINE void operator sign##=(V &a, V b)                                               \
    {                                                                                              \
        a = a sign b;                                                                              \
    }                                                                                              \
    HOSTCUDA_INLINE void operator sign##=(V &a, S b)                                               \
    {                                                                                              \
        a = a sign b;                                                                              \
    }
#define HOSTCUDA_ADD_VV(m) (a.m + b.m)
#define HOSTCUDA_ADD_VS(m) (a.m + b)
#define HOSTCUDA_ADD_SV(m) (a + b.m)
#define HOSTCUDA_SUB_VV(m) (a.m - b.m)
#define HOSTCUDA_SUB_VS(m) (a.m - b)
#define HOSTCUDA_SUB_SV(m) (a - b.m)
#define HOSTCUDA_MUL_VV(m) (a.m * b.m)
#define HOSTCUDA_MUL_VS(m) (a.m * b)
#define HOSTCUDA_MUL_SV(m) (a * b.m)
#define HOSTCUDA_DIV_VV(m) (a.m / b.m)
#define HOSTCUDA_DIV_VS(m) (a.m / b)
#define HOSTCUDA_DIV_SV(m) (a / b.m)
#define HOSTCUDA_MIN(m) min(a.m, b.m)
#define HOSTCUDA_MAX(m) max(a.m, b.m)
#define HOSTCUDA_CLAMP(m) clamp(v.m, low, high)
#define HOSTCUDA_CLAMP_V(m) clamp(v.m, low.m, high.m)
#define HOSTCUDA_SAME(m) ((void)v.m, s)
#define HOSTCUDA_VECTOR(V, S, ALL)                                                                 \
    HOSTCUDA_OPERATOR(V, S, ALL, +, HOSTCUDA_ADD_VV, HOSTCUDA_ADD_VS, HOSTCUDA_ADD_SV)             \
    HOSTCUDA_OPERATOR(V, S, ALL, -, HOSTCUDA_SUB_VV, HOSTCUDA_SUB_VS, HOSTCUDA_SUB_SV)             \
    HOSTCUDA_OPERATOR(V, S, ALL, *, HOSTCUDA_MUL_VV, HOSTCUDA_MUL_VS, HOSTCUDA_MUL_SV)             \
    HOSTCUDA_INLINE V min(V a, V b)                                                                \
    {                                                                                              \
        return V{ALL(HOSTCUDA_MIN)};                                                               \
    }                                                                                              \
    HOSTCUDA_INLINE V max(V a, V b)                                                                \
    {                                                                                              \
        return V{ALL(HOSTCUDA_MAX)};                                                               \
    }                                                                                              \
    HOSTCUDA_INLINE V clamp(V v, S low, S high)                                                    \
    {                                                                                              \
        return V{ALL(HOSTCUDA_CLAMP)};                                                             \
    }                                                                                              \
    HOSTCUDA_INLINE V clamp(V v, V low, V high)                                                    \
    {                                                                                              \
        return V{ALL(HOSTCUDA_CLAMP_V)};                                                           \
    }                                                                                              \
    HOSTCUDA_INLINE V make_##V(S s)                                                                \
    {                                                                                              \
        V v = {};                                                                                  \
        return V{ALL(HOSTCUDA_SAME)};                                                              \
    }
HOSTCUDA_VECTOR(int2, int, HOSTCUDA_ALL2)
HOSTCUDA_VECTOR(int3, int, HOSTCUDA_ALL3)
HOSTCUDA_VECTOR(int4, int, HOSTCUDA_ALL4)
HOSTCUDA_VECTOR(uint2, uint, HOSTCUDA_ALL2)
HOSTCUDA_VECTOR(uint3, uint, HOSTCUDA_ALL3)
HOSTCUDA_VECTOR(uint4, uint, HOSTCUDA_ALL4)
HOSTCUDA_VECTOR(float2, float, HOSTCUDA_ALL2)
HOSTCUDA_VECTOR(float3, float, HOSTCUDA_ALL3)
HOSTCUDA_VECTOR(float4, float, HOSTCUDA_ALL4)

#define HOSTCUDA_NEGATED(m) -a.m
#define HOSTCUDA_FRACTION(m) (v.m - floorf(v.m))
#define HOSTCUDA_FLOOR(m) floorf(v.m)
#define HOSTCUDA_ABS(m) fabsf(v.m)
#define HOSTCUDA_FMOD(m) fmodf(a.m, b.m)
#define HOSTCUDA_FLOATS(V, ALL, SUM)                                                               \
    HOSTCUDA_OPERATOR(V, float, ALL, /, HOSTCUDA_DIV_VV, HOSTCUDA_DIV_VS, HOSTCUDA_DIV_SV)         \
    HOSTCUDA_INLINE V operator-(const V &a)                                                        \
    {                                                                                              \
        return V{ALL(HOSTCUDA_NEGATED)};                                                           \
    }                                                                                              \
    HOSTCUDA_INLINE float dot(V a, V b)                                                            \
    {                                                                                              \
        return SUM;                                                                                \
    }                                                                                              \
    HOSTCUDA_INLINE float length(V v)                                                              \
    {                                                                                              \
        return sqrtf(dot(v, v));                                                                   \
    }                                                                                              \
    HOSTCUDA_INLINE V normalize(V v)                                                               \
    {                                                                                              \
        return v * rsqrtf(dot(v, v));                                                              \
    }                                                                                              \
    HOSTCUDA_INLINE V lerp(V a, V b, float t)                                                      \
    {                                                                                              \
        return a + t * (b - a);                                                                    \
    }                                                                                              \
    HOSTCUDA_INLINE V fminf(V a, V b)                                                              \
    {                                                                                              \
        return min(a, b);                                                                          \
    }                                                                                              \
    HOSTCUDA_INLINE V fmaxf(V a, V b)                                                              \
    {                                                                                              \
        return max(a, b);                                                                          \
    }                                                                                              \
    HOSTCUDA_INLINE V floorf(V v)                                                                  \
    {                                                                                              \
        return V{ALL(HOSTCUDA_FLOOR)};                                                             \
    }                                                                                              \
    HOSTCUDA_INLINE V fracf(V v)                                                                   \
    {                                                                                              \
        return V{ALL(HOSTCUDA_FRACTION)};                                                          \
    }                                                                                              \
    HOSTCUDA_INLINE V fabs(V v)                                                                    \
    {                                                                                              \
        return V{ALL(HOSTCUDA_ABS)};                                                               \
    }                                                                                              \
    HOSTCUDA_INLINE V fmodf(V a, V b)                                                              \
    {                                                                                              \
        return V{ALL(HOSTCUDA_FMOD)};                                                              \
    }                                                                                              \
    HOSTCUDA_INLINE V reflect(V i, V n)                                                            \
    {                                                                                              \
        return i - 2.0f * n * dot(n, i);                                                           \
    }                                                                                              \
    HOSTCUDA_INLINE V smoothstep(V a, V b, V x)                                                    \
    {                                                                                              \
        V y = clamp((x - a) / (b - a), 0.0f, 1.0f);                                                \
        return y * y * (3.0f - 2.0f * y);                                                          \
    }
HOSTCUDA_FLOATS(float2, HOSTCUDA_ALL2, a.x *b.x + a.y * b.y)
HOSTCUDA_FLOATS(float3, HOSTCUDA_ALL3, a.x *b.x + a.y * b.y + a.z * b.z)
HOSTCUDA_FLOATS(float4, HOSTCUDA_ALL4, a.x *b.x + a.y * b.y + a.z * b.z + a.w * b.w)

HOSTCUDA_INLINE float3 cross(float3 a, float3 b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
HOSTCUDA_INLINE float fracf(float v)
{
    return v - floorf(v);
}
HOSTCUDA_INLINE float smoothstep(float a, float b, float x)
{
    float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return y * y * (3.0f - 2.0f * y);
}

/* From shorter and longer vectors, and from other types. */
HOSTCUDA_INLINE float2 make_float2(float3 v)
{
    return {v.x, v.y};
}
HOSTCUDA_INLINE float3 make_float3(float2 v)
{
    return {v.x, v.y, 0};
}
HOSTCUDA_INLINE float3 make_float3(float2 v, float z)
{
    return {v.x, v.y, z};
}
HOSTCUDA_INLINE float3 make_float3(float4 v)
{
    return {v.x, v.y, v.z};
}
HOSTCUDA_INLINE float3 make_float3(int3 v)
{
    return {(float)v.x, (float)v.y, (float)v.z};
}
HOSTCUDA_INLINE float4 make_float4(float3 v)
{
    return {v.x, v.y, v.z, 0};
}
HOSTCUDA_INLINE float4 make_float4(float3 v, float w)
{
    return {v.x, v.y, v.z, w};
}
HOSTCUDA_INLINE int2 make_int2(float2 v)
{
    return {(int)v.x, (int)v.y};
}
HOSTCUDA_INLINE int3 make_int3(float3 v)
{
    return {(int)v.x, (int)v.y, (int)v.z};
}

#undef HOSTCUDA_ABS
#undef HOSTCUDA_ADD_SV
#undef HOSTCUDA_ADD_VS
#undef HOSTCUDA_ADD_VV
#undef HOSTCUDA_ALL2
#undef HOSTCUDA_ALL3
#undef HOSTCUDA_ALL4
#undef HOSTCUDA_CLAMP
#undef HOSTCUDA_CLAMP_V
#undef HOSTCUDA_DIV_SV
#undef HOSTCUDA_DIV_VS
#undef HOSTCUDA_DIV_VV
#undef HOSTCUDA_FLOATS
#undef HOSTCUDA_FLOOR
#undef HOSTCUDA_FMOD
#undef HOSTCUDA_FRACTION
#undef HOSTCUDA_MAX
#undef HOSTCUDA_MIN
#undef HOSTCUDA_MUL_SV
#undef HOSTCUDA_MUL_VS
#undef HOSTCUDA_MUL_VV
#undef HOSTCUDA_NEGATED
#undef HOSTCUDA_OPERATOR
#undef HOSTCUDA_SAME
#undef HOSTCUDA_SUB_SV
#undef HOSTCUDA_SUB_VS
#undef HOSTCUDA_SUB_VV
#undef HOSTCUDA_VECTOR

#endif
