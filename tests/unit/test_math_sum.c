/* test_math_sum.c - the machine's arithmetic is the same to the bit everywhere: a hash of results of all
 * functions of math.h and approx.h, and of what real.h computes in loops over lanes.
 *
 * The numbers are the same for every compiler and processor. Where one is changed on purpose, the
 * message says the new one. test_math_builds.sh runs this with other compilers and flags.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "machine/math/approx.h"
#include "machine/math/math.h"
#include "tests/support/real_operands.h"

enum { LANES = 32, ROUNDS = 400 };

static void expect_hash(const char *what, uint64_t hash, uint64_t expected)
{
    if (hash != expected)
        print_error("%s: the results' hash is 0x%016llx\n", what, (unsigned long long)hash);
    assert_true(hash == expected);
}

/* An operand of the type that a letter of math.h says. */
static uint64_t argument(char type, uint64_t i, int which)
{
    bool wide = type == 'd' || type == 'l' || type == 'm';
    uint64_t random = operand_random(wide ? 64 : 32, i, which);
    if (type == 'i') /* counts and orders too */
        return i & 1 ? random % 24 : random;
    return i % 8 == 0 ? operand_special(wide ? 64 : 32, (int)(random % 24)) : random;
}

static uint64_t hash_of(const struct math_function *function)
{
    uint64_t hash = 0;
    for (uint64_t i = 0; i < 500; i++) {
        uint64_t in[32] = {0}, out[MATH_RESULTS] = {0};
        for (int k = 0; function->arguments[k]; k++)
            in[k] = argument(function->arguments[k], i, k);
        if (function->arguments[0] == 'i' &&
            function->arguments[1]) /* of an order; so many numbers */
            in[0] %= 24;
        math_call(function, in, out);
        for (int k = 0; k < MATH_RESULTS; k++)
            hash = operand_hash(hash, out[k]);
    }
    return hash;
}

static void functions_give_the_same_bits_everywhere(void **state)
{
    uint64_t hash = 0;
    (void)state;
    for (int i = 0; i < math_function_count; i++)
        hash = operand_hash(hash, hash_of(&math_functions[i]));
    expect_hash("math.h", hash, UINT64_C(0xfa09d0ba5723a418));
}

/* Loops that compilers turn into vector instructions. */
static void loops_over_lanes_give_the_same_bits_everywhere(void **state)
{
    uint64_t hash = 0;
    (void)state;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        float a[LANES], b[LANES], c[LANES], out[12][LANES];
        uint16_t x[LANES], y[LANES], z[LANES], half[2][LANES];
        int32_t whole[LANES];
        for (int k = 0; k < LANES; k++) {
            uint64_t n = i * LANES + (uint64_t)k;
            a[k] = real_f32((uint32_t)operand_random(32, n, 0));
            b[k] = real_f32((uint32_t)operand_random(32, n, 1));
            c[k] = real_f32((uint32_t)operand_random(32, n, 2));
            x[k] = (uint16_t)operand_random(16, n, 0);
            y[k] = (uint16_t)operand_random(16, n, 1);
            z[k] = (uint16_t)operand_random(16, n, 2);
        }
        for (int k = 0; k < LANES; k++)
            out[0][k] = real_add32(a[k], b[k]);
        for (int k = 0; k < LANES; k++)
            out[1][k] = real_mul32(a[k], b[k]);
        for (int k = 0; k < LANES; k++)
            out[2][k] = real_fma32(a[k], b[k], c[k]);
        for (int k = 0; k < LANES; k++)
            out[3][k] = real_fma32_ftz(real_ftz32(a[k]), real_ftz32(b[k]), real_ftz32(c[k]));
        for (int k = 0; k < LANES; k++)
            out[4][k] = real_min32(a[k], b[k]);
        for (int k = 0; k < LANES; k++)
            out[5][k] = real_max_nan32(a[k], b[k]);
        for (int k = 0; k < LANES; k++)
            out[6][k] = real_ex2(a[k]);
        for (int k = 0; k < LANES; k++)
            out[7][k] = real_lg2(a[k]);
        for (int k = 0; k < LANES; k++)
            out[8][k] = real_sin(a[k]);
        for (int k = 0; k < LANES; k++)
            out[9][k] = real_cos(a[k]);
        for (int k = 0; k < LANES; k++)
            out[10][k] = real_tanh(a[k]);
        for (int k = 0; k < LANES; k++)
            out[11][k] = real_rsqrt(a[k]);
        for (int k = 0; k < LANES; k++)
            half[0][k] = real_f16_fma(x[k], y[k], z[k]);
        for (int k = 0; k < LANES; k++)
            half[1][k] = real_bf16_fma(x[k], y[k], z[k]);
        for (int k = 0; k < LANES; k++)
            whole[k] = real_s32(a[k]);
        for (int k = 0; k < LANES; k++) {
            for (int n = 0; n < 12; n++)
                hash = operand_hash(hash, real_b32(out[n][k]));
            hash = operand_hash(hash, half[0][k] | (uint64_t)half[1][k] << 16);
            hash = operand_hash(hash, (uint32_t)whole[k]);
        }
    }
    expect_hash("lanes", hash, UINT64_C(0x5a21895abcbc2993));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_give_the_same_bits_everywhere),
        cmocka_unit_test(loops_over_lanes_give_the_same_bits_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
