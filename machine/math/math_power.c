/* math_power.c - exponentials, logarithms, powers, roots and hyperbolic functions.
 *
 * All are exp and log of pairs (math_core.c), rounded once at the end: half an ulp and a little more.
 */
#include "machine/math/math_core.h"
#include "machine/math/math_functions.h"

static double infinity(void)
{
    return real_f64(REAL_INF64);
}

static double nan_of(double x)
{
    return x == x ? real_f64(REAL_NAN64) : x;
}

/* ---- exp --------------------------------------------------------------------------------------------- */

/* e^(x * base), where that is neither far too large nor far too small. */
static double power_of(double x, struct math_pair base)
{
    if (x != x)
        return x;
    double near = x * base.high;
    if (near > 800)
        return infinity();
    if (near < -800)
        return 0;
    return real_abs64(x) < 0x1p-60 ? 1 + x : math_finish(math_exp_pair(math_multiple(base, x)));
}

double math_exp(double x)
{
    return power_of(x, math_pair(1, 0));
}

double math_exp2(double x)
{
    return power_of(x, math_ln2);
}

double math_exp10(double x)
{
    return power_of(x, math_ln10);
}

double math_expm1(double x)
{
    if (real_abs64(x) < 0x1p-60 || x != x)
        return x;
    return x > 700 ? math_exp(x) : x < -60 ? -1 : math_single(math_expm1_pair(math_pair(x, 0)));
}

/* ---- log --------------------------------------------------------------------------------------------- */

/* log(x) * base, where x is positive and finite. */
static double logarithm(double x, struct math_pair base)
{
    if (x == 0)
        return -infinity();
    if (!(x > 0) || x == infinity())
        return x > 0 ? x : nan_of(x);
    return math_single(math_times(math_log_pair(math_pair(x, 0)), base));
}

double math_log(double x)
{
    return logarithm(x, math_pair(1, 0));
}

double math_log2(double x)
{
    return logarithm(x, math_log2_e);
}

double math_log10(double x)
{
    return logarithm(x, math_log10_e);
}

double math_log1p(double x)
{
    if (x == -1)
        return -infinity();
    if (!(x > -1) || x == infinity())
        return x > -1 ? x : nan_of(x);
    if (real_abs64(x) < 0x1p-60)
        return x;
    return x > 0x1p100 ? math_log(x) : math_single(math_log1p_pair(math_pair(x, 0)));
}

/* ---- powers and roots -------------------------------------------------------------------------------- */

static bool is_whole(double x)
{
    return real_whole64(x, REAL_RZ) == x;
}

static bool is_odd(double x)
{
    return real_abs64(x) < 0x1p53 && is_whole(x) && !is_whole(x / 2);
}

/* The power of an x that is not 0, 1 or infinite. */
static double power(double x, double y)
{
    struct math_pair log = math_log_pair(math_pair(x, 0));
    double near = log.high * y;
    if (near > 800 || near < -800)
        return near > 0 ? infinity() : 0;
    return real_abs64(near) < 0x1p-60 ? 1 + near
                                      : math_finish(math_exp_pair(math_multiple(log, y)));
}

double math_pow_by(double x, double y, double (*power)(double size, double y))
{
    double size = real_abs64(x), result;
    if (y == 0 || x == 1)
        return 1;
    if (x != x || y != y)
        return x != x ? x : y;
    if (size == 1 && (y == infinity() || y == -infinity()))
        return 1;
    if (x < 0 && size != infinity() && !is_whole(y))
        return real_f64(REAL_NAN64);
    if (size == 0 || size == infinity())
        result = (size == 0) == (y < 0) ? infinity() : 0;
    else
        result = size == 1 ? 1 : power(size, y);
    return real_b64(x) >> 63 && is_odd(y) ? -result : result;
}

double math_pow(double x, double y)
{
    return math_pow_by(x, y, power);
}

/* x^(1/3) or x^(-1/3) */
static double third_power(double x, double sign)
{
    struct math_pair log = math_log_pair(math_pair(real_abs64(x), 0));
    struct math_pair third = math_over(log, math_pair(3 * sign, 0));
    return real_copysign64(math_finish(math_exp_pair(third)), x);
}

double math_cbrt(double x)
{
    return x == 0 || x - x != 0 ? x : third_power(x, 1);
}

double math_rcbrt(double x)
{
    return x == 0 || x - x != 0 ? 1 / x : third_power(x, -1);
}

double math_rsqrt(double x)
{
    if (!(x > 0) || x == infinity())
        return x == 0 ? real_copysign64(infinity(), x) : x > 0 ? 0 : nan_of(x);
    int half = math_exponent(x) >> 1;
    struct math_pair root = math_root(math_pair(math_scale(x, -2 * half), 0));
    return math_scale(math_single(math_over(math_pair(1, 0), root)), -half);
}

/* ---- norms ------------------------------------------------------------------------------------------- */

static double argument(const uint64_t *words, int i, bool floats)
{
    return floats ? (double)real_f32((uint32_t)words[i]) : real_f64(words[i]);
}

/* The root of the sum of squares of doubles, divided by 2^power. Squares that are too small to count are lost. */
static struct math_pair norm(int count, const uint64_t *words, int power)
{
    struct math_pair sum = {0, 0};
    for (int i = 0; i < count; i++) {
        double part = math_scale(real_f64(words[i]), -power);
        if (real_abs64(part) > 0x1p-200)
            sum = math_add(sum, math_product(part, part));
    }
    return math_root(sum);
}

/* The sum of the squares of floats; each square is exact as a double. */
static double squares(int count, const uint64_t *words)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += argument(words, i, true) * argument(words, i, true);
    return sum;
}

/* The largest size: infinite if one is, else a NaN if one is. */
static double largest(int count, const uint64_t *words, bool floats)
{
    double most = 0, nan = 0;
    for (int i = 0; i < count; i++) {
        double x = argument(words, i, floats), size = real_abs64(x);
        most = size > most ? size : most;
        nan = x != x ? x : nan;
    }
    return most == infinity() || nan == 0 ? most : nan;
}

double math_norm(int count, const uint64_t *words, bool floats)
{
    double most = largest(count, words, floats);
    if (most == 0 || most - most != 0)
        return most;
    if (floats)
        return __builtin_sqrt(squares(count, words));
    int power = math_exponent(most);
    return math_scale(math_single(norm(count, words, power)), power);
}

double math_rnorm(int count, const uint64_t *words, bool floats)
{
    double most = largest(count, words, floats);
    if (most == 0 || most - most != 0)
        return 1 / most;
    if (floats)
        return 1 / __builtin_sqrt(squares(count, words));
    int power = math_exponent(most);
    struct math_pair root = norm(count, words, power);
    return math_scale(math_single(math_over(math_pair(1, 0), root)), -power);
}

/* ---- hyperbolic functions ---------------------------------------------------------------------------- */

static struct math_pair half(struct math_pair x)
{
    return math_pair(x.high / 2, x.low / 2);
}

/* (t + t / (t + 1)) / 2 with t = e^x - 1 */
double math_sinh(double x)
{
    double size = real_abs64(x);
    if (size < 0x1p-30 || x - x != 0)
        return x;
    struct math_power large = math_exp_pair(math_pair(size < 800 ? size : 800, 0));
    struct math_pair t = math_expm1_pair(math_pair(size < 40 ? size : 40, 0));
    struct math_pair small = half(math_add(t, math_over(t, math_plus(t, 1))));
    large.power--;
    return real_copysign64(size < 40 ? math_single(small) : math_finish(large), x);
}

/* (e^x + e^-x) / 2 */
double math_cosh(double x)
{
    double size = real_abs64(x);
    if (x - x != 0)
        return x != x ? x : size;
    struct math_power e = math_exp_pair(math_pair(size < 800 ? size : 800, 0));
    if (size < 40) {
        struct math_pair value = math_plus(math_expm1_pair(math_pair(size, 0)), 1);
        return math_single(half(math_add(value, math_over(math_pair(1, 0), value))));
    }
    e.power--;
    return math_finish(e);
}

/* t / (t + 2) with t = e^2x - 1 */
double math_tanh(double x)
{
    double size = real_abs64(x);
    if (size < 0x1p-30 || x != x)
        return x;
    struct math_pair t = math_expm1_pair(math_pair(2 * (size < 30 ? size : 30), 0));
    return real_copysign64(math_single(math_over(t, math_plus(t, 2))), x);
}

/* log(1 + x + x^2 / (1 + sqrt(1 + x^2))) */
double math_asinh(double x)
{
    double size = real_abs64(x);
    if (size < 0x1p-30 || x - x != 0)
        return x;
    struct math_pair result;
    if (size > 0x1p60) {
        result = math_add(math_log_pair(math_pair(size, 0)), math_ln2);
    } else {
        struct math_pair square = math_product(size, size), root = math_root(math_plus(square, 1));
        square = math_over(square, math_plus(root, 1));
        result = math_log1p_pair(math_plus(square, size));
    }
    return real_copysign64(math_single(result), x);
}

/* log(1 + t + sqrt(2 t + t^2)) with t = x - 1 */
double math_acosh(double x)
{
    if (!(x >= 1) || x == infinity())
        return x >= 1 ? x : nan_of(x);
    if (x > 0x1p60)
        return math_single(math_add(math_log_pair(math_pair(x, 0)), math_ln2));
    struct math_pair t = math_sum(x, -1), root = math_root(math_times(t, math_plus(t, 2)));
    return x == 1 ? 0 : math_single(math_log1p_pair(math_add(t, root)));
}

/* log(1 + 2 x / (1 - x)) / 2 */
double math_atanh(double x)
{
    double size = real_abs64(x);
    if (!(size < 1))
        return size == 1 ? real_copysign64(infinity(), x) : nan_of(x);
    if (size < 0x1p-30)
        return x;
    struct math_pair ratio = math_over(math_pair(2 * size, 0), math_sum(1, -size));
    return real_copysign64(math_single(half(math_log1p_pair(ratio))), x);
}
