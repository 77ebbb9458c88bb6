/* vector_functions.h - make_int2 and its 47 relatives. */
#ifndef BANKSCOPE_VECTOR_FUNCTIONS_H
#define BANKSCOPE_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define BANKSCOPE_MAKE(type, name)                                                                 \
    static inline __attribute__((always_inline, unused)) name##1 make_##name##1(type x)            \
    {                                                                                              \
        name##1 v = {x};                                                                           \
        return v;                                                                                  \
    }                                                                                              \
    static inline __attribute__((always_inline, unused)) name##2 make_##name##2(type x, type y)    \
    {                                                                                              \
        name##2 v = {x, y};                                                                        \
        return v;                                                                                  \
    }                                                                                              \
    static inline __attribute__((always_inline, unused))                                           \
    name##3 make_##name##3(type x, type y, type z)                                                 \
    {                                                                                              \
        name##3 v = {x, y, z};                                                                     \
        return v;                                                                                  \
    }                                                                                              \
    static inline __attribute__((always_inline, unused))                                           \
    name##4 make_##name##4(type x, type y, type z, type w)                                         \
    {                                                                                              \
        name##4 v = {x, y, z, w};                                                                  \
        return v;                                                                                  \
    }

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif
BANKSCOPE_MAKE(signed char, char)
BANKSCOPE_MAKE(unsigned char, uchar)
BANKSCOPE_MAKE(short, short)
BANKSCOPE_MAKE(unsigned short, ushort)
BANKSCOPE_MAKE(int, int)
BANKSCOPE_MAKE(unsigned int, uint)
BANKSCOPE_MAKE(long, long)
BANKSCOPE_MAKE(unsigned long, ulong)
BANKSCOPE_MAKE(long long, longlong)
BANKSCOPE_MAKE(unsigned long long, ulonglong)
BANKSCOPE_MAKE(float, float)
BANKSCOPE_MAKE(double, double)
#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif
#undef BANKSCOPE_MAKE

#endif
