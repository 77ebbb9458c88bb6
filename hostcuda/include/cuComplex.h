/* cuComplex.h - complex numbers as pairs, with functions instead of operators. */
#ifndef HOSTCUDA_CUCOMPLEX_H
#define HOSTCUDA_CUCOMPLEX_H

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define HOSTCUDA_COMPLEX(complex, real, f, root)                                                   \
    HOSTCUDA_INLINE complex make_##complex(real x, real y)                                         \
    {                                                                                              \
        return {x, y};                                                                             \
    }                                                                                              \
    HOSTCUDA_INLINE real cuCreal##f(complex a)                                                     \
    {                                                                                              \
        return a.x;                                                                                \
    }                                                                                              \
    HOSTCUDA_INLINE real cuCimag##f(complex a)                                                     \
    {                                                                                              \
        return a.y;                                                                                \
    }                                                                                              \
    HOSTCUDA_INLINE complex cuConj##f(complex a)                                                   \
    {                                                                                              \
        return {a.x, -a.y};                                                                        \
    }                                                                                              \
    HOSTCUDA_INLINE complex cuCadd##f(complex a, complex b)                                        \
    {                                                                                              \
        return {a.x + b.x, a.y + b.y};                                                             \
    }                                                                                              \
    HOSTCUDA_INLINE complex cuCsub##f(complex a, complex b)                                        \
    {                                                                                              \
        return {a.x - b.x, a.y - b.y};                                                             \
    }                                                                                              \
    HOSTCUDA_INLINE complex cuCmul##f(complex a, complex b)                                        \
    {                                                                                              \
        return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                     \
    }                                                                                              \
    HOSTCUDA_INLINE complex cuCdiv##f(complex a, complex b)                                        \
    {                                                                                              \
        real scale = fabs(b.x) + fabs(b.y), ar = a.x / scale, ai = a.y / scale, br = b.x / scale,  \
             bi = b.y / scale, square = br * br + bi * bi;                                         \
        return {(ar * br + ai * bi) / square, (ai * br - ar * bi) / square};                       \
    }                                                                                              \
    HOSTCUDA_INLINE real cuCabs##f(complex a)                                                      \
    {                                                                                              \
        return root(a.x, a.y);                                                                     \
    }                                                                                              \
    HOSTCUDA_INLINE complex cuCfma##f(complex a, complex b, complex c)                             \
    {                                                                                              \
        return cuCadd##f(cuCmul##f(a, b), c);                                                      \
    }
HOSTCUDA_COMPLEX(cuFloatComplex, float, f, hypotf)
HOSTCUDA_COMPLEX(cuDoubleComplex, double, , hypot)
#undef HOSTCUDA_COMPLEX
HOSTCUDA_INLINE cuComplex make_cuComplex(float x, float y)
{
    return {x, y};
}
HOSTCUDA_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a)
{
    return {a.x, a.y};
}
HOSTCUDA_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a)
{
    return {(float)a.x, (float)a.y};
}

#endif
