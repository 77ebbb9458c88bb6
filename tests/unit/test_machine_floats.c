/* test_machine_floats.c - instructions on floats and doubles, decoded and executed over special and random
 * numbers, against this processor's own arithmetic in all four roundings. (What the functions behind them
 * give is held in full by test_real_host and test_real_gpu; here it is that each spelling does its own.) */
#include "tests/support/run_numbers.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>

/* volatile: computed when it is asked for, in the rounding of then */
#define RULES(type, name)                                                                          \
    static type name(const char *what, type a_, type b_, type c_)                                  \
    {                                                                                              \
        volatile type a = a_, b = b_, c = c_, d = 0;                                               \
        if (!strcmp(what, "add"))                                                                  \
            d = a + b;                                                                             \
        else if (!strcmp(what, "sub"))                                                             \
            d = a - b;                                                                             \
        else if (!strcmp(what, "mul"))                                                             \
            d = a * b;                                                                             \
        else if (!strcmp(what, "div"))                                                             \
            d = a / b;                                                                             \
        else if (!strcmp(what, "rcp"))                                                             \
            d = 1 / a;                                                                             \
        else if (!strcmp(what, "sqrt"))                                                            \
            d = sizeof d == 4 ? (type)sqrtf((float)a) : (type)sqrt((double)a);                     \
        else if (!strcmp(what, "fma"))                                                             \
            d = sizeof d == 4 ? (type)fmaf((float)a, (float)b, (float)c)                           \
                              : (type)fma((double)a, (double)b, (double)c);                        \
        else if (!strcmp(what, "min"))                                                             \
            d = isnan(a) ? b : isnan(b) || a < b || (a == b && signbit(a)) ? a : b;                \
        else if (!strcmp(what, "max"))                                                             \
            d = isnan(a) ? b : isnan(b) || a > b || (a == b && !signbit(a)) ? a : b;               \
        else if (!strcmp(what, "abs"))                                                             \
            d = signbit(a) ? -a : a;                                                               \
        else                                                                                       \
            d = -a;                                                                                \
        return d;                                                                                  \
    }
RULES(float, of_float)
RULES(double, of_double)

/* Special numbers and random ones, of all exponents and near 1. */
static uint64_t number(uint64_t *seed, int bits)
{
    static const double edges[] = {0.0,   -0.0,   1.0,      -1.0,    0.5,          3.0,
                                   1e-40, -1e-44, 1e38,     -3.4e38, INFINITY,     -INFINITY,
                                   NAN,   1e-310, 4.9e-324, 1.7e308, 2147483648.0, 16777217.0};
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint64_t random = *seed ^ *seed >> 31;
    const double edge = edges[(random >> 8) % (sizeof edges / sizeof *edges)];
    const float small = (float)edge;
    uint64_t value = 0;
    if (random % 4 == 0 && bits == 64)
        memcpy(&value, &edge, 8);
    else if (random % 4 == 0)
        memcpy(&value, &small, 4);
    else if (random % 4 == 1) /* near 1 */
        value = bits == 64 ? (random >> 9) | UINT64_C(0x3fe) << 52
                           : ((uint32_t)(random >> 20) & 0xffffff) | 0x3f000000u;
    else
        value = bits == 64 ? random * UINT64_C(0x9e3779b97f4a7c15) : (uint32_t)(random >> 16);
    return value;
}

static bool same(uint64_t got, uint64_t want, int bits)
{
    if (bits == 32) {
        float x, y;
        const uint32_t low = (uint32_t)got, other = (uint32_t)want;
        memcpy(&x, &low, 4);
        memcpy(&y, &other, 4);
        return isnan(y) ? isnan(x) : low == other;
    }
    double x, y;
    memcpy(&x, &got, 8);
    memcpy(&y, &want, 8);
    return isnan(y) ? isnan(x) : got == want;
}

static uint64_t expected(const char *what, const struct numbers *numbers, int i, int bits)
{
    uint64_t result = 0;
    if (bits == 32) {
        float x[3];
        memcpy(&x[0], &numbers->a[i], 4);
        memcpy(&x[1], &numbers->b[i], 4);
        memcpy(&x[2], &numbers->c[i], 4);
        const float d = of_float(what, x[0], x[1], x[2]);
        memcpy(&result, &d, 4);
        return result;
    }
    double x[3];
    memcpy(&x[0], &numbers->a[i], 8);
    memcpy(&x[1], &numbers->b[i], 8);
    memcpy(&x[2], &numbers->c[i], 8);
    const double d = of_double(what, x[0], x[1], x[2]);
    memcpy(&result, &d, 8);
    return result;
}

static void try_one(const char *what, const char *rounding, int operands, int bits, uint64_t seed)
{
    static struct numbers numbers;
    char text[2000], arguments[100] = "";
    for (int i = 1; i <= operands; i++)
        snprintf(arguments + strlen(arguments), sizeof arguments - strlen(arguments), ", %%x%d", i);
    snprintf(text, sizeof text,
             HEAD ".visible .entry k(.param .u64 p)\n{ .reg .f%d %%x<9>; .reg .b32 %%t; .reg .b64 "
                  "%%at;\nld.param.u64 %%at, [p]; mov.u32 %%t, %%tid.x; mad.wide.u32 %%at, %%t, 8, "
                  "%%at;\nld.global.f%d %%x1, [%%at]; ld.global.f%d %%x2, [%%at+%d]; ld.global.f%d "
                  "%%x3, [%%at+%d];\n%s%s.f%d %%x4%s;\nst.global.f%d [%%at+%d], %%x4; ret; }\n",
             bits, bits, bits, 8 * CASES, bits, 16 * CASES, what, rounding, bits, arguments, bits,
             24 * CASES);
    memset(&numbers, 0, sizeof numbers);
    for (int i = 0; i < CASES; i++) {
        numbers.a[i] = number(&seed, bits);
        numbers.b[i] = number(&seed, bits);
        numbers.c[i] = number(&seed, bits);
    }
    run_numbers(text, &numbers);
    fesetround(!strcmp(rounding, ".rz")   ? FE_TOWARDZERO
               : !strcmp(rounding, ".rm") ? FE_DOWNWARD
               : !strcmp(rounding, ".rp") ? FE_UPWARD
                                          : FE_TONEAREST);
    uint64_t want[CASES];
    for (int i = 0; i < CASES; i++)
        want[i] = expected(what, &numbers, i, bits);
    fesetround(FE_TONEAREST);
    for (int i = 0; i < CASES; i++)
        if (!same(numbers.d[i], want[i], bits))
            fail_msg("%s%s.f%d of 0x%llx, 0x%llx, 0x%llx is 0x%llx, not 0x%llx", what, rounding,
                     bits, (unsigned long long)numbers.a[i], (unsigned long long)numbers.b[i],
                     (unsigned long long)numbers.c[i], (unsigned long long)want[i],
                     (unsigned long long)numbers.d[i]);
}

static void arithmetic_rounds_as_it_says(void **state)
{
    static const struct {
        const char *what;
        int operands;
    } rows[] = {{"add", 2}, {"sub", 2}, {"mul", 2}, {"fma", 3},
                {"div", 2}, {"rcp", 1}, {"sqrt", 1}};
    static const char *const roundings[] = {".rn", ".rz", ".rm", ".rp"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int r = 0; r < 4; r++)
            for (int bits = 32; bits <= 64; bits += 32)
                for (uint64_t seed = 1; seed < 4; seed++)
                    try_one(rows[i].what, roundings[r], rows[i].operands, bits, seed + (uint64_t)r);
}

static void extremes_and_signs(void **state)
{
    static const char *const rows[] = {"min", "max", "abs", "neg"};
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int bits = 32; bits <= 64; bits += 32)
            for (uint64_t seed = 1; seed < 4; seed++)
                try_one(rows[i], "", i < 2 ? 2 : 1, bits, seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_rounds_as_it_says),
        cmocka_unit_test(extremes_and_signs),
    };
    return cmocka_run_group_tests_name("machine_floats", tests, NULL, NULL);
}
