/* cuComplex.h - complex numbers as pairs, with functions instead of operators. */
#ifndef BANKSCOPE_CUCOMPLEX_H
#define BANKSCOPE_CUCOMPLEX_H

#include "cuda_runtime.h"
#include <math.h>

#pragma clang force_cuda_host_device begin
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define BANKSCOPE_COMPLEX(complex, real, f, root)                                                  \
    BANKSCOPE_INLINE complex make_##complex(real x, real y)                                        \
    {                                                                                              \
        return {x, y};                                                                             \
    }                                                                                              \
    BANKSCOPE_INLINE real cuCreal##f(complex a)                                                    \
    {                                                                                              \
        return a.x;                                                                                \
    }                                                                                              \
    BANKSCOPE_INLINE real cuCimag##f(complex a)                                                    \
    {                                                                                              \
        return a.y;                                                                                \
    }                                                                                              \
    BANKSCOPE_INLINE complex cuConj##f(complex a)                                                  \
    {                                                                                              \
        return {a.x, -a.y};                                                                        \
    }                                                                                              \
    BANKSCOPE_INLINE complex cuCadd##f(complex a, complex b)                                       \
    {                                                                                              \
        return {a.x + b.x, a.y + b.y};                                                             \
    }                                                                                              \
    BANKSCOPE_INLINE complex cuCsub##f(complex a, complex b)                                       \
    {                                                                                              \
        return {a.x - b.x, a.y - b.y};                                                             \
    }                                                                                              \
    BANKSCOPE_INLINE complex cuCmul##f(complex a, complex b)                                       \
    {                                                                                              \
        return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                     \
    }                                                                                              \
    BANKSCOPE_INLINE complex cuCdiv##f(complex a, complex b)                                       \
    {                                                                                              \
        real scale = fabs(b.x) + fabs(b.y), ar = a.x / scale, ai = a.y / scale, br = b.x / scale,  \
             bi = b.y / scale, square = br * br + bi * bi;                                         \
        return {(ar * br + ai * bi) / square, (ai * br - ar * bi) / square};                       \
    }                                                                                              \
    BANKSCOPE_INLINE real cuCabs##f(complex a)                                                     \
    {                                                                                              \
        return root(a.x, a.y);                                                                     \
    }                                                                                              \
    BANKSCOPE_INLINE complex cuCfma##f(complex a, complex b, complex c)                            \
    {                                                                                              \
        return cuCadd##f(cuCmul##f(a, b), c);                                                      \
    }
BANKSCOPE_COMPLEX(cuFloatComplex, float, f, hypotf)
BANKSCOPE_COMPLEX(cuDoubleComplex, double, , hypot)
#undef BANKSCOPE_COMPLEX
BANKSCOPE_INLINE cuComplex make_cuComplex(float x, float y)
{
    return {x, y};
}
BANKSCOPE_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a)
{
    return {a.x, a.y};
}
BANKSCOPE_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a)
{
    return {(float)a.x, (float)a.y};
}

#pragma clang force_cuda_host_device end
#endif
