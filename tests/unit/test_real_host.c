/* test_real_host.c - machine/math/real.h and narrow.h against this machine: its own roundings (fenv.h), its
 * fma, and, for the small formats, a list of all their numbers.
 */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/math/narrow.h"
#include "tests/support/real_operands.h"

enum { OPERANDS = 100000 };

static const int host_mode[] = {
    [REAL_RN] = FE_TONEAREST,
    [REAL_RZ] = FE_TOWARDZERO,
    [REAL_RM] = FE_DOWNWARD,
    [REAL_RP] = FE_UPWARD,
};

static float any32(uint64_t i, int which)
{
    uint64_t x = operand_mixed(i * 4 + (uint64_t)which);
    return real_f32((uint32_t)(x % 8 ? operand_random(32, i, which) : special32[(x >> 8) % 24]));
}

static double any64(uint64_t i, int which)
{
    uint64_t x = operand_mixed(i * 4 + (uint64_t)which);
    return real_f64(x % 8 ? operand_random(64, i, which) : special64[(x >> 8) % 24]);
}

static bool same32(float a, float b)
{
    return a != a ? b != b && real_b32(a) == REAL_NAN32 : real_b32(a) == real_b32(b);
}

static bool same64(double a, double b)
{
    return a != a ? b != b : real_b64(a) == real_b64(b);
}

/* ---- arithmetic ---------------------------------------------------------------------------------------- */

static void assert_all32(uint64_t i, enum real_mode mode)
{
    volatile float a = any32(i, 0), b = any32(i, 1), c = any32(i, 2);
    fesetround(host_mode[mode]);
    volatile float add = a + b, sub = a - b, mul = a * b, quotient = a / b, root = sqrtf(a);
    volatile float fused = fmaf(a, b, c), one = 1 / a;
    fesetround(FE_TONEAREST);
    assert_true(same32(real_add32_mode(a, b, mode), add));
    assert_true(same32(real_sub32_mode(a, b, mode), sub));
    assert_true(same32(real_mul32_mode(a, b, mode), mul));
    assert_true(same32(real_div32(a, b, mode), quotient));
    assert_true(same32(real_sqrt32(a, mode), root));
    assert_true(same32(real_div32(1, a, mode), one));
    assert_true(same32(real_fma32_mode(a, b, c, mode), fused));
    if (mode != REAL_RN)
        return;
    assert_true(same32(real_add32(a, b), add) && same32(real_sub32(a, b), sub));
    assert_true(same32(real_mul32(a, b), mul) && same32(real_fma32(a, b, c), fused));
}

static void assert_all64(uint64_t i, enum real_mode mode)
{
    volatile double a = any64(i, 0), b = any64(i, 1), c = any64(i, 2);
    fesetround(host_mode[mode]);
    volatile double add = a + b, mul = a * b, quotient = a / b, root = sqrt(a),
                    fused = fma(a, b, c);
    fesetround(FE_TONEAREST);
    assert_true(same64(real_add64_mode(a, b, mode), add));
    assert_true(same64(real_mul64_mode(a, b, mode), mul));
    assert_true(same64(real_div64_mode(a, b, mode), quotient));
    assert_true(same64(real_sqrt64_mode(a, mode), root));
    assert_true(same64(real_fma64_mode(a, b, c, mode), fused));
    if (mode != REAL_RN)
        return;
    assert_true(same64(real_add64(a, b), add) && same64(real_mul64(a, b), mul));
    assert_true(same64(real_div64(a, b), quotient) && same64(real_sqrt64(a), root));
    assert_true(same64(real_fma64(a, b, c), fused));
}

static void every_rounding_is_this_machines(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < OPERANDS; i++) {
        assert_all32(i, (enum real_mode)(i % 4));
        assert_all64(i, (enum real_mode)(i % 4));
    }
}

/* The product is subnormal, or nearly cancels: where fma by parts goes wrong first. */
static void fma_is_rounded_once(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < OPERANDS; i++) {
        double a = any64(i, 0), b = any64(i, 1);
        volatile double product = a * b;
        double c =
            i & 1 ? -product : real_f64(real_b64(product) ^ (operand_mixed(i) & 7) ^ REAL_SIGN64);
        assert_true(same64(real_fma64_mode(a, b, c, REAL_RN), fma(a, b, c)));
        float x = any32(i, 0), y = any32(i, 1);
        volatile float short_product = x * y;
        assert_true(same32(real_fma32(x, y, -short_product), fmaf(x, y, -short_product)));
        double tiny = ldexp(a, -1000), small = ldexp(b, -70);
        assert_true(
            same64(real_fma64_mode(tiny, small, 0x1p-1074, REAL_RN), fma(tiny, small, 0x1p-1074)));
    }
    assert_true(same64(real_fma64_mode(0x1p1000, 0x1p1000, -INFINITY, REAL_RN), -INFINITY));
    assert_true(same64(real_fma64_mode(1, -0.0, 0, REAL_RM), -0.0));
}

/* ---- conversions --------------------------------------------------------------------------------------- */

static void numbers_become_floats_as_here(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < OPERANDS; i++) {
        enum real_mode mode = (enum real_mode)(i % 4);
        volatile double a = any64(i, 0);
        volatile int64_t integer = (int64_t)(operand_mixed(i) >> (operand_mixed(i + 1) % 64));
        volatile uint64_t natural = (uint64_t)integer;
        fesetround(host_mode[mode]);
        volatile float narrow = (float)a, of_signed = (float)integer, of_natural = (float)natural;
        volatile double wide = (double)integer, wide_natural = (double)natural;
        fesetround(FE_TONEAREST);
        if (a == a)
            assert_true(same32(real_f32_f64(a, mode), narrow));
        assert_true(same32(real_f32_integer(natural, true, mode), of_signed));
        assert_true(same32(real_f32_integer(natural, false, mode), of_natural));
        assert_true(same64(real_f64_integer(natural, true, mode), wide));
        if (natural) /* compilers subtract, which gives -0 in one mode */
            assert_true(same64(real_f64_integer(natural, false, mode), wide_natural));
    }
}

/* The library's: what compilers make of rint takes the rounding to be to nearest. */
static double (*volatile library_rint)(double) = rint;

/* In range as rint does it, beyond it the end of the range. */
static uint64_t integer_by_rint(double a, int bits, bool is_signed)
{
    double whole = library_rint(a);
    double most = ldexp(1, bits - is_signed);
    if (whole >= most)
        return is_signed ? (uint64_t)INT64_MAX >> (64 - bits) : UINT64_MAX >> (64 - bits);
    if (whole < (is_signed ? -most : 0))
        return is_signed ? 0 - (UINT64_C(1) << (bits - 1)) : 0;
    return whole < 0 ? 0 - (uint64_t)-whole : (uint64_t)whole;
}

static void numbers_become_integers_as_here(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < OPERANDS; i++) {
        enum real_mode mode = (enum real_mode)(i % 4);
        int bits = 8 << (i / 4 % 4);
        bool is_signed = i / 16 % 2;
        volatile double a = any64(i, 0);
        volatile float narrow = any32(i, 0);
        if (a != a || narrow != narrow)
            continue;
        fesetround(host_mode[mode]);
        volatile uint64_t want = integer_by_rint(a, bits, is_signed),
                          of_float = integer_by_rint((double)narrow, bits, is_signed);
        double whole = library_rint(a);
        fesetround(FE_TONEAREST);
        assert_true(real_integer64(a, bits, is_signed, mode) == want);
        assert_true(real_integer32(narrow, bits, is_signed, mode) == of_float);
        assert_true(same64(real_whole64(a, mode), whole));
        assert_true(same32(real_whole32(narrow, mode), (float)real_whole64((double)narrow, mode)));
    }
    assert_int_equal(real_s32(NAN), 0);
    assert_int_equal(real_u32(-5), 0);
}

/* ---- the small formats --------------------------------------------------------------------------------- */

struct format {
    enum real_format_name name;
    int fraction, exponent, last; /* bits; the largest finite number */
    int bits;
};

static const struct format formats[] = {
    {REAL_F16, 10, 5, 0x7bff, 16},
    {REAL_BF16, 7, 8, 0x7f7f, 16},
    {REAL_E5M2, 2, 5, 0x7b, 8},
    {REAL_E4M3, 3, 4, 0x7e, 8},
};

/* The value of bits without a sign, by the definition; also of those behind the last. */
static double value_of(const struct format *format, int bits)
{
    int bias = (1 << (format->exponent - 1)) - 1, exponent = bits >> format->fraction;
    int fraction = bits & ((1 << format->fraction) - 1);
    if (exponent == 0)
        return ldexp(fraction, 1 - bias - format->fraction);
    return ldexp(fraction + (1 << format->fraction), exponent - bias - format->fraction);
}

static double decoded(const struct format *format, int bits)
{
    switch (format->name) {
    case REAL_F16:
        return (double)real_f32_f16((uint16_t)bits);
    case REAL_BF16:
        return (double)real_f32_bf16((uint16_t)bits);
    case REAL_E5M2:
        return (double)real_f32_e5m2((uint8_t)bits);
    default:
        return (double)real_f32_e4m3((uint8_t)bits);
    }
}

static void small_numbers_have_their_values(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        const struct format *format = &formats[f];
        int sign = 1 << (format->bits - 1);
        for (int bits = 0; bits <= format->last; bits++) {
            assert_true(same64(decoded(format, bits), value_of(format, bits)));
            assert_true(same64(decoded(format, bits | sign), -value_of(format, bits)));
        }
        for (int bits = format->last + 1; bits < sign; bits++) {
            double got = decoded(format, bits);
            bool infinite = format->name != REAL_E4M3 && bits == format->last + 1;
            assert_true(infinite ? got == INFINITY : got != got);
        }
    }
}

/* Between two neighbours, below, of which the mode takes one, by where x is. */
static int chosen(const struct format *format, int below, double x, bool negative,
                  enum real_mode mode)
{
    double low = value_of(format, below), high = value_of(format, below + 1),
           middle = low + (high - low) / 2;
    bool up = mode == REAL_RM    ? negative
              : mode == REAL_RP  ? !negative
              : mode == REAL_RZ  ? false
              : mode == REAL_RNA ? x >= middle
                                 : x > middle || (x == middle && below & 1);
    return below + (x > low && up);
}

static void assert_rounded(const struct format *format, int below, double x)
{
    int sign = 1 << (format->bits - 1), infinity = format->last + 1;
    for (int i = 0; i < 2 * 5; i++) {
        bool negative = i & 1;
        enum real_mode mode = (enum real_mode)(i / 2);
        int want = chosen(format, below, x, negative, mode) | (negative ? sign : 0);
        double value = negative ? -x : x;
        assert_int_equal(real_narrow(value, format->name, mode, 0), want);
        int kept = (want & ~sign) == infinity ? (want & sign) | format->last : want;
        assert_int_equal(real_narrow(value, format->name, mode, REAL_SATFINITE), kept);
        assert_int_equal(real_narrow(value, format->name, mode, REAL_RELU), negative ? 0 : want);
        if (mode == REAL_RN && (double)(float)value == value && format->name == REAL_F16)
            assert_int_equal(real_f16_f32((float)value), want);
        if (mode == REAL_RN && (double)(float)value == value && format->name == REAL_BF16)
            assert_int_equal(real_bf16_f32((float)value), want);
    }
}

static void small_numbers_are_rounded_to_a_neighbour(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++)
        for (int below = 0; below <= formats[f].last; below++) {
            double low = value_of(&formats[f], below), high = value_of(&formats[f], below + 1);
            double middle = low + (high - low) / 2;
            double x[] = {low,
                          nextafter(low, high),
                          (double)nextafterf((float)low, INFINITY),
                          (low + middle) / 2,
                          nextafter(middle, low),
                          (double)nextafterf((float)middle, 0),
                          middle,
                          (double)nextafterf((float)middle, INFINITY),
                          nextafter(high, low)};
            for (size_t i = 0; i < sizeof x / sizeof x[0]; i++)
                if (x[i] >= low && x[i] < high)
                    assert_rounded(&formats[f], below, x[i]);
        }
}

static void too_large_and_no_numbers_are_ptxs(void **state)
{
    (void)state;
    assert_int_equal(real_narrow(1e30, REAL_F16, REAL_RN, 0), 0x7c00);
    assert_int_equal(real_narrow(-1e30, REAL_F16, REAL_RZ, 0), 0xfbff);
    assert_int_equal(real_narrow(INFINITY, REAL_E4M3, REAL_RN, REAL_SATFINITE), 0x7e);
    assert_int_equal(real_narrow(-INFINITY, REAL_E5M2, REAL_RN, REAL_SATFINITE), 0xfb);
    assert_int_equal(real_narrow(NAN, REAL_E4M3, REAL_RN, REAL_SATFINITE), 0x7f);
    assert_int_equal(real_narrow(-NAN, REAL_E5M2, REAL_RN, REAL_SATFINITE | REAL_RELU), 0x7f);
    assert_int_equal(real_narrow(NAN, REAL_F16, REAL_RN, REAL_RELU), 0x7fff);
    assert_int_equal(real_narrow(1 + 0x1p-11 + 0x1p-40, REAL_TF32, REAL_RN, 0), 0x3f802000);
    assert_int_equal(real_tf32_rna(0x3f801000), 0x3f802000);
    assert_int_equal(real_f16_f64(65520, REAL_RN), 0x7c00);
    assert_int_equal(real_f16_f64(1 + 0x1p-11 + 0x1p-40, REAL_RN), 0x3c01); /* once: not by float */
}

/* Sums and products of f16 are exact in double, of bf16 in long double; each is rounded once. */
static void half_arithmetic_is_rounded_once(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 4 * OPERANDS; i++) {
        uint16_t a = (uint16_t)operand_random(16, i, 0), b = (uint16_t)operand_random(16, i, 1);
        uint16_t c = (uint16_t)operand_random(16, i, 2);
        double x = (double)real_f32_f16(a), y = (double)real_f32_f16(b),
               z = (double)real_f32_f16(c);
        assert_int_equal(real_f16_add(a, b), real_narrow(x + y, REAL_F16, REAL_RN, 0));
        assert_int_equal(real_f16_sub(a, b), real_narrow(x - y, REAL_F16, REAL_RN, 0));
        assert_int_equal(real_f16_mul(a, b), real_narrow(x * y, REAL_F16, REAL_RN, 0));
        feclearexcept(FE_INEXACT);
        fesetround(FE_TOWARDZERO);
        volatile double fused = x * y + z;
        bool exact = !fetestexcept(FE_INEXACT);
        fesetround(FE_TONEAREST);
        if (exact) /* else the last bit, set to odd, says that something follows */
            assert_int_equal(real_f16_fma(a, b, c), real_narrow(fused, REAL_F16, REAL_RN, 0));
        else if (fused - fused == 0)
            assert_int_equal(real_f16_fma(a, b, c),
                             real_narrow(real_f64(real_b64(fused) | 1), REAL_F16, REAL_RN, 0));
    }
}

static void kinds_of_numbers_are_told_apart(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < OPERANDS; i++) {
        double a = any64(i, 0);
        float b = any32(i, 0);
        assert_int_equal(real_is64(a, REAL_NORMAL),
                         isnormal(a) || a == 0); /* PTX counts zeros, too */
        assert_int_equal(real_is32(b, REAL_SUBNORMAL), fpclassify(b) == FP_SUBNORMAL);
        assert_int_equal(real_is32(b, REAL_FINITE), isfinite(b) != 0);
        assert_int_equal(real_is64(a, REAL_INFINITE), isinf(a) != 0);
        assert_int_equal(real_is64(a, REAL_NUMBER), a == a);
        assert_int_equal(real_is32(b, REAL_NOT_A_NUMBER), b != b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rounding_is_this_machines),
        cmocka_unit_test(fma_is_rounded_once),
        cmocka_unit_test(numbers_become_floats_as_here),
        cmocka_unit_test(numbers_become_integers_as_here),
        cmocka_unit_test(small_numbers_have_their_values),
        cmocka_unit_test(small_numbers_are_rounded_to_a_neighbour),
        cmocka_unit_test(too_large_and_no_numbers_are_ptxs),
        cmocka_unit_test(half_arithmetic_is_rounded_once),
        cmocka_unit_test(kinds_of_numbers_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
