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

/* ---- between whole numbers and floats -------------------------------------------------------- */

static const struct whole {
    const char *name, *reg; /* how a register of it is declared */
    int bits;
    bool is_signed;
} wholes[] = {{"u8", "b16", 8, false},   {"s8", "b16", 8, true},    {"u16", "b16", 16, false},
              {"s16", "b16", 16, true},  {"u32", "b32", 32, false}, {"s32", "b32", 32, true},
              {"u64", "b64", 64, false}, {"s64", "b64", 64, true}};
static const struct rounding {
    const char *name;
    int mode;
} rounds[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

/* d = cvt a, in each thread; registers are loaded and stored whole. */
static void convert(const char *name, const char *to, const char *from, struct numbers *numbers)
{
    char text[2000];
    snprintf(text, sizeof text,
             HEAD ".visible .entry k(.param .u64 p)\n{ .reg .%s %%x; .reg .%s %%y; .reg .b32 %%t; "
                  ".reg .b64 %%at;\nld.param.u64 %%at, [p]; mov.u32 %%t, %%tid.x; mad.wide.u32 "
                  "%%at, %%t, 8, %%at;\nld.global.%s %%x, [%%at]; %s %%y, %%x; "
                  "st.global.%s [%%at+%d], %%y; ret; }\n",
             from, to, from, name, to, 24 * CASES);
    run_numbers(text, numbers);
}

/* The number that a register holds, of which only the last bits count. */
static uint64_t of_bits(uint64_t value, const struct whole *whole)
{
    const int unused = 64 - whole->bits;
    return whole->is_signed ? (uint64_t)((int64_t)(value << unused) >> unused)
                            : value << unused >> unused;
}

static void whole_numbers_become_floats(void **state)
{
    static struct numbers numbers;
    (void)state;
    for (size_t w = 0; w < sizeof wholes / sizeof *wholes; w++)
        for (int r = 0; r < 4; r++)
            for (int bits = 32; bits <= 64; bits += 32) {
                uint64_t seed = w + 7, want[CASES];
                char name[60], type[8];
                memset(&numbers, 0, sizeof numbers);
                for (int i = 0; i < CASES; i++) /* of all sizes, of both signs */
                    numbers.a[i] =
                        i < 4 ? (uint64_t)(i - 2)
                              : (uint64_t)((int64_t)(number(&seed, 64) ^ seed << 1) >> i % 64);
                snprintf(type, sizeof type, "f%d", bits);
                snprintf(name, sizeof name, "cvt.%s.%s.%s", rounds[r].name, type, wholes[w].name);
                convert(name, type, wholes[w].reg, &numbers);
                fesetround(rounds[r].mode);
                for (int i = 0; i < CASES; i++) {
                    volatile uint64_t value = of_bits(numbers.a[i], &wholes[w]);
                    volatile int64_t with_sign = (int64_t)value;
                    volatile float small = wholes[w].is_signed ? (float)with_sign : (float)value;
                    volatile double large = wholes[w].is_signed ? (double)with_sign : (double)value;
                    const float f = value ? small : 0; /* clang makes -0 of 0, rounding down */
                    const double d = value ? large : 0;
                    want[i] = 0;
                    memcpy(&want[i], bits == 32 ? (const void *)&f : &d, (size_t)bits / 8);
                }
                fesetround(FE_TONEAREST);
                for (int i = 0; i < CASES; i++)
                    if (numbers.d[i] != want[i])
                        fail_msg("%s of 0x%llx is 0x%llx, not 0x%llx", name,
                                 (unsigned long long)numbers.a[i], (unsigned long long)want[i],
                                 (unsigned long long)numbers.d[i]);
            }
}

/* Those that are too large become the nearest one that there is; NaN is 0, or the highest bit where one of both has
 * 64 bits (so says the manual of PTX). */
static void floats_become_whole_numbers(void **state)
{
    static struct numbers numbers;
    (void)state;
    for (size_t w = 2; w < sizeof wholes / sizeof *wholes; w++)
        for (int r = 0; r < 4; r++)
            for (int bits = 32; bits <= 64; bits += 32) {
                const struct whole *whole = &wholes[w];
                uint64_t seed = w + 9;
                char name[60], type[8];
                memset(&numbers, 0, sizeof numbers);
                snprintf(type, sizeof type, "f%d", bits);
                snprintf(name, sizeof name, "cvt.%si.%s.%s", rounds[r].name, whole->name, type);
                for (int i = 0; i < CASES; i++) {
                    const double d = i % 3 == 0 ? ((double)i - 128) / 2
                                                : ldexp((i % 2 ? 1.37 : -1.83) + i, i % 70);
                    const float f = (float)d;
                    numbers.a[i] = number(&seed, bits);
                    if (i % 4)
                        memcpy(&numbers.a[i], bits == 32 ? (const void *)&f : &d, (size_t)bits / 8);
                }
                convert(name, whole->reg, type, &numbers);
                const int value_bits = whole->bits - whole->is_signed;
                const double beyond = ldexp(1, value_bits), least = whole->is_signed ? -beyond : 0;
                for (int i = 0; i < CASES; i++) {
                    double d;
                    float f;
                    memcpy(&d, &numbers.a[i], 8);
                    memcpy(&f, &numbers.a[i], 4);
                    fesetround(rounds[r].mode);
                    const double value = nearbyint(bits == 32 ? (double)f : d);
                    fesetround(FE_TONEAREST);
                    uint64_t want = UINT64_MAX >> (64 - value_bits);
                    if (isnan(value))
                        want =
                            bits == 32 && whole->bits < 64 ? 0 : UINT64_C(1) << (whole->bits - 1);
                    else if (value <= least)
                        want = whole->is_signed ? UINT64_C(1) << value_bits : 0;
                    else if (value < beyond)
                        want = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
                    want &= UINT64_MAX >> (64 - whole->bits);
                    if (numbers.d[i] != want)
                        fail_msg("%s of 0x%llx (%g) is 0x%llx, not 0x%llx", name,
                                 (unsigned long long)numbers.a[i], bits == 32 ? (double)f : d,
                                 (unsigned long long)want, (unsigned long long)numbers.d[i]);
                }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_rounds_as_it_says),
        cmocka_unit_test(extremes_and_signs),
        cmocka_unit_test(whole_numbers_become_floats),
        cmocka_unit_test(floats_become_whole_numbers),
    };
    return cmocka_run_group_tests_name("machine_floats", tests, NULL, NULL);
}
