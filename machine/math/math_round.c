/* math_round.c - rounding to whole numbers, remainders and parts of numbers: exact. */
#include "machine/math/math_core.h"
#include "machine/math/math_functions.h"

static double infinity(void)
{
    return real_f64(REAL_INF64);
}

static double nan_of(double x, double y)
{
    return x != x ? x : y != y ? y : real_f64(REAL_NAN64);
}

double math_floor(double x)
{
    return real_whole64(x, REAL_RM);
}

double math_ceil(double x)
{
    return real_whole64(x, REAL_RP);
}

double math_trunc(double x)
{
    return real_whole64(x, REAL_RZ);
}

double math_rint(double x)
{
    return real_nearest64(x);
}

double math_round(double x)
{
    double whole = math_trunc(x);
    return real_abs64(x - whole) >= 0.5 ? whole + real_copysign64(1, x) : whole;
}

/* ---- remainders -------------------------------------------------------------------------------------- */

/* A size as a whole number of 53 bits times 2^exponent. */
static uint64_t whole_of(double x, int *exponent)
{
    *exponent = math_exponent(x) - 52;
    return (uint64_t)math_scale(x, -*exponent);
}

/* The rest of x / y, both positive and finite; as a whole number times 2^exponent. Long division, 11
 * bits at a time; the quotient is modulo 2^64. */
static uint64_t divided(double x, double y, int *exponent, uint64_t *divisor, uint64_t *quotient)
{
    int of_x, of_y;
    uint64_t rest = whole_of(x, &of_x), by = whole_of(y, &of_y);
    *exponent = of_y;
    *divisor = by;
    *quotient = rest / by;
    rest %= by;
    for (int bits = of_x - of_y; bits > 0; bits -= 11) {
        int now = bits < 11 ? bits : 11;
        *quotient = *quotient << now | (rest << now) / by;
        rest = (rest << now) % by;
    }
    return rest;
}

double math_fmod(double x, double y)
{
    double size = real_abs64(x), by = real_abs64(y);
    if (x - x != 0 || y != y || by == 0)
        return nan_of(x, y);
    if (size < by)
        return x;
    int exponent;
    uint64_t divisor, quotient, rest = divided(size, by, &exponent, &divisor, &quotient);
    return real_copysign64(math_scale((double)rest, exponent), x);
}

double math_remquo(double x, double y, int *result)
{
    double size = real_abs64(x), by = real_abs64(y), rest = size;
    *result = 0;
    if (x - x != 0 || y != y || by == 0)
        return nan_of(x, y);
    uint64_t divisor = 0, quotient = 0;
    if (size >= by) {
        int exponent;
        uint64_t whole = divided(size, by, &exponent, &divisor, &quotient);
        rest = math_scale((double)whole, exponent);
    }
    /* Two neighbours at the same distance: the even one. by - rest is exact, half of by may not be. */
    double other = by == infinity() ? by : by - rest;
    if (rest > other || (rest == other && quotient & 1)) {
        rest = -other;
        quotient++;
    }
    bool negative = (real_b64(x) ^ real_b64(y)) >> 63;
    int low = (int)(quotient & INT32_MAX);
    *result = negative ? -low : low;
    return real_b64(x) >> 63 ? -rest : rest;
}

double math_remainder(double x, double y)
{
    int quotient;
    return math_remquo(x, y, &quotient);
}

double math_fdim(double x, double y)
{
    return x != x || y != y ? nan_of(x, y) : x > y ? x - y : 0;
}

/* ---- parts ------------------------------------------------------------------------------------------- */

double math_ldexp(double x, int power)
{
    return math_scale(x, power);
}

double math_frexp(double x, int *power)
{
    *power = 0;
    if (x == 0 || x - x != 0)
        return x;
    *power = math_exponent(x) + 1;
    return math_scale(x, -*power);
}

double math_modf(double x, double *whole)
{
    *whole = math_trunc(x);
    double rest = real_abs64(x) == infinity() ? 0 : x - *whole;
    return x == x ? real_copysign64(rest, x) : x;
}

double math_logb(double x)
{
    if (x == 0)
        return -infinity();
    return x - x != 0 ? x * x : math_exponent(x);
}

int math_ilogb(double x)
{
    if (x == 0 || x != x)
        return INT32_MIN;
    return x - x != 0 ? INT32_MAX : math_exponent(x);
}

double math_nextafter(double x, double y)
{
    if (x != x || y != y || x == y)
        return x != x || y != y ? nan_of(x, y) : y;
    if (x == 0)
        return real_copysign64(real_f64(1), y);
    return real_f64(real_b64(x) + ((x < y) == (x > 0) ? 1 : UINT64_MAX));
}

float math_nextafterf(float x, float y)
{
    if (x != x || y != y || x == y)
        return x != x || y != y ? real_f32(REAL_NAN32) : y;
    if (x == 0)
        return real_copysign32(real_f32(1), y);
    return real_f32(real_b32(x) + ((x < y) == (x > 0) ? 1 : UINT32_MAX));
}
