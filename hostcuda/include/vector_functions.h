/* vector_functions.h - make_int2 and its 47 relatives. */
#ifndef HOSTCUDA_VECTOR_FUNCTIONS_H
#define HOSTCUDA_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define HOSTCUDA_MAKE(type, name)                                                                  \
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

HOSTCUDA_MAKE(signed char, char)
HOSTCUDA_MAKE(unsigned char, uchar)
HOSTCUDA_MAKE(short, short)
HOSTCUDA_MAKE(unsigned short, ushort)
HOSTCUDA_MAKE(int, int)
HOSTCUDA_MAKE(unsigned int, uint)
HOSTCUDA_MAKE(long, long)
HOSTCUDA_MAKE(unsigned long, ulong)
HOSTCUDA_MAKE(long long, longlong)
HOSTCUDA_MAKE(unsigned long long, ulonglong)
HOSTCUDA_MAKE(float, float)
HOSTCUDA_MAKE(double, double)
#undef HOSTCUDA_MAKE

#endif
