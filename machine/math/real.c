/* real.c - the rare half of real.h: double in the directed roundings, conversions in every mode.
 *
 * All of it works on an exact number: a sign, a whole number of 128 bits and a power of two. What does
 * not fit is kept as a set last bit, "not exact here" (sticky), which is all that rounding needs to
 * know of it. One function, real_pack, rounds such a number into any format.
 */
#include "machine/math/exact.h"

/* ---- exact numbers --------------------------------------------------------------------------------- */

static int leading_zeros(real_wide a)
{
    uint64_t high = (uint64_t)(a >> 64), low = (uint64_t)a;
    return high ? __builtin_clzll(high) : low ? 64 + __builtin_clzll(low) : 128;
}

/* Shifted right; bits that fall out leave a set last bit. */
static real_wide shifted(real_wide a, int by)
{
    if (by <= 0)
        return a;
    if (by > 127)
        return a != 0;
    return a >> by | ((a & (((real_wide)1 << by) - 1)) != 0);
}

struct real_exact real_exact_of(double a)
{
    uint64_t bits = real_b64(a), fraction = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = (int)(bits >> 52 & 2047);
    struct real_exact exact = {bits >> 63, (exponent ? exponent : 1) - 1075,
                               exponent ? fraction | UINT64_C(1) << 52 : fraction};
    return exact;
}

/* With its highest bit at 125, so that a sum still fits. */
static struct real_exact normal(struct real_exact a)
{
    int left = leading_zeros(a.size) - 2;
    a.size = left > 0 ? a.size << left : shifted(a.size, -left);
    a.exponent -= left;
    return a;
}

/* The sum of two numbers of which at least one is not zero. */
static struct real_exact sum(struct real_exact a, struct real_exact b)
{
    if (!a.size || !b.size)
        return a.size ? a : b;
    a = normal(a);
    b = normal(b);
    if (a.exponent < b.exponent) {
        struct real_exact swap = a;
        a = b;
        b = swap;
    }
    b.size = shifted(b.size, a.exponent - b.exponent);
    if (a.negative == b.negative) {
        a.size += b.size;
    } else if (a.size >= b.size) {
        a.size -= b.size;
    } else {
        a.size = b.size - a.size;
        a.negative = b.negative;
    }
    return a;
}

const struct real_format real_formats[] = {
    [REAL_E4M3] = {3, 7, 0x7e, 0x7f, 0x7f, 7},
    [REAL_E5M2] = {2, 15, 0x7b, 0x7c, 0x7f, 7},
    [REAL_F16] = {10, 15, 0x7bff, 0x7c00, 0x7fff, 15},
    [REAL_BF16] = {7, 127, 0x7f7f, 0x7f80, 0x7fff, 15},
    [REAL_TF32] = {10, 127, 0x3fbff, 0x3fc00, 0x3ffff, 18},
    [REAL_F32] = {23, 127, 0x7f7fffff, REAL_INF32, REAL_NAN32, 31},
    [REAL_F64] = {52, 1023, REAL_INF64 - 1, REAL_INF64, REAL_NAN64 & ~REAL_SIGN64, 63},
};

/* Whether what was cut off (half: the value of its first bit) takes a number away from zero. */
static bool away(real_wide rest, real_wide half, bool odd, bool negative, enum real_mode mode)
{
    switch (mode) {
    case REAL_RN:
        return rest > half || (rest == half && odd);
    case REAL_RNA:
        return rest >= half;
    case REAL_RM:
        return rest && negative;
    case REAL_RP:
        return rest && !negative;
    default:
        return false;
    }
}

uint64_t real_pack(struct real_exact a, const struct real_format *format, enum real_mode mode)
{
    uint64_t sign = (uint64_t)a.negative << format->sign;
    if (!a.size)
        return sign;
    a = normal(a);
    /* The exponent of the last bit that the format keeps: of a normal number, or of the subnormal ones. */
    int last = a.exponent + 125 - format->fraction, least = 1 - format->bias - format->fraction;
    last = last > least ? last : least;
    int cut = last - a.exponent;
    real_wide kept = cut > 127 ? 0 : a.size >> cut,
              half = (real_wide)1 << (cut > 127 ? 127 : cut - 1);
    real_wide rest = cut > 127 ? 1 : a.size - (kept << cut);
    kept += away(rest, half, kept & 1, a.negative, mode);
    uint64_t size = (uint64_t)(last - least) << format->fraction;
    size += (uint64_t)kept;
    if (size > format->most) {
        bool inward = mode == REAL_RZ || mode == (a.negative ? REAL_RP : REAL_RM);
        size = inward ? format->most : format->infinity;
    }
    return sign | size;
}

static double packed(struct real_exact a, enum real_mode mode)
{
    return real_f64(real_pack(a, &real_formats[REAL_F64], mode));
}

/* ---- arithmetic ------------------------------------------------------------------------------------ */

static bool is_finite(double a)
{
    return real_abs64(a) < real_f64(REAL_INF64);
}

double real_fma64_mode(double a, double b, double c, enum real_mode mode)
{
    if (!is_finite(a) || !is_finite(b) ||
        !is_finite(c)) /* no rounding; a finite product must not overflow */
        return real_fused_result64(is_finite(a) && is_finite(b) ? c : a * b + c, a, b, c);
    struct real_exact x = real_exact_of(a), y = real_exact_of(b), z = real_exact_of(c);
    struct real_exact product = {x.negative != y.negative, x.exponent + y.exponent,
                                 x.size * y.size};
    if (!product.size && !z.size) {
        bool both = product.negative && z.negative, one = product.negative || z.negative;
        return real_f64((uint64_t)(mode == REAL_RM ? one : both) << 63);
    }
    struct real_exact all = sum(product, z);
    if (!all.size)
        all.negative = mode == REAL_RM;
    return packed(all, mode);
}

double real_add64_mode(double a, double b, enum real_mode mode)
{
    return is_finite(a) && is_finite(b) ? real_fma64_mode(a, 1, b, mode) : real_add64(a, b);
}

double real_mul64_mode(double a, double b, enum real_mode mode)
{
    if (!is_finite(a) || !is_finite(b))
        return real_mul64(a, b);
    struct real_exact x = real_exact_of(a), y = real_exact_of(b);
    struct real_exact product = {x.negative != y.negative, x.exponent + y.exponent,
                                 x.size * y.size};
    return packed(product, mode);
}

double real_div64_mode(double a, double b, enum real_mode mode)
{
    if (!is_finite(a) || !is_finite(b) || a == 0 || b == 0)
        return real_div64(a, b);
    struct real_exact x = normal(real_exact_of(a)), y = real_exact_of(b);
    struct real_exact quotient = {x.negative != y.negative, x.exponent - y.exponent - 2, 0};
    x.size <<= 1; /* below 2^127, so that the quotient has a place for the last bit */
    quotient.size = x.size / y.size;
    quotient.size = quotient.size << 1 | (quotient.size * y.size != x.size);
    return packed(quotient, mode);
}

double real_sqrt64_mode(double a, enum real_mode mode)
{
    if (!is_finite(a) || a <= 0)
        return real_sqrt64(a);
    struct real_exact x = normal(real_exact_of(a));
    if (x.exponent & 1) {
        x.size <<= 1;
        x.exponent--;
    }
    uint64_t root = 0; /* of 128 bits, bit by bit */
    for (uint64_t bit = UINT64_C(1) << 63; bit; bit >>= 1)
        if ((real_wide)(root | bit) * (root | bit) <= x.size)
            root |= bit;
    bool inexact = (real_wide)root * root != x.size;
    struct real_exact result = {false, x.exponent / 2 - 1, (real_wide)root << 1 | inexact};
    return packed(result, mode);
}

/* ---- integers -------------------------------------------------------------------------------------- */

/* Converts a number that is no NaN. */
static uint64_t to_integer(double a, int bits, bool is_signed, enum real_mode mode)
{
    double whole = real_whole64(a, mode);
    uint64_t most = UINT64_MAX >> (64 - bits + is_signed), least = is_signed ? ~most : 0;
    double above =
        (double)(UINT64_C(1) << (bits - 1)) * (is_signed ? 1 : 2); /* the first too large */
    if (whole >= above)
        return most;
    if (whole <= (is_signed ? -above : 0))
        return least;
    return is_signed ? (uint64_t)(int64_t)whole : (uint64_t)whole;
}

uint64_t real_integer32(float a, int bits, bool is_signed, enum real_mode mode)
{
    if (a != a)
        return bits == 64 ? REAL_SIGN64 : 0;
    return to_integer((double)a, bits, is_signed, mode);
}

uint64_t real_integer64(double a, int bits, bool is_signed, enum real_mode mode)
{
    if (a == a)
        return to_integer(a, bits, is_signed, mode);
    return is_signed ? ~(UINT64_MAX >> (65 - bits)) : UINT64_C(1) << (bits - 1);
}

struct real_exact real_exact_integer(uint64_t integer, bool is_signed)
{
    bool negative = is_signed && integer >> 63;
    struct real_exact exact = {negative, 0, negative ? 0 - integer : integer};
    return exact;
}

float real_f32_integer(uint64_t integer, bool is_signed, enum real_mode mode)
{
    struct real_exact exact = real_exact_integer(integer, is_signed);
    return real_f32((uint32_t)real_pack(exact, &real_formats[REAL_F32], mode));
}

double real_f64_integer(uint64_t integer, bool is_signed, enum real_mode mode)
{
    return packed(real_exact_integer(integer, is_signed), mode);
}

/* ---- testp ----------------------------------------------------------------------------------------- */

/* Whether a float or a double is of a kind. `size` has no sign; normal numbers are from least_normal to infinity. */
static bool is(uint64_t size, uint64_t least_normal, uint64_t infinity, enum real_kind kind)
{
    switch (kind) {
    case REAL_FINITE:
        return size < infinity;
    case REAL_INFINITE:
        return size == infinity;
    case REAL_NUMBER:
        return size <= infinity;
    case REAL_NOT_A_NUMBER:
        return size > infinity;
    case REAL_NORMAL:
        return !size || (size >= least_normal && size < infinity);
    default:
        return size && size < least_normal;
    }
}

bool real_is32(float a, enum real_kind kind)
{
    return is(real_b32(a) & ~REAL_SIGN32, 0x00800000, REAL_INF32, kind);
}

bool real_is64(double a, enum real_kind kind)
{
    return is(real_b64(a) & ~REAL_SIGN64, UINT64_C(1) << 52, REAL_INF64, kind);
}
