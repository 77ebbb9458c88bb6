/* math_quick.c - the most used functions for operands that are floats: in double, right to 1e-12, which
 * is enough for a result that is rounded to float, and several times as fast as with pairs.
 *
 * Special values, and operands that need more, go to the functions of doubles. Coefficients are those
 * of the series themselves.
 */
#include "machine/math/math_core.h"
#include "machine/math/math_functions.h"

static bool finite_positive(double x)
{
    return x > 0 && x < real_f64(REAL_INF64);
}

/* ---- exp --------------------------------------------------------------------------------------------- */

/* e^(steps ln 2 + r), |r| < 0.35. */
static double exp_of(double steps, double r)
{
    static const double c[] = {1,
                               1,
                               1.0 / 2,
                               1.0 / 6,
                               1.0 / 24,
                               1.0 / 120,
                               1.0 / 720,
                               1.0 / 5040,
                               1.0 / 40320,
                               1.0 / 362880,
                               1.0 / 3628800,
                               1.0 / 39916800,
                               1.0 / 479001600,
                               1.0 / 6227020800.0};
    return math_polynomial(c, 14, r) * real_f64((uint64_t)((int64_t)steps + 1023) << 52);
}

double math_quick_exp(double x)
{
    double most = x < 700 ? x : 700, within = most > -700 ? most : -700;
    double steps = real_nearest64(within * 0x1.71547652b82fep+0);
    double result =
        exp_of(steps, (within - steps * 0x1.62e42fee00000p-1) - steps * 0x1.a39ef35793c76p-33);
    return x == x ? result : x;
}

double math_quick_exp2(double x)
{
    double most = x < 700 ? x : 700, within = most > -700 ? most : -700;
    double steps = real_nearest64(within);
    return x == x ? exp_of(steps, (within - steps) * 0x1.62e42fefa39efp-1) : x;
}

double math_quick_exp10(double x)
{
    double most = x < 200 ? x : 200, within = most > -200 ? most : -200;
    double steps = real_nearest64(within * 0x1.a934f0979a371p+1);
    double rest = (within - steps * 0x1.3441350000000p-2) - steps * 0x1.3ef3fde623e25p-31;
    return x == x ? exp_of(steps, rest * 0x1.26bb1bbb55516p+1) : x;
}

/* Without loss beside 0, where the difference cancels. */
double math_quick_sinh(double x)
{
    double e = math_quick_exp(x);
    return real_abs64(x) < 1e-3 ? x + x * x * x / 6 : (e - 1 / e) / 2;
}

double math_quick_cosh(double x)
{
    double e = math_quick_exp(x);
    return (e + 1 / e) / 2;
}

double math_quick_tanh(double x)
{
    double size = real_abs64(x), large = 1 - 2 / (math_quick_exp(2 * size) + 1);
    double small = size - size * size * size / 3;
    return x == x ? real_copysign64(size < 1e-4 ? small : large, x) : x;
}

/* ---- log --------------------------------------------------------------------------------------------- */

/* The logarithm of a positive number, normal as a double: log(m) + e log(2), by the series in (m - 1) / (m + 1). */
static double log_of(double x)
{
    static const double c[] = {1,        1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,
                               1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19};
    uint64_t bits = real_b64(x);
    int e = (int)(bits >> 32) - 0x3fe6a09e;
    e = (e - (e & 0xfffff)) / 0x100000;
    double m = real_f64(bits - ((uint64_t)(int64_t)e << 52)), s = (m - 1) / (m + 1);
    return e * 0x1.62e42fefa39efp-1 + 2 * s * math_polynomial(c, 10, s * s);
}

double math_quick_log(double x)
{
    return finite_positive(x) ? log_of(x) : math_log(x);
}

double math_quick_log2(double x)
{
    return finite_positive(x) ? log_of(x) * 0x1.71547652b82fep+0 : math_log(x);
}

double math_quick_log10(double x)
{
    return finite_positive(x) ? log_of(x) * 0x1.bcb7b1526e50ep-2 : math_log(x);
}

static double power(double size, double y)
{
    return math_quick_exp(log_of(size) * y);
}

double math_quick_pow(double x, double y)
{
    return math_pow_by(x, y, power);
}

double math_quick_cbrt(double x)
{
    double size = real_abs64(x);
    return finite_positive(size) ? real_copysign64(math_quick_exp(log_of(size) / 3), x) : x;
}

/* ---- angles ------------------------------------------------------------------------------------------ */

enum { QUICK_ANGLE = 100000 }; /* up to this size pi/2 in two parts is enough for a float */

static double sine_of(double r)
{
    static const double c[] = {1,
                               -1.0 / 6.0,
                               1.0 / 120.0,
                               -1.0 / 5040.0,
                               1.0 / 362880.0,
                               -1.0 / 39916800.0,
                               1.0 / 6227020800.0,
                               -1.0 / 1307674368000.0,
                               1.0 / 355687428096000.0};
    return r * math_polynomial(c, 9, r * r);
}

static double cosine_of(double r)
{
    static const double c[] = {1,
                               -1.0 / 2.0,
                               1.0 / 24.0,
                               -1.0 / 720.0,
                               1.0 / 40320.0,
                               -1.0 / 3628800.0,
                               1.0 / 479001600.0,
                               -1.0 / 87178291200.0,
                               1.0 / 20922789888000.0};
    return math_polynomial(c, 9, r * r);
}

/* The sine, a number of quadrants further. */
static double sine_from(double x, int quadrants)
{
    double steps = real_nearest64(x * 0x1.45f306dc9c883p-1);
    double r = (x - steps * 0x1.921fb54400000p+0) - steps * 0x1.0b4611a626331p-34;
    int quadrant = (int)steps + quadrants;
    double result = quadrant & 1 ? cosine_of(r) : sine_of(r);
    return quadrant & 2 ? -result : result;
}

double math_quick_sin(double x)
{
    return real_abs64(x) < QUICK_ANGLE && x != 0 ? sine_from(x, 0) : math_sin(x);
}

double math_quick_cos(double x)
{
    return real_abs64(x) < QUICK_ANGLE ? sine_from(x, 1) : math_cos(x);
}

double math_quick_tan(double x)
{
    return real_abs64(x) < QUICK_ANGLE && x != 0 ? sine_from(x, 0) / sine_from(x, 1) : math_tan(x);
}

/* atan(y / x) for 0 <= y <= x: atan(c) + atan(u) as in math_core.c. */
static double atan_below_1(double y, double x)
{
    static const double series[] = {1, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9};
    double near = real_nearest64(y / x * 32), c = near / 32, u = (y - c * x) / (x + c * y);
    return math_arctangents[(int)near].high + u * math_polynomial(series, 5, u * u);
}

static double atan_of(double y, double x)
{
    return y <= x ? atan_below_1(y, x) : math_half_pi.high - atan_below_1(x, y);
}

double math_quick_atan(double x)
{
    double size = real_abs64(x);
    return finite_positive(size) ? real_copysign64(atan_of(size, 1), x) : math_atan(x);
}

double math_quick_atan2(double y, double x)
{
    double height = real_abs64(y), width = real_abs64(x);
    if (!finite_positive(height) || !finite_positive(width))
        return math_atan2(y, x);
    double angle = atan_of(height, width);
    return real_copysign64(x < 0 ? math_pi.high - angle : angle, y);
}

double math_quick_asin(double x)
{
    double size = real_abs64(x);
    return size > 0 && size < 1
               ? real_copysign64(atan_of(size, __builtin_sqrt((1 - size) * (1 + size))), x)
               : math_asin(x);
}

double math_quick_acos(double x)
{
    double size = real_abs64(x);
    if (!(size < 1))
        return math_acos(x);
    double angle = atan_of(__builtin_sqrt((1 - size) * (1 + size)), size);
    return x < 0 ? math_pi.high - angle : angle;
}
