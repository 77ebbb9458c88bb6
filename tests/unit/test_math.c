/* test_math.c - machine/math/math.h against long double's functions: how wrong each may be.
 *
 * Errors are in units of the last place of a double (a float), measured over random operands. The
 * bounds are what was measured, rounded up; all are below those of CUDA's Programming Guide.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/math_by_name.h"

#define PI 3.14159265358979323846264338327950288L

enum { OPERANDS = 20000 };

/* ---- errors -------------------------------------------------------------------------------------------- */

/* The distance of neighbours where a value is. */
static long double last_place(long double value, bool single)
{
    int exponent = value == 0 ? -2000 : ilogbl(value), least = single ? -126 : -1022;
    return ldexpl(1, (exponent < least ? least : exponent) - (single ? 23 : 52));
}

static long double error_of(double got, long double want, bool single)
{
    if (single ? isinf((float)want) : isinf((double)want))
        return isinf(got) ? 0 : INFINITY;
    return fabsl((long double)got - want) / last_place(want, single);
}

/* Half of them uniform from least to most, half of any size (down to 2^-60 of the range). */
static double drawn(double least, double most, uint64_t *state)
{
    double x = least + (most - least) * uniform(state);
    if (uniform(state) < 0.5)
        return x;
    double size =
        ldexp(uniform(state), -(int)(60 * uniform(state))) * fmax(fabs(least), fabs(most));
    double y = least < 0 && uniform(state) < 0.5 ? -size : size;
    return y >= least && y <= most ? y : x;
}

/* ---- references ---------------------------------------------------------------------------------------- */

static long double rsqrt_ref(long double x)
{
    return 1 / sqrtl(x);
}

static long double rcbrt_ref(long double x)
{
    return 1 / cbrtl(x);
}

static long double exp10_ref(long double x)
{
    return powl(10, x);
}

static long double sinpi_ref(long double x)
{
    return sinl(PI * remainderl(x, 2));
}

static long double cospi_ref(long double x)
{
    long double rest = remainderl(x, 2);
    return sinl(PI * (0.5L - fabsl(rest)));
}

/* exp(x^2) without what rounding x^2 costs. */
static long double exp_square(long double x)
{
    long double square = x * x;
    return expl(square) * (1 + fmal(x, x, -square));
}

/* Above 6 by its continued fraction. */
static long double erfcx_ref(long double x)
{
    if (x < 6)
        return exp_square(x) * erfcl(x);
    long double fraction = x;
    for (int k = 200; k > 0; k--)
        fraction = x + k / 2.0L / fraction;
    return 1 / (fraction * sqrtl(PI));
}

static long double normcdf_ref(long double x)
{
    long double t = -x / sqrtl(2);
    if (t < 6)
        return erfcl(t) / 2;
    long double square = x * x / 2;
    return expl(-square) * (1 - fmal(x, x / 2, -square)) * erfcx_ref(t) / 2;
}

/* Inverses by Newton's step from the result: x(p) for f(x) = p with the slope f'. */
static long double inverse(long double x, long double off, long double slope)
{
    return x - off / slope;
}

static long double erfinv_ref(long double p)
{
    long double x = call1("erfinv", (double)p), slope = 2 / sqrtl(PI) / exp_square(x);
    if (fabsl(x) < 0x1p-40L)
        return p * sqrtl(PI) / 2;
    return inverse(x, p > 0.5L ? (1 - p) - erfcl(x) : erfl(x) - p, slope);
}

static long double erfcinv_ref(long double p)
{
    long double x = call1("erfcinv", (double)p);
    if (p > 0.5L)
        return inverse(x, (1 - p) - erfl(x), -2 / sqrtl(PI) / exp_square(x));
    return x + (logl(erfcx_ref(x)) - x * x - logl(p)) * erfcx_ref(x) * sqrtl(PI) / 2;
}

static long double normcdfinv_ref(long double p)
{
    return -sqrtl(2) * erfcinv_ref(2 * p);
}

/* Sums of positive terms. */
static long double bessel_i(int n, long double x)
{
    long double term = n ? x / 2 : 1, sum = 0;
    for (int k = 1; fabsl(term) > fabsl(sum) * 0x1p-70L; k++) {
        sum += term;
        term *= x * x / 4 / k / (k + n);
    }
    return sum;
}

static long double i0_ref(long double x)
{
    return bessel_i(0, x);
}

static long double i1_ref(long double x)
{
    return bessel_i(1, x);
}

/* ---- one operand --------------------------------------------------------------------------------------- */

struct row {
    const char *name;
    long double (*reference)(long double x);
    double least, most;
    double bound; /* in units of the last place */
};

static const struct row rows[] = {
    {"exp", expl, -750, 715, 0.75},
    {"exp2", exp2l, -1080, 1030, 0.75},
    {"exp10", exp10_ref, -325, 310, 0.75},
    {"expm1", expm1l, -60, 715, 0.51},
    {"log", logl, 0, 1e308, 0.51},
    {"log", logl, 0.5, 2, 0.51},
    {"log2", log2l, 0, 1e308, 0.51},
    {"log2", log2l, 0.5, 2, 0.51},
    {"log10", log10l, 0, 1e308, 0.51},
    {"log1p", log1pl, -1, 1e20, 0.51},
    {"log1p", log1pl, -1, 2, 0.51},
    {"cbrt", cbrtl, -1e308, 1e308, 0.51},
    {"rcbrt", rcbrt_ref, -1e308, 1e308, 0.51},
    {"sqrt", sqrtl, 0, 1e308, 0.5},
    {"rsqrt", rsqrt_ref, 0, 1e308, 0.51},
    {"sin", sinl, -10, 10, 0.8},
    {"sin", sinl, -1e300, 1e300, 0.8},
    {"cos", cosl, -10, 10, 0.8},
    {"cos", cosl, -1e300, 1e300, 0.8},
    {"tan", tanl, -10, 10, 0.95},
    {"tan", tanl, -1e10, 1e10, 0.95},
    {"sinpi", sinpi_ref, -10, 10, 0.8},
    {"cospi", cospi_ref, -10, 10, 0.8},
    {"asin", asinl, -1, 1, 0.51},
    {"acos", acosl, -1, 1, 0.51},
    {"atan", atanl, -1e6, 1e6, 0.51},
    {"atan", atanl, -4, 4, 0.51},
    {"sinh", sinhl, -715, 715, 0.51},
    {"cosh", coshl, -715, 715, 0.51},
    {"tanh", tanhl, -25, 25, 0.51},
    {"asinh", asinhl, -1e300, 1e300, 0.51},
    {"asinh", asinhl, -4, 4, 0.51},
    {"acosh", acoshl, 1, 1e300, 0.51},
    {"acosh", acoshl, 1, 4, 0.51},
    {"atanh", atanhl, -1, 1, 0.51},
    {"erf", erfl, -7, 7, 1.6},
    {"erfc", erfcl, -7, 27, 3},
    {"erfcx", erfcx_ref, -26, 1e10, 3},
    {"erfcx", erfcx_ref, -5, 12, 3},
    {"erfinv", erfinv_ref, -1, 1, 3},
    {"erfcinv", erfcinv_ref, 0, 2, 3},
    {"normcdf", normcdf_ref, -38, 10, 3},
    {"normcdfinv", normcdfinv_ref, 0, 1, 4},
    {"tgamma", tgammal, 0, 171, 0.6},
    {"lgamma", lgammal, 0, 1e300, 2},
    {"lgamma", lgammal, 0, 30, 2},
    {"j0", j0l, -8, 8, 4},
    {"j1", j1l, -8, 8, 4},
    {"y0", y0l, 0, 8, 5},
    {"y1", y1l, 0, 8, 4},
    {"cyl_bessel_i0", i0_ref, -700, 700, 3},
    {"cyl_bessel_i1", i1_ref, -700, 700, 4},
};

static long double worst_of(const struct row *row, bool single, double *where)
{
    const struct math_function *function = found(row->name, single);
    uint64_t state = 1;
    long double worst = 0;
    for (int i = 0; i < OPERANDS; i++) {
        double limit = single ? 3e38 : 1e308;
        double x = drawn(fmax(row->least, -limit), fmin(row->most, limit), &state);
        if (single)
            x = (double)(float)x;
        if (isinf(x) || x <= row->least || x >= row->most)
            continue;
        long double error = error_of(called(function, &x), row->reference(x), single);
        if (!(error <= worst)) {
            worst = error;
            *where = x;
        }
    }
    return worst;
}

static void errors_stay_below_their_bounds(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int single = 0; single < 2; single++) {
            double where = 0, bound = single ? 0.51 : rows[i].bound;
            long double worst = worst_of(&rows[i], single, &where);
            if (getenv("SHOW_ERRORS"))
                print_message("%-14s%c %8.4Lf at %a\n", rows[i].name, single ? 'f' : ' ', worst,
                              where);
            if (!(worst <= bound)) {
                print_error("%s%s(%a) is wrong by %Lg ulp, not %g\n", rows[i].name,
                            single ? "f" : "", where, worst, bound);
                wrong++;
            }
        }
    assert_int_equal(wrong, 0);
}

/* ---- two operands -------------------------------------------------------------------------------------- */

static long double hypot_ref(long double x, long double y)
{
    return sqrtl(x * x + y * y);
}

static long double rhypot_ref(long double x, long double y)
{
    return 1 / hypot_ref(x, y);
}

static void functions_of_two_stay_below_their_bounds(void **state)
{
    static const struct {
        const char *name;
        long double (*reference)(long double x, long double y);
        double least, most, y_least, y_most, bound;
    } pairs[] = {
        {"pow", powl, 0, 1e300, -3, 3, 0.75},
        {"pow", powl, 0.5, 2, -1100, 1100, 0.75},
        {"pow", powl, 0.999, 1.001, -1e6, 1e6, 0.51},
        {"atan2", atan2l, -1e300, 1e300, -1e300, 1e300, 0.51},
        {"atan2", atan2l, -3, 3, -3, 3, 0.51},
        {"hypot", hypot_ref, -1e300, 1e300, -1e300, 1e300, 0.51},
        {"rhypot", rhypot_ref, -1e300, 1e300, -1e300, 1e300, 0.51},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct math_function *function = found(pairs[i].name, false);
        uint64_t seed = 2;
        for (int k = 0; k < OPERANDS; k++) {
            double x[2] = {drawn(pairs[i].least, pairs[i].most, &seed),
                           drawn(pairs[i].y_least, pairs[i].y_most, &seed)};
            long double error =
                error_of(called(function, x), pairs[i].reference(x[0], x[1]), false);
            if (!(error <= pairs[i].bound))
                fail_msg("%s(%a, %a) is wrong by %Lg ulp", pairs[i].name, x[0], x[1], error);
        }
    }
}

/* Where a value is near 0 for other reasons than a small operand, the absolute error counts. */
static void absolute_errors_stay_small(void **state)
{
    static const struct {
        const char *name;
        long double (*reference)(long double x);
        double least, most, bound;
    } waves[] = {
        {"j0", j0l, 8, 1e4, 1e-15},         {"j1", j1l, 8, 1e4, 1e-15},
        {"y0", y0l, 8, 1e4, 1e-15},         {"y1", y1l, 8, 1e4, 1e-15},
        {"lgamma", lgammal, -30, 0, 1e-14}, {"tgamma", tgammal, -5, 0, 1e-10},
    };
    (void)state;
    for (size_t i = 0; i < sizeof waves / sizeof waves[0]; i++) {
        uint64_t seed = 3;
        for (int k = 0; k < OPERANDS; k++) {
            double x = waves[i].least + (waves[i].most - waves[i].least) * uniform(&seed);
            long double want = waves[i].reference(x), size = fmaxl(1, fabsl(want));
            long double error = fabsl(call1(waves[i].name, x) - want) / size;
            if (!(error <= waves[i].bound))
                fail_msg("%s(%a) is wrong by %Lg", waves[i].name, x, error);
        }
    }
}

static void bessel_functions_of_any_order_follow_c(void **state)
{
    const struct math_function *first = found("jn", false), *second = found("yn", false);
    uint64_t seed = 4;
    (void)state;
    for (int i = 0; i < 4000; i++) {
        int n = (int)(uniform(&seed) * 130) - 5;
        double x = i & 1 ? uniform(&seed) * 200 : uniform(&seed) * 10;
        uint64_t in[2] = {(uint32_t)n, real_b64(x)}, out[MATH_RESULTS];
        math_call(first, in, out);
        assert_true(fabsl(real_f64(out[0]) - jnl(n, x)) < 1e-13);
        math_call(second, in, out);
        long double want = ynl(n, x);
        if (fabsl(want) < 1e300)
            assert_true(fabsl(real_f64(out[0]) - want) < 1e-11 * fmaxl(1, fabsl(want)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_stay_below_their_bounds),
        cmocka_unit_test(functions_of_two_stay_below_their_bounds),
        cmocka_unit_test(absolute_errors_stay_small),
        cmocka_unit_test(bessel_functions_of_any_order_follow_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
