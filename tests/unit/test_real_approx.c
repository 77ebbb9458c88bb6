/* test_real_approx.c - machine/math/approx.h: errors below what PTX documents, special values as on an H100.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/math/approx.h"
#include "tests/support/real_operands.h"

enum { OPERANDS = 100000 };

/* ---- errors -------------------------------------------------------------------------------------------- */

static long double rsqrt_of(long double x)
{
    return 1 / sqrtl(x);
}

static long double rcp_of(long double x)
{
    return 1 / x;
}

static float sqrt_of(float x)
{
    return real_sqrt32(x, REAL_RN);
}

static uint32_t f16_bits(float (*function)(float), float x)
{
    return function == real_ex2 ? real_f16_ex2(real_f16_f32(x)) : real_f16_tanh(real_f16_f32(x));
}

/* Relative errors, and absolute ones where the result may be 0. The operand is from least to most; the
 * bound is a power of two. */
static const struct {
    const char *name;
    float (*function)(float x);
    long double (*reference)(long double x);
    float least, most;
    bool absolute;
    int bound;
} rows[] = {
    {"ex2", real_ex2, exp2l, -126, 127.9f, false, -22},
    {"ex2 below normal numbers", real_ex2, exp2l, -149, -126, true, -149},
    {"lg2", real_lg2, log2l, 0.5f, 2, true, -22},
    {"lg2 beyond", real_lg2, log2l, 2.1f, 3e38f, false, -22},
    {"lg2 below", real_lg2, log2l, 1e-45f, 0.49f, false, -22},
    {"sin", real_sin, sinl, -3.15f, 3.15f, true, -20},
    {"cos", real_cos, cosl, -3.15f, 3.15f, true, -20},
    {"tanh", real_tanh, tanhl, -12, 12, false, -11},
    {"tanh of small ones", real_tanh, tanhl, 1e-30f, 0.3f, false, -11},
    {"rcp", real_rcp, rcp_of, 1e-37f, 1e37f, false, -23},
    {"rsqrt", real_rsqrt, rsqrt_of, 1e-45f, 3e38f, false, -22},
    {"sqrt", sqrt_of, sqrtl, 1e-45f, 3e38f, false, -23},
};

/* Uniform, or of any size between both. */
static float operand_of(uint64_t i, float least, float most)
{
    double u = (double)(operand_mixed(i) >> 11) * 0x1p-53;
    if (i & 1 && least > 0)
        return (float)(least * pow((double)most / least, u));
    return (float)(least + ((double)most - least) * u);
}

static void errors_are_below_what_ptx_documents(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (uint64_t i = 0; i < OPERANDS; i++) {
            float x = operand_of(i, rows[r].least, rows[r].most);
            long double want = rows[r].reference(x),
                        error = fabsl((long double)rows[r].function(x) - want);
            if (!rows[r].absolute)
                error /= fabsl(want);
            if (!(error <= ldexpl(1, rows[r].bound)))
                fail_msg("%s of %a is wrong by %Lg", rows[r].name, (double)x, error);
        }
}

static void quotients_are_right_to_two_places(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < OPERANDS; i++) {
        float a = operand_of(2 * i, -1e6f, 1e6f), b = operand_of(2 * i + 1, 1e-30f, 1e30f);
        assert_true(fabsl(real_div_approx(a, b) - (long double)a / b) <=
                    0x1p-22L * fabsl((long double)a / b));
    }
    assert_int_equal(real_b32(real_div_approx(1e38f, -0x1.8p126f)),
                     REAL_SIGN32); /* as documented */
    assert_true(isnan(real_div_approx(INFINITY, 0x1.8p126f)));
}

/* All operands of 16 bits. */
static void halves_are_right_to_their_places(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        float x = real_f32_f16((uint16_t)bits), y = real_f32_bf16((uint16_t)bits);
        if (x != x || y != y)
            continue;
        long double power = exp2l(x), tangent = tanhl(x);
        float got = real_f32_f16((uint16_t)f16_bits(real_ex2, x));
        if (power < 65504)
            assert_true(fabsl(got - power) <= fmaxl(0x1p-9L * power * 0.55L, 0x1p-24L));
        assert_true(fabsl(real_f32_f16((uint16_t)f16_bits(real_tanh, x)) - tangent) <= 0x1p-10L);
        power = exp2l(y);
        if (fabsf(y) < 126)
            assert_true(fabsl(real_f32_bf16(real_bf16_ex2((uint16_t)bits)) - power) <=
                        0x1p-7L * power);
        assert_true(fabsl(real_f32_bf16(real_bf16_tanh((uint16_t)bits)) - tanhl(y)) <= 0x1p-8L);
    }
}

static void doubles_are_right_to_their_upper_half(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < OPERANDS; i++) {
        double x = ldexp((double)operand_of(i, 0.5f, 1), (int)(i % 2000) - 1000);
        assert_true(fabs(real_rcp64(x) * x - 1) <= 0x1p-19);
        assert_true(fabs(real_rsqrt64_ftz(x) * sqrt(x) - 1) <= 0x1p-19);
        assert_true(fabsl(real_rsqrt64(x) * sqrtl(x) - 1) <= 0x1p-51L);
        assert_int_equal((uint32_t)real_b64(real_rcp64(x)), 0);
    }
}

/* ---- special values ------------------------------------------------------------------------------------ */

static void special_values_are_the_gpus(void **state)
{
    enum {
        INF = 0x7f800000,
        MINUS_INF = (int)0xff800000,
        ZERO = 0,
        MINUS_ZERO = (int)0x80000000,
        ONE = 0x3f800000,
        MINUS_ONE = (int)0xbf800000,
        NONE = 0x7fffffff
    };
    static const struct {
        float (*function)(float x);
        int32_t of_zero, of_minus_zero, of_inf, of_minus_inf, of_minus_one;
    } special[] = {
        {real_ex2, ONE, ONE, INF, ZERO, 0x3f000000},
        {real_lg2, MINUS_INF, MINUS_INF, INF, NONE, NONE},
        {real_sin, ZERO, MINUS_ZERO, NONE, NONE, (int)0xbf576aa4},
        {real_cos, ONE, ONE, NONE, NONE, 0x3f0a5141},
        {real_tanh, ZERO, MINUS_ZERO, ONE, MINUS_ONE, (int)0xbf42f7d6},
        {real_rcp, INF, MINUS_INF, ZERO, MINUS_ZERO, MINUS_ONE},
        {real_rsqrt, INF, MINUS_INF, ZERO, NONE, NONE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        float (*function)(float) = special[i].function;
        assert_int_equal((int32_t)real_b32(function(0)), special[i].of_zero);
        assert_int_equal((int32_t)real_b32(function(-0.0f)), special[i].of_minus_zero);
        assert_int_equal((int32_t)real_b32(function(INFINITY)), special[i].of_inf);
        assert_int_equal((int32_t)real_b32(function(-INFINITY)), special[i].of_minus_inf);
        assert_int_equal((int32_t)real_b32(function(-1)), special[i].of_minus_one);
        assert_int_equal(real_b32(function(-NAN)), NONE);
    }
    assert_int_equal(real_b32(real_ex2(128)), INF);
    assert_int_equal(real_b32(real_ex2(-151)), ZERO);
    assert_int_equal(real_b32(real_ex2(10)), real_b32(1024));
    assert_int_equal(real_b32(real_lg2(real_f32(1))), real_b32(-149));
    assert_int_equal(real_b32(real_lg2(1)), ZERO);
    assert_int_equal((int32_t)real_b32(real_sin(-0x1p-140f)), MINUS_ZERO);
    assert_true(real_b64(real_rcp64(-0.0)) == 0xfff0000000000000);
    assert_true(real_b64(real_rcp64(0x1p1023)) == 0);
    assert_true(real_b64(real_rsqrt64_ftz(-1)) == 0x7fffffff00000000);
    assert_true(real_b64(real_rsqrt64(-0.0)) == 0xfff0000000000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_below_what_ptx_documents),
        cmocka_unit_test(quotients_are_right_to_two_places),
        cmocka_unit_test(halves_are_right_to_their_places),
        cmocka_unit_test(doubles_are_right_to_their_upper_half),
        cmocka_unit_test(special_values_are_the_gpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
