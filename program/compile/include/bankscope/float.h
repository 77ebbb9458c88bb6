/* float.h - the float overloads of <cmath> that clang's headers declare and leave to the toolkit. */
#ifndef BANKSCOPE_FLOAT_H
#define BANKSCOPE_FLOAT_H
#define BANKSCOPE_FLOAT1(n)                                                                        \
    BANKSCOPE_DEVICE float n(float x)                                                              \
    {                                                                                              \
        return n##f(x);                                                                            \
    }
#define BANKSCOPE_FLOAT2(n)                                                                        \
    BANKSCOPE_DEVICE float n(float x, float y)                                                     \
    {                                                                                              \
        return n##f(x, y);                                                                         \
    }
BANKSCOPE_FLOAT1(acosh)
BANKSCOPE_FLOAT1(asinh)
BANKSCOPE_FLOAT1(atanh)
BANKSCOPE_FLOAT1(cbrt)
BANKSCOPE_FLOAT1(erf)
BANKSCOPE_FLOAT1(erfc)
BANKSCOPE_FLOAT1(exp2)
BANKSCOPE_FLOAT1(expm1)
BANKSCOPE_FLOAT1(lgamma)
BANKSCOPE_FLOAT1(log1p)
BANKSCOPE_FLOAT1(log2)
BANKSCOPE_FLOAT1(logb)
BANKSCOPE_FLOAT1(nearbyint)
BANKSCOPE_FLOAT1(rint)
BANKSCOPE_FLOAT1(round)
BANKSCOPE_FLOAT1(tgamma)
BANKSCOPE_FLOAT1(trunc)
BANKSCOPE_FLOAT2(copysign)
BANKSCOPE_FLOAT2(fdim)
BANKSCOPE_FLOAT2(fmax)
BANKSCOPE_FLOAT2(fmin)
BANKSCOPE_FLOAT2(hypot)
BANKSCOPE_FLOAT2(nextafter)
BANKSCOPE_FLOAT2(remainder)
BANKSCOPE_DEVICE float fma(float x, float y, float z)
{
    return fmaf(x, y, z);
}
BANKSCOPE_DEVICE float scalbn(float x, int n)
{
    return scalbnf(x, n);
}
BANKSCOPE_DEVICE float scalbln(float x, long n)
{
    return scalblnf(x, n);
}
BANKSCOPE_DEVICE int ilogb(float x)
{
    return ilogbf(x);
}
BANKSCOPE_DEVICE long lrint(float x)
{
    return lrintf(x);
}
BANKSCOPE_DEVICE long lround(float x)
{
    return lroundf(x);
}
BANKSCOPE_DEVICE long long llrint(float x)
{
    return llrintf(x);
}
BANKSCOPE_DEVICE long long llround(float x)
{
    return llroundf(x);
}
BANKSCOPE_DEVICE float remquo(float x, float y, int *q)
{
    return remquof(x, y, q);
}
BANKSCOPE_DEVICE float rsqrt(float x)
{
    return rsqrtf(x);
}
BANKSCOPE_DEVICE float rcbrt(float x)
{
    return rcbrtf(x);
}
BANKSCOPE_DEVICE float sinpi(float x)
{
    return sinpif(x);
}
BANKSCOPE_DEVICE float cospi(float x)
{
    return cospif(x);
}
BANKSCOPE_DEVICE float normcdf(float x)
{
    return normcdff(x);
}
BANKSCOPE_DEVICE float erfcx(float x)
{
    return erfcxf(x);
}
BANKSCOPE_DEVICE float erfinv(float x)
{
    return erfinvf(x);
}
BANKSCOPE_DEVICE float erfcinv(float x)
{
    return erfcinvf(x);
}
BANKSCOPE_DEVICE float normcdfinv(float x)
{
    return normcdfinvf(x);
}
#undef BANKSCOPE_FLOAT1
#undef BANKSCOPE_FLOAT2
#endif
