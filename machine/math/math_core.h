/* math_core.h - what the mathematical functions are made of: numbers of 106 bits, exp, log, sine and
 * arctangent of such, and polynomials in pieces.
 *
 * Only + - * / and square roots of doubles are used, in an order that the source fixes, so that every
 * compiler and processor gives the same bits. A pair is the sum of two doubles that do not overlap:
 * {1, 1e-20} is 1.00000000000000000001. Operands have to be where no step over- or underflows, from
 * 2^-900 to 2^900, unless a comment says otherwise. Sources of the numbers: math_tables.py.
 */
#ifndef MACHINE_MATH_CORE_H
#define MACHINE_MATH_CORE_H

#include "machine/math/real.h"

/* ---- numbers of 106 bits ----------------------------------------------------------------------------- */

struct math_pair {
    double high, low;
};

static inline struct math_pair math_pair(double high, double low)
{
    struct math_pair pair = {high, low};
    return pair;
}

/* a + b, exactly, where a is the larger one. */
static inline struct math_pair math_quick_sum(double a, double b)
{
    double sum = a + b;
    return math_pair(sum, b - (sum - a));
}

/* a + b, exactly. */
static inline struct math_pair math_sum(double a, double b)
{
    double sum = a + b, part = sum - a;
    return math_pair(sum, (a - (sum - part)) + (b - part));
}

/* The upper 26 bits and the rest. */
static inline struct math_pair math_halves(double a)
{
    double c = 134217729.0 * a, high = c - (c - a);
    return math_pair(high, a - high);
}

/* a * b, exactly. */
static inline struct math_pair math_product(double a, double b)
{
    struct math_pair x = math_halves(a), y = math_halves(b);
    double product = a * b, rest = x.high * y.high - product;
    return math_pair(product, ((rest + x.high * y.low) + x.low * y.high) + x.low * y.low);
}

static inline struct math_pair math_add(struct math_pair x, struct math_pair y)
{
    struct math_pair high = math_sum(x.high, y.high), low = math_sum(x.low, y.low);
    high = math_quick_sum(high.high, high.low + low.high);
    return math_quick_sum(high.high, high.low + low.low);
}

static inline struct math_pair math_plus(struct math_pair x, double y)
{
    struct math_pair sum = math_sum(x.high, y);
    return math_quick_sum(sum.high, sum.low + x.low);
}

static inline struct math_pair math_minus(struct math_pair x)
{
    return math_pair(-x.high, -x.low);
}

static inline struct math_pair math_times(struct math_pair x, struct math_pair y)
{
    struct math_pair product = math_product(x.high, y.high);
    return math_quick_sum(product.high, product.low + (x.high * y.low + x.low * y.high));
}

static inline struct math_pair math_multiple(struct math_pair x, double y)
{
    struct math_pair product = math_product(x.high, y);
    return math_quick_sum(product.high, product.low + x.low * y);
}

static inline struct math_pair math_over(struct math_pair x, struct math_pair y)
{
    double first = x.high / y.high;
    struct math_pair rest = math_add(x, math_multiple(y, -first));
    double second = rest.high / y.high;
    rest = math_add(rest, math_multiple(y, -second));
    return math_plus(math_quick_sum(first, second), rest.high / y.high);
}

static inline struct math_pair math_root(struct math_pair x)
{
    double root = __builtin_sqrt(x.high);
    struct math_pair rest = math_add(x, math_minus(math_product(root, root)));
    return root > 0 ? math_quick_sum(root, rest.high / (2 * root)) : math_pair(root, 0);
}

static inline double math_single(struct math_pair x)
{
    return x.high + x.low;
}

/* By Horner's scheme, the coefficients lowest first. */
static inline double math_polynomial(const double *c, int count, double x)
{
    double p = c[count - 1];
    for (int i = count - 2; i >= 0; i--)
        p = p * x + c[i];
    return p;
}

/* x * 2^power, rounded once, for any x and power. */
double math_scale(double x, int power);

/* The e of a finite x that is not 0: 2^e <= |x| < 2^(e+1). */
int math_exponent(double x);

/* ---- constants --------------------------------------------------------------------------------------- */

extern const struct math_pair math_pi, math_half_pi, math_ln2, math_ln10, math_log2_e, math_log10_e;

/* ---- elementary functions of pairs ------------------------------------------------------------------- */

/* A result of exp: value * 2^power, with a value near 1. */
struct math_power {
    struct math_pair value;
    int power;
};

/* e^x for -2000 < x < 2000, to 2^-72. */
struct math_power math_exp_pair(struct math_pair x);
double math_finish(struct math_power x);

/* e^x - 1 for -700 < x < 700, right to the last bits beside 0, too. */
struct math_pair math_expm1_pair(struct math_pair x);

/* The logarithm of a positive number (of any size), and of 1 + x, right beside 0, too. */
struct math_pair math_log_pair(struct math_pair x);
struct math_pair math_log1p_pair(struct math_pair x);

/* x = quadrant * pi/2 + rest, with the rest from -pi/4 to pi/4, for any finite x. */
struct math_angle {
    struct math_pair rest;
    int quadrant; /* modulo 4 */
};
struct math_angle math_reduce(double x);

/* As pi x. */
struct math_pair math_sinpi_pair(double x);

/* The sine and the cosine of such an angle. */
struct math_pair math_sine_of(struct math_angle angle);
struct math_pair math_cosine_of(struct math_angle angle);

/* The arctangent of y / x, both positive, of which one may be 0. */
struct math_pair math_atan_pair(struct math_pair y, struct math_pair x);

/* ---- polynomials in pieces --------------------------------------------------------------------------- */

/* Up to end (from where the piece before it ends): a polynomial in x - center, times x - center where
 * that is a root of the function. */
struct math_piece {
    double end;
    struct math_pair center;
    bool root;
    int count;
    double c[24];
};

/* x is not beyond the last end. */
double math_piecewise(const struct math_piece *pieces, double x);

/* Times a factor, rounded nearly once; where no piece has a root. */
double math_piecewise_times(const struct math_piece *pieces, double x, double factor);

/* ---- tables: math_tables.c --------------------------------------------------------------------------- */

struct math_reciprocal {
    double c;
    struct math_pair log;
};

extern const struct math_pair math_powers[64], math_arctangents[33];
extern const struct math_reciprocal math_reciprocals[128];
extern const uint64_t math_two_over_pi[20];
extern const double math_sine[7], math_cosine[7];
extern const struct math_piece math_erf_small[], math_erfcx_middle[], math_erfcx_large[],
    math_erfinv_small[], math_erfcinv_large[], math_lgamma_near[];
extern const struct math_piece math_j0_middle[], math_j1_small[], math_j1_middle[], math_y0_small[],
    math_y0_middle[], math_y1_small[], math_y1_middle[], math_hankel_p0[], math_hankel_q0[],
    math_hankel_p1[], math_hankel_q1[];
extern const struct math_piece math_i0_middle[], math_i1_small[], math_i1_middle[], math_i0_large[],
    math_i1_large[];

#endif
