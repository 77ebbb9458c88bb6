/* vector_types.h - CUDA's vector types with CUDA's alignments, and the built-in variables. */
#ifndef BANKSCOPE_VECTOR_TYPES_H
#define BANKSCOPE_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__

#include "host_defines.h"
#include "bankscope/base.h"

/* A type of four sizes; two and four are aligned as given, one and three as their element. */
#define BANKSCOPE_VECTOR(type, name, align2, align4)                                               \
    struct name##1                                                                                 \
    {                                                                                              \
        type x;                                                                                    \
    };                                                                                             \
    struct __attribute__((aligned(align2))) name##2                                                \
    {                                                                                              \
        type x, y;                                                                                 \
    };                                                                                             \
    struct name##3                                                                                 \
    {                                                                                              \
        type x, y, z;                                                                              \
    };                                                                                             \
    struct __attribute__((aligned(align4))) name##4                                                \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    typedef struct name##1 name##1;                                                                \
    typedef struct name##2 name##2;                                                                \
    typedef struct name##3 name##3;                                                                \
    typedef struct name##4 name##4;

BANKSCOPE_VECTOR(signed char, char, 2, 4)
BANKSCOPE_VECTOR(unsigned char, uchar, 2, 4)
BANKSCOPE_VECTOR(short, short, 4, 8)
BANKSCOPE_VECTOR(unsigned short, ushort, 4, 8)
BANKSCOPE_VECTOR(int, int, 8, 16)
BANKSCOPE_VECTOR(unsigned int, uint, 8, 16)
BANKSCOPE_VECTOR(long, long, 16, 16)
BANKSCOPE_VECTOR(unsigned long, ulong, 16, 16)
BANKSCOPE_VECTOR(long long, longlong, 16, 16)
BANKSCOPE_VECTOR(unsigned long long, ulonglong, 16, 16)
BANKSCOPE_VECTOR(float, float, 8, 16)
BANKSCOPE_VECTOR(double, double, 16, 16)
#undef BANKSCOPE_VECTOR

/* CUDA 13 names the alignment of its 32-byte types. */
#define BANKSCOPE_WIDE(type, name)                                                                 \
    struct __attribute__((aligned(16))) name##4_16a                                                \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    struct __attribute__((aligned(32))) name##4_32a                                                \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    typedef struct name##4_16a name##4_16a;                                                        \
    typedef struct name##4_32a name##4_32a;
BANKSCOPE_WIDE(long, long)
BANKSCOPE_WIDE(unsigned long, ulong)
BANKSCOPE_WIDE(long long, longlong)
BANKSCOPE_WIDE(unsigned long long, ulonglong)
BANKSCOPE_WIDE(double, double)
#undef BANKSCOPE_WIDE

struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z)
    {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
#endif
};
typedef struct dim3 dim3;

#endif
