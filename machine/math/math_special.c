/* math_special.c - error functions, their inverses, and gamma.
 *
 * erfc(x) = exp(-x^2) erfcx(x): the first as a pair, the second by polynomials in pieces. Gamma is
 * Stirling's series above 16, where the operand is brought by Gamma(x) = Gamma(x + 1) / x, and for
 * negative x by Gamma(x) Gamma(1 - x) = pi / sin(pi x), all in pairs.
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

/* ---- erf --------------------------------------------------------------------------------------------- */

static const double two_over_root_pi = 0x1.20dd750429b6dp+0, root_2 = 0x1.6a09e667f3bcdp+0;

static double erfcx_above_0(double x)
{
    return x > 8 ? math_piecewise(math_erfcx_large, 64 / x / x) / x
                 : math_piecewise(math_erfcx_middle, x);
}

/* erfc(x) * 2^power for x > 0. */
static double erfc_above_0(struct math_pair x, int power)
{
    if (x.high > 28)
        return 0;
    double near = erfcx_above_0(x.high), slope = 2 * x.high * near - two_over_root_pi;
    struct math_power e = math_exp_pair(math_minus(math_times(x, x)));
    return math_scale(math_single(e.value) * (near + slope * x.low), e.power + power);
}

static double erf_near_0(double x)
{
    return math_piecewise_times(math_erf_small, x * x, x);
}

double math_erf(double x)
{
    double size = real_abs64(x);
    if (x != x || size == 0)
        return x;
    if (size < 0x1p-500)
        return math_scale(math_scale(x, 200) * two_over_root_pi, -200);
    return size < 0.84 ? erf_near_0(x)
                       : real_copysign64(1 - erfc_above_0(math_pair(size, 0), 0), x);
}

double math_erfc(double x)
{
    if (x != x)
        return x;
    if (x > 0.5)
        return erfc_above_0(math_pair(x, 0), 0);
    return x < -0.84 ? 2 - erfc_above_0(math_pair(-x, 0), 0) : 1 - erf_near_0(x);
}

double math_erfcx(double x)
{
    if (x != x)
        return x;
    if (x >= 0)
        return erfcx_above_0(x);
    if (x < -27)
        return infinity();
    struct math_power e = math_exp_pair(math_product(x, x));
    e.power++;
    return math_finish(e) - erfcx_above_0(-x);
}

/* erfc(-x / sqrt(2)) / 2 */
double math_normcdf(double x)
{
    static const struct math_pair root_half = {0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55};
    if (x != x)
        return x;
    double within = x > 40 ? 40 : x < -40 ? -40 : x;
    struct math_pair t = math_multiple(root_half, -within);
    if (real_abs64(t.high) < 0.5)
        return 0.5 - erf_near_0(t.high) / 2;
    return t.high > 0 ? erfc_above_0(t, -1) : 1 - erfc_above_0(math_minus(t), -1);
}

/* ---- inverses ---------------------------------------------------------------------------------------- */

static double erfinv_near_0(double x)
{
    return math_piecewise_times(math_erfinv_small, x * x, x);
}

/* The inverse of erfc for 0 < p < 1/2. */
static double erfcinv_below_half(double p)
{
    return math_piecewise(math_erfcinv_large, __builtin_sqrt(-math_log(p)));
}

double math_erfinv(double x)
{
    double size = real_abs64(x);
    if (!(size < 1))
        return size == 1 ? real_copysign64(infinity(), x) : nan_of(x);
    if (size < 0x1p-500)
        return math_scale(math_scale(x, 200) * (1 / two_over_root_pi), -200);
    return size <= 0.5 ? erfinv_near_0(x) : real_copysign64(erfcinv_below_half(1 - size), x);
}

double math_erfcinv(double x)
{
    if (!(x > 0 && x < 2))
        return x == 0 ? infinity() : x == 2 ? -infinity() : nan_of(x);
    if (x >= 0.5 && x <= 1.5)
        return erfinv_near_0(1 - x);
    return x < 0.5 ? erfcinv_below_half(x) : -erfcinv_below_half(2 - x);
}

double math_normcdfinv(double x)
{
    return -root_2 * math_erfcinv(2 * x);
}

/* ---- gamma ------------------------------------------------------------------------------------------- */

/* log(Gamma(x)) for x >= 16: (x - 1/2) log(x) - x + log(2 pi)/2 + 1/(12 x) - ...; the coefficients are
 * B(2n) / (2n (2n - 1)) of Bernoulli's numbers. */
static struct math_pair stirling(struct math_pair x)
{
    static const double c[] = {-1.0 / 360,      1.0 / 1260, -1.0 / 1680,      1.0 / 1188,
                               -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400, 43867.0 / 244188};
    static const struct math_pair constant = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};
    static const struct math_pair twelfth = {0x1.5555555555555p-4, 0x1.5555555555555p-58};
    struct math_pair inverse = math_over(math_pair(1, 0), x);
    double r = inverse.high, z = r * r, p = c[7];
    for (int i = 6; i >= 0; i--)
        p = p * z + c[i];
    struct math_pair series = math_plus(math_times(twelfth, inverse), r * z * p);
    struct math_pair main = math_times(math_plus(x, -0.5), math_log_pair(x));
    return math_add(math_add(main, math_minus(x)), math_add(constant, series));
}

/* Raises x to 16 or more; returns the product of what was passed. */
static struct math_pair raise_to_16(struct math_pair *x)
{
    struct math_pair product = {1, 0};
    while (x->high < 16) {
        product = math_times(product, *x);
        *x = math_plus(*x, 1);
    }
    return product;
}

/* Gamma(x) for 2^-60 < x < 1000. */
static struct math_power gamma_above_0(struct math_pair x)
{
    struct math_pair passed = raise_to_16(&x);
    struct math_power gamma = math_exp_pair(stirling(x));
    gamma.value = math_over(gamma.value, passed);
    return gamma;
}

double math_tgamma(double x)
{
    bool whole = real_nearest64(x) == x;
    if (x == 0)
        return 1 / x;
    if (x != x || (x < 0 && whole))
        return nan_of(x);
    if (x > 172)
        return infinity();
    if (real_abs64(x) < 0x1p-60)
        return 1 / x;
    if (x > 0)
        return math_finish(gamma_above_0(math_pair(x, 0)));
    if (x < -190)
        return real_copysign64(0, math_sinpi(x));
    struct math_power other = gamma_above_0(math_sum(1, -x));
    other.value = math_over(math_pi, math_times(other.value, math_sinpi_pair(x)));
    other.power = -other.power;
    return math_finish(other);
}

static struct math_pair lgamma_above_0(struct math_pair x)
{
    struct math_pair passed = raise_to_16(&x), result = stirling(x);
    return passed.high == 1 ? result : math_add(result, math_minus(math_log_pair(passed)));
}

double math_lgamma(double x)
{
    double size = real_abs64(x);
    if (x != x || size == infinity() || (x <= 0 && real_nearest64(x) == x))
        return x != x ? x : infinity();
    if (size < 0x1p-60)
        return -math_log(size);
    if (x >= 0.75 && x <= 2.25)
        return math_piecewise(math_lgamma_near, x) + 0.0; /* not -0 */
    if (x > 0x1p200)
        return x * (math_log(x) - 1);
    if (x > 0)
        return math_single(lgamma_above_0(math_pair(x, 0)));
    struct math_pair sine = math_sinpi_pair(x);
    struct math_pair ratio = math_over(math_pi, sine.high < 0 ? math_minus(sine) : sine);
    struct math_pair other = lgamma_above_0(math_sum(1, -x));
    return math_single(math_add(math_log_pair(ratio), math_minus(other)));
}
