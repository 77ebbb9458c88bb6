/* math_angle.c - sines, tangents and what undoes them, of pairs (math_core.c), rounded once at the end. */
#include "machine/math/math_core.h"
#include "machine/math/math_functions.h"

static double no_angle(double x)
{
    return x == x ? real_f64(REAL_NAN64) : x;
}

double math_sin(double x)
{
    if (x - x != 0)
        return no_angle(x);
    return real_abs64(x) < 0x1p-30 ? x : math_single(math_sine_of(math_reduce(x)));
}

double math_cos(double x)
{
    return x - x != 0 ? no_angle(x) : math_single(math_cosine_of(math_reduce(x)));
}

double math_tan(double x)
{
    if (x - x != 0)
        return no_angle(x);
    if (real_abs64(x) < 0x1p-30)
        return x;
    struct math_angle angle = math_reduce(x);
    return math_single(math_over(math_sine_of(angle), math_cosine_of(angle)));
}

/* Takes half turns apart, exactly: from -1/4 to 1/4, and quarter turns. */
static struct math_angle half_turns(double x)
{
    double rest = x - 2 * real_nearest64(x / 2), steps = real_nearest64(2 * rest);
    struct math_angle angle = {math_multiple(math_pi, rest - steps / 2), (int)steps & 3};
    return angle;
}

struct math_pair math_sinpi_pair(double x)
{
    return math_sine_of(half_turns(x));
}

/* A whole number's sine is a zero with its sign. */
double math_sinpi(double x)
{
    if (x - x != 0)
        return no_angle(x);
    if (real_nearest64(x) == x)
        return real_copysign64(0, x);
    return real_abs64(x) < 0x1p-900
               ? math_scale(math_single(math_multiple(math_pi, math_scale(x, 200))), -200)
               : math_single(math_sinpi_pair(x));
}

double math_cospi(double x)
{
    if (x - x != 0)
        return no_angle(x);
    double result = math_single(math_cosine_of(half_turns(x)));
    return result == 0 ? 0 : result; /* never -0 */
}

/* ---- inverses ---------------------------------------------------------------------------------------- */

/* sqrt(1 - x^2) */
static struct math_pair other_side(double x)
{
    return math_root(math_times(math_sum(1, -x), math_sum(1, x)));
}

double math_asin(double x)
{
    double size = real_abs64(x);
    if (!(size <= 1))
        return no_angle(x);
    if (size < 0x1p-30)
        return x;
    return real_copysign64(math_single(math_atan_pair(math_pair(size, 0), other_side(size))), x);
}

double math_acos(double x)
{
    double size = real_abs64(x);
    if (!(size <= 1))
        return no_angle(x);
    struct math_pair near =
        size < 0x1p-80 ? math_half_pi : math_atan_pair(other_side(size), math_pair(size, 0));
    return math_single(x < 0 ? math_add(math_pi, math_minus(near)) : near);
}

double math_atan(double x)
{
    double size = real_abs64(x);
    if (size < 0x1p-30 || x != x)
        return x;
    if (size > 0x1p60)
        return real_copysign64(math_half_pi.high, x);
    return real_copysign64(math_single(math_atan_pair(math_pair(size, 0), math_pair(1, 0))), x);
}

/* The angle of sizes that are neither 0 nor infinite, in the first quadrant, or the second. */
static double angle_of(double y, double x, bool left)
{
    int of_y = math_exponent(y), of_x = math_exponent(x), higher = of_y - of_x;
    if (higher > 60)
        return math_half_pi.high;
    double scaled_y = math_scale(y, -of_y), scaled_x = math_scale(x, -of_x);
    if (higher < -60)
        return left ? math_pi.high : math_scale(scaled_y / scaled_x, higher);
    struct math_pair result =
        math_atan_pair(math_pair(math_scale(scaled_y, higher), 0), math_pair(scaled_x, 0));
    return math_single(left ? math_add(math_pi, math_minus(result)) : result);
}

double math_atan2(double y, double x)
{
    double infinity = real_f64(REAL_INF64), height = real_abs64(y), width = real_abs64(x), result;
    bool left = real_b64(x) >> 63;
    if (x != x || y != y)
        return x != x ? x : y;
    if (height == 0 || (width == infinity && height != infinity))
        result = left ? math_pi.high : 0;
    else if (width == infinity)
        result = left ? 0x1.2d97c7f3321d2p+1 : 0x1.921fb54442d18p-1; /* 3/4 and 1/4 of pi */
    else if (width == 0 || height == infinity)
        result = math_half_pi.high;
    else
        result = angle_of(height, width, left);
    return real_copysign64(result, y);
}
