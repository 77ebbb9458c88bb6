/* math_bessel.c - Bessel functions: polynomials below 8, Hankel's expansion above, recurrences for n.
 *
 * Above 8, j and y are waves: sqrt(2 / (pi x)) (P cos(a) - Q sin(a)) with a = x - pi/4 (x - 3 pi/4 of
 * order 1), and P and Q by polynomials in 1/x^2. Below, polynomials around each root keep the values
 * beside it right.
 */
#include "machine/math/math_core.h"
#include "machine/math/math_functions.h"

#define TWO_OVER_PI 0x1.45f306dc9c883p-1

static double infinity(void)
{
    return real_f64(REAL_INF64);
}

/* ---- orders 0 and 1 ---------------------------------------------------------------------------------- */

/* j, or y, of the order for x >= 8. */
static double wave(int order, bool second, double x)
{
    if (x == infinity())
        return 0;
    double z = 64 / x / x;
    double p = math_piecewise(order ? math_hankel_p1 : math_hankel_p0, z);
    double q = math_piecewise(order ? math_hankel_q1 : math_hankel_q0, z) / x;
    struct math_angle angle = math_reduce(x);
    struct math_pair s = math_sine_of(angle), c = math_cosine_of(angle);
    double sum = math_single(math_add(s, c)), difference = math_single(math_add(s, math_minus(c)));
    double cosine = order ? difference : sum, sine = order ? -sum : difference; /* times sqrt(2) */
    double height = __builtin_sqrt(TWO_OVER_PI / 2 / x);
    return height * (second ? p * sine + q * cosine : p * cosine - q * sine);
}

double math_j0(double x)
{
    double size = real_abs64(x);
    if (x != x)
        return x;
    return size > 8 ? wave(0, false, size) : math_piecewise(math_j0_middle, size);
}

double math_j1(double x)
{
    double size = real_abs64(x), result;
    if (x != x)
        return x;
    if (size <= 1)
        return x * math_piecewise(math_j1_small, x * x);
    result = size > 8 ? wave(1, false, size) : math_piecewise(math_j1_middle, size);
    return x < 0 ? -result : result;
}

/* Where x is not positive: the pole, or nothing. */
static double y_outside(double x)
{
    return x == 0 ? -infinity() : x < 0 ? real_f64(REAL_NAN64) : x;
}

double math_y0(double x)
{
    if (!(x > 0))
        return y_outside(x);
    if (x > 0.6)
        return x > 8 ? wave(0, true, x) : math_piecewise(math_y0_middle, x);
    return TWO_OVER_PI * math_log(x / 2) * math_j0(x) + math_piecewise(math_y0_small, x * x);
}

double math_y1(double x)
{
    if (!(x > 0))
        return y_outside(x);
    if (x > 0.6)
        return x > 8 ? wave(1, true, x) : math_piecewise(math_y1_middle, x);
    double rest = x * math_piecewise(math_y1_small, x * x);
    return TWO_OVER_PI * (math_log(x / 2) * math_j1(x)) + rest - TWO_OVER_PI / x;
}

/* ---- other orders ------------------------------------------------------------------------------------ */

/* f(n+1) = 2 n / x f(n) - f(n-1), from orders 0 and 1. */
static double upward(int n, double x, double before, double now)
{
    for (int k = 1; k < n && now > -infinity(); k++) {
        double next = 2 * k / x * now - before;
        before = now;
        now = next;
    }
    return now;
}

/* Downward from far above n, where any values do, to order 0; what the sum 1 = j0 + 2 j2 + 2 j4 + ...
 * should be gives the scale (J. C. P. Miller). */
static double downward(int n, double x)
{
    int top = 2 * ((n + (int)__builtin_sqrt(60.0 * n) + 16) / 2);
    double above = 0, now = 0x1p-600, sum = 0, result = 0;
    for (int k = top; k > 0; k--) {
        double below = 2 * k / x * now - above;
        above = now;
        now = below;
        if (real_abs64(now) > 0x1p300) {
            now *= 0x1p-600;
            above *= 0x1p-600;
            sum *= 0x1p-600;
            result *= 0x1p-600;
        }
        if (k & 1)
            sum += now; /* now: order k - 1 */
        if (k - 1 == n)
            result = now;
    }
    return result / (2 * sum - now);
}

double math_jn(int n, double x)
{
    if (x != x || n > MATH_ORDERS || n < -MATH_ORDERS)
        return x != x ? x : real_f64(REAL_NAN64);
    int order = n < 0 ? -n : n;
    bool negative = (order & 1) && (x < 0) != (n < 0);
    double size = real_abs64(x), result;
    if (order < 2)
        result = order ? math_j1(size) : math_j0(size);
    else if (size == 0 || size == infinity())
        result = 0;
    else if (order <= size)
        result = upward(order, size, math_j0(size), math_j1(size));
    else if (size < 0x1p-30) /* (x/2)^n / n! */
        result = math_exp(order * math_log(size / 2) - math_lgamma(order + 1.0));
    else
        result = downward(order, size);
    return negative ? -result : result;
}

double math_yn(int n, double x)
{
    if (n > MATH_ORDERS || n < -MATH_ORDERS)
        return real_f64(REAL_NAN64);
    int order = n < 0 ? -n : n;
    double result = order ? math_y1(x) : math_y0(x);
    if (order >= 2 && x > 0)
        result = x == infinity() ? 0 : upward(order, x, math_y0(x), result);
    return n < 0 && (order & 1) ? -result : result;
}

/* ---- modified ---------------------------------------------------------------------------------------- */

/* exp(x) / sqrt(x) times a polynomial in 1/x, for x >= 8. */
static double growing(const struct math_piece *pieces, double x)
{
    if (x > 800)
        return infinity();
    struct math_power e = math_exp_pair(math_pair(x, 0));
    double value = math_single(e.value) * math_piecewise(pieces, 8 / x) / __builtin_sqrt(x);
    return math_scale(value, e.power);
}

double math_cyl_bessel_i0(double x)
{
    double size = real_abs64(x);
    if (x != x)
        return x;
    return size > 8 ? growing(math_i0_large, size) : math_piecewise(math_i0_middle, size);
}

double math_cyl_bessel_i1(double x)
{
    double size = real_abs64(x);
    if (x != x)
        return x;
    if (size <= 1)
        return x * math_piecewise(math_i1_small, x * x);
    double result = size > 8 ? growing(math_i1_large, size) : math_piecewise(math_i1_middle, size);
    return x < 0 ? -result : result;
}
