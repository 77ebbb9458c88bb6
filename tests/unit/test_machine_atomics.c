/* test_machine_atomics.c - atomic operations, decoded and executed over edge cases and random numbers: what they
 * leave in memory, and what they say was there. */
#include "tests/support/run_numbers.h"

#include <stdio.h>

static uint64_t random_number(uint64_t *seed)
{
    static const uint64_t edges[] = {0,          1,          2,          9,           10,
                                     0x7fffffff, 0x80000000, 0xffffffff, ~UINT64_C(0)};
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint64_t random = *seed ^ *seed >> 31;
    return random % 2 ? edges[(random >> 8) % (sizeof edges / sizeof *edges)]
                      : random >> random % 60;
}

/* What is in memory afterwards. Values are those of the type, as it is wide. */
static int64_t after(const char *rule, int64_t old, int64_t b, int64_t c, bool is_signed)
{
    const bool below = is_signed ? old < b : (uint64_t)old < (uint64_t)b;
    const char first = *rule, second = rule[1];
    switch (first << 8 | second) {
    case 'a' << 8 | 'd': /* add */
        return (int64_t)((uint64_t)old + (uint64_t)b);
    case 'm' << 8 | 'i':
        return below ? old : b;
    case 'm' << 8 | 'a':
        return below ? b : old;
    case 'a' << 8 | 'n':
        return old & b;
    case 'o' << 8 | 'r':
        return old | b;
    case 'x' << 8 | 'o':
        return old ^ b;
    case 'e' << 8 | 'x':
        return b;
    case 'c' << 8 | 'a':
        return old == b ? c : old;
    case 'i' << 8 | 'n': /* up to b, then 0 */
        return below ? old + 1 : 0;
    default: /* down to 0, then b; from above b, too */
        return old && (uint64_t)old <= (uint64_t)b ? old - 1 : b;
    }
}

static int64_t of_type(uint64_t value, int bits, bool is_signed)
{
    return bits == 64  ? (int64_t)value
           : is_signed ? (int32_t)(uint32_t)value
                       : (int64_t)(uint32_t)value;
}

static void try_one(const char *rule, const char *type, bool same)
{
    static struct numbers numbers, before;
    const int bits = atoi(type + 1);
    const bool is_signed = *type == 's', compares = *rule == 'c';
    char text[1500];
    snprintf(text, sizeof text,
             HEAD
             ".visible .entry k(.param .u64 p)\n{ .reg .b%d %%x<9>; .reg .b32 %%t; .reg .b64 "
             "%%at;\nld.param.u64 %%at, [p]; mov.u32 %%t, %%tid.x; mad.wide.u32 %%at, %%t, 8, "
             "%%at;\nld.global.b%d %%x2, [%%at+%d]; ld.global.b%d %%x3, [%%at+%d];\n"
             "atom.global.%s.%s %%x4, [%%at], %%x2%s;\nst.global.b%d [%%at+%d], %%x4; ret; }\n",
             bits, bits, 8 * CASES, bits, 16 * CASES, rule, type, compares ? ", %x3" : "", bits,
             24 * CASES);
    uint64_t seed = 5;
    memset(&numbers, 0, sizeof numbers);
    for (int i = 0; i < CASES; i++) {
        numbers.a[i] = random_number(&seed);
        numbers.b[i] = same && i % 2 ? numbers.a[i] : random_number(&seed);
        numbers.c[i] = random_number(&seed);
    }
    before = numbers;
    run_numbers(text, &numbers);
    for (int i = 0; i < CASES; i++) {
        const int64_t old = of_type(before.a[i], bits, is_signed);
        const int64_t want = after(rule, old, of_type(before.b[i], bits, is_signed),
                                   of_type(before.c[i], bits, is_signed), is_signed);
        if (of_type(numbers.a[i], bits, is_signed) != of_type((uint64_t)want, bits, is_signed) ||
            of_type(numbers.d[i], bits, is_signed) != old)
            fail_msg("atom.%s.%s of 0x%llx and 0x%llx", rule, type, (unsigned long long)before.a[i],
                     (unsigned long long)before.b[i]);
    }
}

static void memory_has_what_the_manual_says(void **state)
{
    static const char *const rows[][7] = {
        {"add", "u32", "s32", "u64"},
        {"min", "u32", "s32", "u64", "s64"},
        {"max", "u32", "s32", "u64", "s64"},
        {"and", "b32", "b64"},
        {"or", "b32", "b64"},
        {"xor", "b32", "b64"},
        {"exch", "b32", "b64"},
        {"cas", "b32", "b64"},
        {"inc", "u32"},
        {"dec", "u32"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 1; k < 7 && rows[i][k]; k++)
            try_one(rows[i][0], rows[i][k], true);
}

/* 1 + 2 and 0.5 + 4, as halves; the same as bf16. */
static void pairs_are_added_by_halves(void **state)
{
    (void)state;
    struct ran ran;
    run_block(KERNEL "mov.b32 %r1, 0x38003c00; st.global.u32 [%p0], %r1; "
                     "mov.b32 %r2, 0x44004000;\n"
                     "red.global.add.noftz.f16x2 [%p0], %r2;\n"
                     "mov.b32 %r1, 0x3f003f80; st.global.u32 [%p0+4], %r1; "
                     "mov.b32 %r2, 0x40804000;\n"
                     "red.global.add.noftz.bf16x2 [%p0+4], %r2; ret; }\n",
              1, &ran);
    assert_int_equal(ran.word[0], 0x44804200);
    assert_int_equal(ran.word[1], 0x40904040);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_has_what_the_manual_says),
        cmocka_unit_test(pairs_are_added_by_halves),
    };
    return cmocka_run_group_tests_name("machine_atomics", tests, NULL, NULL);
}
