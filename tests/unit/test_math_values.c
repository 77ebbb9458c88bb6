/* test_math_values.c - machine/math/math.h: the functions that are exact, special values, integers, the table.
 *
 * Exact functions and special values are held to C's own, bit by bit.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/math_by_name.h"

/* ---- exact functions ----------------------------------------------------------------------------------- */

static void assert_same(const char *name, double got, double want)
{
    bool same = isnan(want) ? isnan(got) : real_b64(got) == real_b64(want);
    if (!same)
        fail_msg("%s gave %a, not %a", name, got, want);
}

static double any_number(uint64_t *state)
{
    static const double special[] = {0.0,
                                     -0.0,
                                     1,
                                     -1,
                                     0.5,
                                     -0.5,
                                     1.5,
                                     2.5,
                                     0x1p-1074,
                                     0x1p-1022,
                                     1e308,
                                     0x1p52,
                                     0x1.fffffffffffffp51,
                                     INFINITY,
                                     -INFINITY,
                                     NAN,
                                     3,
                                     7,
                                     0.1};
    double choice = uniform(state);
    if (choice < 0.3)
        return special[(int)(uniform(state) * 19)];
    uniform(state);
    return choice < 0.5 ? real_f64(*state ^ *state << 17)
                        : ldexp(uniform(state) - 0.5, (int)(uniform(state) * 70) - 5);
}

static void exact_functions_are_cs(void **state)
{
    static const struct {
        const char *name;
        double (*reference)(double x);
    } ones[] = {{"floor", floor}, {"ceil", ceil}, {"trunc", trunc},         {"rint", rint},
                {"round", round}, {"logb", logb}, {"nearbyint", nearbyint}, {"fabs", fabs}};
    static const struct {
        const char *name;
        double (*reference)(double x, double y);
    } twos[] = {{"fmod", fmod},
                {"remainder", remainder},
                {"fdim", fdim},
                {"nextafter", nextafter},
                {"copysign", copysign}};
    uint64_t seed = 5;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double x = any_number(&seed), y = any_number(&seed);
        for (size_t k = 0; k < sizeof ones / sizeof ones[0]; k++)
            assert_same(ones[k].name, call1(ones[k].name, x), ones[k].reference(x));
        for (size_t k = 0; k < sizeof twos / sizeof twos[0]; k++)
            assert_same(twos[k].name, call2(twos[k].name, x, y), twos[k].reference(x, y));
        double in[2] = {(double)(float)x, (double)(float)y};
        assert_same("nextafterf", called(found("nextafter", true), in),
                    (double)nextafterf((float)x, (float)y));
        assert_same("fmodf", called(found("fmod", true), in), (double)fmodf((float)x, (float)y));
    }
}

/* What is stored through pointers comes as further words. */
static void stored_results_are_cs(void **state)
{
    uint64_t seed = 6, out[MATH_RESULTS];
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double x = any_number(&seed), y = any_number(&seed), part;
        int power = 0, quotient = 0;
        uint64_t in[3] = {real_b64(x), real_b64(y), 0};
        math_call(math_find("__nv_frexp"), in, out);
        assert_same("frexp", real_f64(out[0]), frexp(x, &power));
        if (isfinite(x))
            assert_int_equal((int)out[1], power);
        math_call(math_find("__nv_modf"), in, out);
        assert_same("modf", real_f64(out[0]), modf(x, &part));
        assert_same("modf's whole", real_f64(out[1]), part);
        math_call(math_find("__nv_remquo"), in, out);
        assert_same("remquo", real_f64(out[0]), remquo(x, y, &quotient));
        if (isfinite(x) && !isnan(y) && y != 0)
            assert_int_equal((int)out[1] & 7, quotient & 7);
        in[1] = (uint32_t)(int32_t)(y < 3000 && y > -3000 ? y : 5);
        math_call(math_find("__nv_ldexp"), in, out);
        assert_same("ldexp", real_f64(out[0]), ldexp(x, (int32_t)in[1]));
        math_call(math_find("__nv_sincos"), in, out);
        assert_same("sincos's sine", real_f64(out[0]), call1("sin", x));
        assert_same("sincos's cosine", real_f64(out[1]), call1("cos", x));
        double single = (double)(float)x;
        in[0] = real_b32((float)x);
        math_call(math_find("__nv_sincosf"), in, out);
        assert_int_equal(out[0], real_b32((float)called(found("sin", true), &single)));
        assert_int_equal(out[1], real_b32((float)called(found("cos", true), &single)));
        math_call(math_find("__nv_sincospif"), in, out);
        assert_int_equal(out[1], real_b32((float)called(found("cospi", true), &single)));
    }
}

static void norms_take_as_many_numbers_as_they_are_given(void **state)
{
    uint64_t in[5] = {4, real_b64(0x1p600), real_b64(-0x2p600), real_b64(0x2p600),
                      real_b64(0x4p600)},
             out[MATH_RESULTS];
    (void)state;
    math_call(math_find("__nv_norm"), in, out);
    assert_same("norm", real_f64(out[0]), 0x5p600);
    math_call(math_find("__nv_norm4d"), in + 1, out);
    assert_same("norm4d", real_f64(out[0]), 0x5p600);
    uint64_t floats[4] = {3, real_b32(2), real_b32(3), real_b32(6)};
    math_call(math_find("__nv_normf"), floats, out);
    assert_int_equal(out[0], real_b32(7));
    math_call(math_find("__nv_rnormf"), floats, out);
    assert_int_equal(out[0], real_b32(1.0f / 7));
    math_call(math_find("__nv_norm3df"), floats + 1, out);
    assert_int_equal(out[0], real_b32(7));
}

/* ---- special values ------------------------------------------------------------------------------------ */

static void special_values_are_cs(void **state)
{
    static const double inf = INFINITY, nan = NAN;
    static const struct {
        const char *name;
        double x, want;
    } ones[] = {
        {"exp", inf, inf},
        {"exp", -inf, 0},
        {"exp", -0.0, 1},
        {"exp", 710, inf},
        {"exp", -750, 0},
        {"exp2", 1024, inf},
        {"exp2", -1074, 0x1p-1074},
        {"exp10", 2, 100},
        {"exp10", 22, 1e22},
        {"expm1", -0.0, -0.0},
        {"expm1", -inf, -1},
        {"expm1", inf, inf},
        {"log", 0.0, -inf},
        {"log", -0.0, -inf},
        {"log", -1, nan},
        {"log", 1, 0.0},
        {"log", inf, inf},
        {"log2", 8, 3},
        {"log2", 0x1p-1074, -1074},
        {"log10", 1000, 3},
        {"log1p", -1, -inf},
        {"log1p", -0.0, -0.0},
        {"log1p", -2, nan},
        {"cbrt", -27, -3},
        {"cbrt", -0.0, -0.0},
        {"cbrt", -inf, -inf},
        {"rcbrt", -0.0, -inf},
        {"rcbrt", 8, 0.5},
        {"rsqrt", 0.0, inf},
        {"rsqrt", -0.0, -inf},
        {"rsqrt", inf, 0},
        {"rsqrt", -1, nan},
        {"sqrt", -0.0, -0.0},
        {"sqrt", -1, nan},
        {"sin", -0.0, -0.0},
        {"sin", inf, nan},
        {"cos", inf, nan},
        {"cos", 0.0, 1},
        /* The doubles that are nearest to multiples of pi/2 (worked out with 400 digits). */
        {"cos", 0x1.6ac5b262ca1ffp+849, -0x1.14ae72e6ba22fp-61},
        {"sin", 0x1.6ac5b262ca1ffp+850, -0x1.14ae72e6ba22fp-60},
        {"sin", -0x1.6ac5b262ca1ffp+851, -0x1.14ae72e6ba22fp-59},
        {"cos", 0x1.504cac51f1eafp+131, -0x1.0cb604d34f341p-59},
        {"cos", 0x1.e009c53148be1p+991, 0x1.295a3b0a64b1dp-59},
        {"tan", -0.0, -0.0},
        {"tan", -inf, nan},
        {"sinpi", 1, 0.0},
        {"sinpi", -1, -0.0},
        {"sinpi", 0.5, 1},
        {"sinpi", -0.0, -0.0},
        {"cospi", 0.5, 0.0},
        {"cospi", 1, -1},
        {"cospi", -1.5, 0.0},
        {"cospi", 1e300, 1},
        {"asin", -0.0, -0.0},
        {"asin", 1.5, nan},
        {"acos", 1, 0.0},
        {"acos", -2, nan},
        {"atan", -0.0, -0.0},
        {"sinh", -0.0, -0.0},
        {"sinh", -inf, -inf},
        {"sinh", 720, inf},
        {"cosh", -inf, inf},
        {"cosh", 0.0, 1},
        {"tanh", inf, 1},
        {"tanh", -0.0, -0.0},
        {"asinh", -inf, -inf},
        {"asinh", -0.0, -0.0},
        {"acosh", 1, 0.0},
        {"acosh", 0.5, nan},
        {"acosh", inf, inf},
        {"atanh", 1, inf},
        {"atanh", -1, -inf},
        {"atanh", 2, nan},
        {"erf", inf, 1},
        {"erf", -inf, -1},
        {"erf", -0.0, -0.0},
        {"erfc", -inf, 2},
        {"erfc", inf, 0},
        {"erfc", 0.0, 1},
        {"erfcx", inf, 0},
        {"erfcx", -inf, inf},
        {"erfcx", 0.0, 1},
        {"erfinv", 1, inf},
        {"erfinv", -1, -inf},
        {"erfinv", 1.5, nan},
        {"erfinv", -0.0, -0.0},
        {"erfcinv", 0.0, inf},
        {"erfcinv", 2, -inf},
        {"erfcinv", 3, nan},
        {"erfcinv", 1, 0.0},
        {"normcdf", inf, 1},
        {"normcdf", -inf, 0},
        {"normcdf", 0.0, 0.5},
        {"normcdfinv", 0.0, -inf},
        {"normcdfinv", 1, inf},
        {"normcdfinv", 2, nan},
        {"tgamma", 0.0, inf},
        {"tgamma", -0.0, -inf},
        {"tgamma", -1, nan},
        {"tgamma", 5, 24},
        {"tgamma", 172, inf},
        {"tgamma", -inf, nan},
        {"tgamma", inf, inf},
        {"lgamma", 1, 0.0},
        {"lgamma", 2, 0.0},
        {"lgamma", -3, inf},
        {"lgamma", 0.0, inf},
        {"lgamma", -inf, inf},
        {"lgamma", inf, inf},
        {"lgamma", 1e306, inf},
        {"j0", inf, 0},
        {"j0", 0.0, 1},
        {"j1", -0.0, -0.0},
        {"y0", 0.0, -inf},
        {"y0", -1, nan},
        {"y1", 0.0, -inf},
        {"y1", inf, 0},
        {"cyl_bessel_i0", -inf, inf},
        {"cyl_bessel_i1", -inf, -inf},
        {"cyl_bessel_i0", 0.0, 1},
        {"logb", 0.0, -inf},
        {"logb", -inf, inf},
    };
    (void)state;
    for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++) {
        assert_same(ones[i].name, call1(ones[i].name, ones[i].x), ones[i].want);
        assert_same(ones[i].name, call1(ones[i].name, NAN), NAN);
        const struct math_function *single = found(ones[i].name, true);
        double x = ones[i].x, got = called(single, &x);
        if ((double)(float)x == x || x != x)
            assert_same(single->name, got, (double)(float)ones[i].want);
    }
}

static void special_pairs_are_cs(void **state)
{
    static const double values[] = {0.0,      -0.0,     1,         -1,    2,        -2,     3,
                                    -3,       0.5,      -0.5,      1e300, -1e300,   1e-300, 0x1p53,
                                    0x1.8p52, INFINITY, -INFINITY, NAN,   0x1p-1074};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
            double x = values[i], y = values[k];
            double power = pow(x, y), size = hypot(x, y), angle = atan2(x, y);
            if (power == 0 || power - power != 0 || fabs(power) == 1)
                assert_same("pow", call2("pow", x, y), power);
            if (size - size != 0 || size == 0)
                assert_same("hypot", call2("hypot", x, y), size);
            assert_same("atan2", call2("atan2", x, y), angle);
            double in[2] = {x, y};
            if ((double)(float)x != x || (double)(float)y != y)
                continue;
            assert_same("atan2f", called(found("atan2", true), in), (double)(float)angle);
            assert_same("hypotf", called(found("hypot", true), in), (double)(float)size);
            if (power == 0 || power - power != 0 || fabs(power) == 1)
                assert_same("powf", called(found("pow", true), in), (double)(float)power);
        }
}

/* ---- integers and the table ---------------------------------------------------------------------------- */

static uint64_t words(const char *name, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t in[3] = {a, b, c}, out[MATH_RESULTS];
    math_call(found(name, false), in, out);
    return out[0];
}

static void integers_and_bits_are_what_cuda_says(void **state)
{
    (void)state;
    assert_int_equal(words("abs", 0xfffffff9, 0, 0), 7);
    assert_int_equal(words("min", 0xffffffff, 1, 0), 0xffffffff);
    assert_int_equal(words("umin", 0xffffffff, 1, 0), 1);
    assert_int_equal(words("clz", 1, 0, 0), 31);
    assert_int_equal(words("clz", 0, 0, 0), 32);
    assert_int_equal(words("clzll", 1, 0, 0), 63);
    assert_int_equal(words("ffs", 0, 0, 0), 0);
    assert_int_equal(words("ffs", 0x80000000, 0, 0), 32);
    assert_int_equal(words("ffsll", UINT64_C(1) << 40, 0, 0), 41);
    assert_int_equal(words("popcll", UINT64_MAX, 0, 0), 64);
    assert_int_equal(words("brev", 1, 0, 0), 0x80000000);
    assert_true(words("brevll", 2, 0, 0) == UINT64_C(1) << 62);
    assert_int_equal(words("byte_perm", 0x33221100, 0x77665544, 0x7531), 0x77553311);
    assert_int_equal(words("byte_perm", 0x807f, 0, 0x1098),
                     0x807f807f); /* 8 in a digit is ignored */
    assert_int_equal(words("mulhi", 0x80000000, 0x80000000, 0), 0x40000000);
    assert_int_equal(words("mulhi", 0xffffffff, 2, 0), 0xffffffff);
    assert_int_equal(words("umulhi", 0xffffffff, 0xffffffff, 0), 0xfffffffe);
    assert_true(words("mul64hi", UINT64_MAX, 5, 0) == UINT64_MAX);
    assert_true(words("umul64hi", UINT64_MAX, UINT64_MAX, 0) == UINT64_MAX - 1);
    assert_int_equal(words("mul24", 0x00ffffff, 3, 0), 0xfffffffd);
    assert_int_equal(words("umul24", 0x01ffffff, 2, 0), 0x01fffffe);
    assert_int_equal(words("sad", 0xffffffff, 2, 10), 13);
    assert_int_equal(words("usad", 1, 3, 10), 12);
    assert_int_equal(words("hadd", 0xffffffff, 0xfffffffe, 0), 0xfffffffe);
    assert_int_equal(words("urhadd", 0xffffffff, 0xfffffffe, 0), 0xffffffff);
    assert_int_equal(words("double2hiint", real_b64(1), 0, 0), 0x3ff00000);
    assert_true(words("hiloint2double", 0x3ff00000, 0, 0) == real_b64(1));
    assert_int_equal(words("float2half_rn", real_b32(1), 0, 0), 0x3c00);
    assert_int_equal(words("half2float", 0xc000, 0, 0), real_b32(-2));
    assert_int_equal(words("float2int_rd", real_b32(-1.5f), 0, 0), 0xfffffffe);
    assert_int_equal(words("float2uint_rz", real_b32(4e9f), 0, 0), 4000000000);
    assert_int_equal(words("int2float_ru", 16777217, 0, 0), real_b32(16777218));
    assert_int_equal(words("uint2float_rz", 0xffffffff, 0, 0), real_b32(0x1.fffffep31f));
    assert_int_equal(words("llroundf", real_b32(-2.5f), 0, 0), (uint64_t)-3);
    assert_int_equal(words("llrintf", real_b32(-2.5f), 0, 0), (uint64_t)-2);
    assert_int_equal(words("ilogb", real_b64(0x1p-1074), 0, 0), (uint32_t)-1074);
    assert_int_equal(words("isinff", real_b32(-INFINITY), 0, 0), 1);
    assert_int_equal(words("signbitd", real_b64(-0.0), 0, 0), 1);
    assert_int_equal(words("saturatef", real_b32(NAN), 0, 0), 0);
    assert_int_equal(words("fadd_ru", real_b32(1), real_b32(0x1p-40f), 0), 0x3f800001);
    assert_int_equal(words("fmaf_rz", real_b32(1), real_b32(1), real_b32(-0x1p-40f)), 0x3f7fffff);
    assert_int_equal(words("sinf", 0x3f800000, 0, 0), 0x3f576aa4);
}

static void all_functions_are_found_by_name(void **state)
{
    uint64_t in[8] = {3, 5, 7, 9, 11, 13}, out[MATH_RESULTS];
    (void)state;
    assert_true(math_function_count == 349);
    for (int i = 0; i < math_function_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "__nv_%s", math_functions[i].name);
        assert_ptr_equal(math_find(name), &math_functions[i]);
        if (i > 0)
            assert_true(strcmp(math_functions[i - 1].name, math_functions[i].name) < 0);
        math_call(&math_functions[i], in, out);
    }
    assert_null(math_find("__nv_sinfff"));
    assert_null(math_find("sinf"));
    assert_null(math_find(""));
    assert_true(math_find("__nv_sinf")->branches && !math_find("__nv_expf")->branches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_functions_are_cs),
        cmocka_unit_test(stored_results_are_cs),
        cmocka_unit_test(norms_take_as_many_numbers_as_they_are_given),
        cmocka_unit_test(special_values_are_cs),
        cmocka_unit_test(special_pairs_are_cs),
        cmocka_unit_test(integers_and_bits_are_what_cuda_says),
        cmocka_unit_test(all_functions_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
