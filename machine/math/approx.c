/* approx.c - the approximations of double. */
#include "machine/math/approx.h"

/* Zero instead of a subnormal number. */
static double flushed(double a)
{
    uint64_t bits = real_b64(a);
    return bits & REAL_INF64 ? a : real_f64(bits & REAL_SIGN64);
}

/* Only the upper 32 bits, rounded. */
static double upper(double a)
{
    uint64_t bits = real_b64(flushed(a));
    bool finite = real_abs64(a) < real_f64(REAL_INF64);
    return real_f64((bits + (finite ? UINT64_C(0x80000000) : 0)) & UINT64_C(0xffffffff00000000));
}

/* Its NaN has only upper bits, too. */
static double upper_or_nan(double a)
{
    return a == a ? upper(a) : real_f64(UINT64_C(0x7fffffff00000000));
}

static double operand_of(double a)
{
    return flushed(real_f64(real_b64(a) & UINT64_C(0xffffffff00000000)));
}

double real_rcp64(double a)
{
    return upper_or_nan(1 / operand_of(a));
}

double real_rsqrt64_ftz(double a)
{
    double x = operand_of(a);
    return x == 0 ? real_copysign64(real_f64(REAL_INF64), x) : upper_or_nan(1 / __builtin_sqrt(x));
}

double real_rsqrt64(double a)
{
    if (a == 0)
        return real_copysign64(real_f64(REAL_INF64), a);
    return real_result64(1 / __builtin_sqrt(a), a, a);
}
