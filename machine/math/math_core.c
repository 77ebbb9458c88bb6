/* math_core.c - exp, log, sine and arctangent of numbers of 106 bits.
 *
 * Each function reduces its operand by a table until a short series is enough: its first terms as pairs,
 * the others, which are below 2^-14 of the result, as doubles. What is lost is below 2^-66.
 */
#include "machine/math/math_core.h"

#include <stddef.h>

const struct math_pair math_pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
const struct math_pair math_half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
const struct math_pair math_ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
const struct math_pair math_ln10 = {0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53};
const struct math_pair math_log2_e = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
const struct math_pair math_log10_e = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};

/* ---- powers of two ----------------------------------------------------------------------------------- */

static int biased_exponent(double x)
{
    return (int)(real_b64(x) >> 52 & 2047);
}

int math_exponent(double x)
{
    return biased_exponent(x) ? biased_exponent(x) - 1023 : biased_exponent(x * 0x1p54) - 1077;
}

static double with_exponent(double x, int biased)
{
    return real_f64((real_b64(x) & ~REAL_INF64) | (uint64_t)biased << 52);
}

double math_scale(double x, int power)
{
    if (x == 0 || x - x != 0)
        return x;
    int exponent = math_exponent(x);
    if (!biased_exponent(x))
        x *= 0x1p54;
    power = power > 5000 ? 5000 : power < -5000 ? -5000 : power;
    exponent += power + 1023;
    if (exponent > 2046)
        return real_copysign64(real_f64(REAL_INF64), x);
    if (exponent > 0)
        return with_exponent(x, exponent);
    return with_exponent(x, exponent < -60 ? 4 : exponent + 64) * 0x1p-64;
}

static struct math_pair scaled(struct math_pair x, int power)
{
    return math_pair(math_scale(x.high, power), math_scale(x.low, power));
}

/* ---- exp --------------------------------------------------------------------------------------------- */

/* x = steps * ln(2)/64 + the rest. The first part of ln(2)/64 has 32 bits, so that its product is exact. */
static struct math_pair exp_rest(struct math_pair x, double steps)
{
    static const struct math_pair small = {0x1.a39ef35793c76p-39, 0x1.cc01f97b57a08p-93};
    struct math_pair rest = math_sum(x.high, -steps * 0x1.62e42fee00000p-7);
    return math_plus(math_add(rest, math_minus(math_multiple(small, steps))), x.low);
}

/* e^r - 1 for |r| < 0.0055: r + r^2/2 as pairs, then the series. */
static struct math_pair exp_series(struct math_pair r)
{
    double x = r.high, p = 1.0 / 40320;
    p = p * x + 1.0 / 5040;
    p = p * x + 1.0 / 720;
    p = p * x + 1.0 / 120;
    p = p * x + 1.0 / 24;
    p = p * x + 1.0 / 6;
    struct math_pair square = math_times(r, r);
    square = math_pair(square.high / 2, square.low / 2);
    return math_add(r, math_plus(square, x * x * x * p));
}

struct math_power math_exp_pair(struct math_pair x)
{
    double steps = real_nearest64(x.high * 0x1.71547652b82fep+6);
    struct math_pair series = exp_series(exp_rest(x, steps));
    int whole = (int)steps, step = whole & 63;
    struct math_pair value = math_powers[step];
    struct math_power result = {math_add(value, math_times(value, series)), (whole - step) / 64};
    return result;
}

double math_finish(struct math_power x)
{
    return math_scale(math_single(x.value), x.power);
}

struct math_pair math_expm1_pair(struct math_pair x)
{
    double size = real_abs64(x.high);
    if (size < 0.0054)
        return exp_series(x);
    struct math_power power = math_exp_pair(x);
    return math_plus(scaled(power.value, power.power), -1);
}

/* ---- log --------------------------------------------------------------------------------------------- */

/* log(1 + z) for |z| < 1/127: z - z^2/2 as pairs, then the series. */
static struct math_pair log_series(struct math_pair z)
{
    static const double c[] = {1.0 / 3,  -1.0 / 4, 1.0 / 5,   -1.0 / 6, 1.0 / 7,
                               -1.0 / 8, 1.0 / 9,  -1.0 / 10, 1.0 / 11, -1.0 / 12};
    double x = z.high, p = math_polynomial(c, 10, x);
    struct math_pair square = math_times(z, z);
    square = math_pair(square.high / -2, square.low / -2);
    return math_add(z, math_plus(square, x * x * x * p));
}

struct math_pair math_log_pair(struct math_pair x)
{
    int exponent = math_exponent(x.high);
    x = scaled(x, -exponent);
    const struct math_reciprocal *near = &math_reciprocals[real_b64(x.high) >> 45 & 127];
    struct math_pair z = math_plus(math_product(x.high, near->c), -1);
    z = math_plus(z, x.low * near->c);
    struct math_pair whole = math_multiple(math_ln2, exponent);
    return math_add(math_add(whole, near->log), log_series(z));
}

struct math_pair math_log1p_pair(struct math_pair x)
{
    return real_abs64(x.high) < 0x1p-7 ? log_series(x) : math_log_pair(math_plus(x, 1));
}

/* ---- angles ------------------------------------------------------------------------------------------ */

/* 64 bits of 2/pi, from a place after the point (-64 to 1215: the table ends there); before it there are zeros. */
static uint64_t two_over_pi(int place)
{
    int word = (place + 64) / 64 - 1, shift = (place + 64) % 64;
    uint64_t high = word < 0 ? 0 : math_two_over_pi[word];
    uint64_t low = math_two_over_pi[word + 1];
    return shift ? high << shift | low >> (64 - shift) : high;
}

/* Any multiple of 2/pi modulo 4, exactly: the last 256 bits of a whole number of 53 bits times those
 * bits of 2/pi that count (M. Payne and R. Hanek, 1983). x: 100,000 or more. */
static struct math_angle reduce_large(double x)
{
    int exponent = math_exponent(x) - 52;
    uint64_t whole = (real_b64(x) & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52, product[4],
             carry = 0;
    for (int i = 3; i >= 0; i--) {
        __extension__ unsigned __int128 part = whole;
        part = part * two_over_pi(exponent - 2 + 64 * i) + carry;
        product[i] = (uint64_t)part;
        carry = (uint64_t)(part >> 64);
    }
    int quadrant = (int)(product[0] >> 62);
    bool above = product[0] >> 61 & 1; /* half or more: the next quadrant, and a negative rest */
    for (int i = 0; i < 4; i++)        /* without the quadrant, and positive */
        product[i] =
            (product[i] << 2 | (i < 3 ? product[i + 1] >> 62 : 0)) ^ (above ? UINT64_MAX : 0);
    struct math_pair turns =
        math_sum((double)(product[0] >> 11) * 0x1p-53,
                 (double)((product[0] & 2047) << 42 | product[1] >> 22) * 0x1p-106);
    turns = math_plus(turns, (double)((product[1] & 0x3fffff) << 31 | product[2] >> 33) * 0x1p-159);
    struct math_angle angle = {math_times(turns, math_half_pi), (quadrant + above) & 3};
    if (above)
        angle.rest = math_minus(angle.rest);
    return angle;
}

/* By pi/2 in parts: two of 33 bits, whose products are exact, and a pair. */
static struct math_angle reduce_small(double x)
{
    static const struct math_pair third = {0x1.3198a2e037073p-69, 0x1.129024e088a68p-123};
    double steps = real_nearest64(x * 0x1.45f306dc9c883p-1);
    struct math_pair rest = math_sum(x, -steps * 0x1.921fb54400000p+0);
    rest = math_add(rest, math_pair(-steps * 0x1.0b4611a600000p-34, 0));
    rest = math_add(rest, math_minus(math_multiple(third, steps)));
    struct math_angle angle = {rest, (int)steps & 3};
    return angle;
}

struct math_angle math_reduce(double x)
{
    if (real_abs64(x) < 100000)
        return reduce_small(x);
    struct math_angle angle = reduce_large(real_abs64(x));
    if (x < 0) {
        angle.rest = math_minus(angle.rest);
        angle.quadrant = -angle.quadrant & 3;
    }
    return angle;
}

/* r + r^3 p(r^2), and what the low part adds. */
static struct math_pair sine(struct math_pair r)
{
    double z = r.high * r.high, p = math_polynomial(math_sine, 7, z);
    return math_quick_sum(r.high, r.low * (1 - z / 2) + r.high * z * p);
}

/* 1 - r^2/2 + r^4 p(r^2) */
static struct math_pair cosine(struct math_pair r)
{
    struct math_pair z = math_product(r.high, r.high), first = math_quick_sum(1, z.high / -2);
    double p = math_polynomial(math_cosine, 7, z.high);
    return math_quick_sum(first.high, first.low - z.low / 2 - r.high * r.low + z.high * z.high * p);
}

struct math_pair math_sine_of(struct math_angle angle)
{
    struct math_pair result = angle.quadrant & 1 ? cosine(angle.rest) : sine(angle.rest);
    return angle.quadrant & 2 ? math_minus(result) : result;
}

struct math_pair math_cosine_of(struct math_angle angle)
{
    angle.quadrant++;
    return math_sine_of(angle);
}

/* atan(t) = atan(c) + atan(u) with c = j/32 near t and u = (t - c) / (1 + c t). */
static struct math_pair atan_below_1(struct math_pair y, struct math_pair x)
{
    static const double series[] = {-1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13};
    double near = real_nearest64(y.high / x.high * 32), c = near / 32;
    struct math_pair above = math_add(y, math_multiple(x, -c)),
                     below = math_add(x, math_multiple(y, c));
    struct math_pair u = math_over(above, below);
    double z = u.high * u.high, p = math_polynomial(series, 6, z);
    return math_add(math_arctangents[(int)near], math_plus(u, u.high * z * p));
}

struct math_pair math_atan_pair(struct math_pair y, struct math_pair x)
{
    if (y.high <= x.high)
        return atan_below_1(y, x);
    return math_add(math_half_pi, math_minus(atan_below_1(x, y)));
}

/* ---- polynomials in pieces --------------------------------------------------------------------------- */

static const struct math_piece *piece_at(const struct math_piece *piece, double x)
{
    while (x > piece->end)
        piece++;
    return piece;
}

double math_piecewise(const struct math_piece *pieces, double x)
{
    const struct math_piece *piece = piece_at(pieces, x);
    double t = (x - piece->center.high) - piece->center.low,
           p = math_polynomial(piece->c, piece->count, t);
    return piece->root ? t * p : p;
}

double math_piecewise_times(const struct math_piece *pieces, double x, double factor)
{
    const struct math_piece *piece = piece_at(pieces, x);
    double t = x - piece->center.high,
           rest = t * math_polynomial(piece->c + 1, piece->count - 1, t);
    struct math_pair main = math_product(factor, piece->c[0]);
    return main.high + (main.low + factor * rest);
}
