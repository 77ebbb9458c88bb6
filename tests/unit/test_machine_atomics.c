/* test_machine_atomics.c - atomic operations, decoded and executed over edge cases and random numbers: what they
 * leave in memory, and what they say was there. */
#include "machine/atomic.h"
#include "tests/support/run_numbers.h"

#include <pthread.h>
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

/* Two words of 64 bits a number: as they are, with one word or both compared as they are there, and with none. */
static void numbers_of_16_bytes_are_swapped_whole(void **state)
{
    static _Alignas(16) struct numbers numbers, before;
    static const char *const spaces[] = {"global", "shared", "shared", ""};
    (void)state;
    for (int way = 0; way < 8; way++) {
        const bool compares = way & 1, shared = way / 2 == 1 || way / 2 == 2, sink = way / 2 == 2;
        char text[3000];
        snprintf(
            text, sizeof text,
            HEAD
            ".visible .entry k(.param .u64 p)\n{ .reg .b64 %%x<9>; .reg .b128 %%q<9>; .reg .b32 "
            "%%t, %%s; .reg .pred %%p<3>;\n.reg .b64 %%at; .shared .align 16 .b8 tile[2048];\n"
            "ld.param.u64 %%at, [p]; mov.u32 %%t, %%tid.x; setp.ge.u32 %%p1, %%t, 128; @%%p1 "
            "ret;\nmad.wide.u32 %%at, %%t, 16, %%at; mov.u32 %%s, tile; mad.lo.u32 %%s, %%t, 16, "
            "%%s;\nsetp.ne.u32 %%p2, %%t, 100;\n"
            "ld.global.v2.b64 {%%x1, %%x2}, [%%at]; st.shared.v2.b64 [%%s], {%%x1, %%x2};\n"
            "ld.global.v2.b64 {%%x3, %%x4}, [%%at+%d]; mov.b128 %%q1, {%%x3, %%x4};\n"
            "ld.global.v2.b64 {%%x5, %%x6}, [%%at+%d]; mov.b128 %%q2, {%%x5, %%x6};\n"
            "mov.b128 %%q3, {%%x1, %%x1};\n"
            "@%%p2 atom%s%s.%s.b128 %s, [%s], %%q1%s; mov.b128 {%%x7, %%x8}, %%q3;\n"
            "st.global.v2.b64 [%%at+%d], {%%x7, %%x8};\n%s ret; }\n",
            8 * CASES, 16 * CASES, *spaces[way / 2] ? "." : "", spaces[way / 2],
            compares ? "cas" : "exch", sink ? "_" : "%q3", shared ? "%s" : "%at",
            compares ? ", %q2" : "", 24 * CASES,
            shared ? "ld.shared.v2.b64 {%x1, %x2}, [%s]; st.global.v2.b64 [%at], {%x1, %x2};" : "");
        uint64_t seed = 7;
        for (int i = 0; i < CASES; i++) {
            numbers.a[i] = random_number(&seed);
            numbers.b[i] = i / 2 >> i % 2 & 1 ? numbers.a[i] : random_number(&seed);
            numbers.c[i] = random_number(&seed);
            numbers.d[i] = 0;
        }
        before = numbers;
        run_numbers(text, &numbers);
        for (int i = 0; i < CASES; i += 2) {
            const uint64_t *a = before.a + i, *b = before.b + i, *c = before.c + i;
            const bool done = i != 200, same = a[0] == b[0] && a[1] == b[1];
            const uint64_t *want = !done ? a : !compares ? b : same ? c : a;
            const uint64_t old[] = {a[0], done && !sink ? a[1] : a[0]};
            if (memcmp(numbers.a + i, want, 16) || memcmp(numbers.d + i, old, 16))
                fail_msg("way %d of number %d", way, i);
        }
    }
}

static void *add_to_wide(void *at)
{
    for (int i = 0; i < 20000; i++) {
        atomic_wide was = 0, old;
        while ((old = atomic_apply_wide(true, at, was, was + ((atomic_wide)3 << 64 | 1))) != was)
            was = old;
    }
    return NULL;
}
/* By several threads of the host, and where its memory is not aligned. */
static void swaps_of_16_bytes_are_one_operation(void **state)
{
    (void)state;
    for (int offset = 0; offset < 16; offset += 8) {
        static _Alignas(16) uint8_t memory[32];
        pthread_t thread[3];
        uint64_t word[2];
        memset(memory, 0, sizeof memory);
        for (int i = 0; i < 3; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, add_to_wide, memory + offset), 0);
        for (int i = 0; i < 3; i++)
            pthread_join(thread[i], NULL);
        memcpy(word, memory + offset, sizeof word);
        assert_int_equal(word[0], 60000);
        assert_int_equal(word[1], 180000);
        assert_true(atomic_apply_wide(false, memory + offset, 5, 0) ==
                    ((atomic_wide)180000 << 64 | 60000));
        memcpy(word, memory + offset, sizeof word);
        assert_int_equal(word[0], 5);
        assert_int_equal(word[1], 0);
    }
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
        cmocka_unit_test(numbers_of_16_bytes_are_swapped_whole),
        cmocka_unit_test(swaps_of_16_bytes_are_one_operation),
        cmocka_unit_test(pairs_are_added_by_halves),
    };
    return cmocka_run_group_tests_name("machine_atomics", tests, NULL, NULL);
}
