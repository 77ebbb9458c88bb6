/* math_functions.h - the mathematical functions, of doubles; math.h has them by the names of CUDA.
 *
 * Right to 1 ulp where a comment says nothing else (measured against long double: tests/unit/test_math.c).
 * Special values are C's (annex F), except where CUDA's differ. Where the name ends in pi, the operand
 * counts in half turns.
 */
#ifndef MACHINE_MATH_FUNCTIONS_H
#define MACHINE_MATH_FUNCTIONS_H

#include "machine/math/real.h"

/* ---- math_power.c: powers, logarithms, roots --------------------------------------------------------- */

double math_exp(double x);
double math_exp2(double x);
double math_exp10(double x);
double math_expm1(double x);
double math_log(double x);
double math_log2(double x);
double math_log10(double x);
double math_log1p(double x);
double math_pow(double x, double y);

/* With another way to the power of a positive number: all special values are here. */
double math_pow_by(double x, double y, double (*power)(double size, double y));
double math_cbrt(double x);
double math_rcbrt(double x);
double math_rsqrt(double x);
double math_sinh(double x);
double math_cosh(double x);
double math_tanh(double x);
double math_asinh(double x);
double math_acosh(double x);
double math_atanh(double x);

/* The root of the sum of squares of so many numbers (words that hold floats or doubles), and 1 over it. */
double math_norm(int count, const uint64_t *words, bool floats);
double math_rnorm(int count, const uint64_t *words, bool floats);

/* ---- math_angle.c ------------------------------------------------------------------------------------- */

double math_sin(double x);
double math_cos(double x);
double math_tan(double x);
double math_sinpi(double x);
double math_cospi(double x);
double math_asin(double x);
double math_acos(double x);
double math_atan(double x);
double math_atan2(double y, double x);

/* ---- math_quick.c: the same to 1e-12, of operands that are floats --------------------------------------- */

double math_quick_exp(double x);
double math_quick_exp2(double x);
double math_quick_exp10(double x);
double math_quick_log(double x);
double math_quick_log2(double x);
double math_quick_log10(double x);
double math_quick_pow(double x, double y);
double math_quick_cbrt(double x);
double math_quick_sinh(double x);
double math_quick_cosh(double x);
double math_quick_tanh(double x);
double math_quick_sin(double x);
double math_quick_cos(double x);
double math_quick_tan(double x);
double math_quick_asin(double x);
double math_quick_acos(double x);
double math_quick_atan(double x);
double math_quick_atan2(double y, double x);

/* ---- math_special.c: error functions (3 ulp; inverses 3), gamma ---------------------------------------- */

double math_erf(double x);
double math_erfc(double x);
double math_erfcx(double x);
double math_erfinv(double x);
double math_erfcinv(double x);
double math_normcdf(double x);
double math_normcdfinv(double x);
double math_tgamma(double x);

/* For negative x (between the poles) the absolute error counts, as in CUDA. */
double math_lgamma(double x);

/* ---- math_bessel.c: below 8 to 4 ulp, above to 1e-15 of the largest nearby value ------------------------ */

double math_j0(double x);
double math_j1(double x);
double math_y0(double x);
double math_y1(double x);
double math_cyl_bessel_i0(double x);
double math_cyl_bessel_i1(double x);

/* Recurrences: the time grows with n, which is at most MATH_ORDERS; above that the result is a NaN. */
enum {
    MATH_ORDERS = 1 << 20,
};
double math_jn(int n, double x);
double math_yn(int n, double x);

/* ---- math_round.c: exact ------------------------------------------------------------------------------ */

double math_floor(double x);
double math_ceil(double x);
double math_trunc(double x);
double math_rint(double x);
double math_round(double x); /* half away from zero */
double math_fmod(double x, double y);
double math_remainder(double x, double y);
double math_remquo(double x, double y, int *quotient); /* its last 31 bits and sign */
double math_fdim(double x, double y);
double math_ldexp(double x, int power);
double math_frexp(double x, int *power);
double math_modf(double x, double *whole);
double math_logb(double x);
int math_ilogb(double x);
double math_nextafter(double x, double y);
float math_nextafterf(float x, float y);

#endif
