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

static void try_one(const char *rule, const char *type, bool policy)
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
             ".reg .b64 %%policy; createpolicy.fractional.L2::evict_last.b64 %%policy, 1.0;\n"
             "atom.global.%s%s.%s %%x4, [%%at], %%x2%s%s;\nst.global.b%d [%%at+%d], %%x4; ret; }\n",
             bits, bits, 8 * CASES, bits, 16 * CASES, rule, policy ? ".L2::cache_hint" : "", type,
             compares ? ", %x3" : "", policy ? ", %policy" : "", bits, 24 * CASES);
    uint64_t seed = 5;
    memset(&numbers, 0, sizeof numbers);
    for (int i = 0; i < CASES; i++) {
        numbers.a[i] = random_number(&seed);
        numbers.b[i] = i % 2 ? numbers.a[i] : random_number(&seed);
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
            for (int policy = 0; policy < 2; policy++)
                try_one(rows[i][0], rows[i][k], policy);
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

/* The bits of a small whole number, as f32, f16 or bf16. */
static uint32_t small_number(const char *type, int number)
{
    const float value = (float)number;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (type[0] == 'b')
        return bits >> 16;
    if (type[1] == '3')
        return bits;
    return number ? ((bits >> 23 & 255) - 112) << 10 | (bits >> 13 & 1023) : 0;
}

static int fill(void *to, const char *type, int count, const int *number)
{
    const int bytes = !strcmp(type, "f32") ? 4 : 2;
    for (int i = 0; i < count; i++) {
        const uint32_t bits = small_number(type, number[i]);
        memcpy((char *)to + i * bytes, &bits, (size_t)bytes);
    }
    return bytes;
}

/* 16 bytes of each thread: numbers at a, with those at b; what was there goes to d. */
static void try_vector(const char *rule, const char *type, int elements, bool result)
{
    static _Alignas(16) struct numbers numbers, before;
    const bool pairs = strstr(type, "x2"), wide = pairs || type[1] == '3';
    const int count = elements * (pairs ? 2 : 1);
    char text[4000], list[2][100] = {"", ""}, moves[2][1500] = {"", ""};
    for (int i = 0; i < elements; i++) {
        const int at = i * (wide ? 4 : 2);
        for (int k = 0; k < 2; k++)
            sprintf(list[k] + strlen(list[k]), "%s%%%c%d", i ? ", " : "", "xy"[k], i);
        sprintf(moves[0] + strlen(moves[0]), "ld.global.b%d %%x%d, [%%at+%d];\n", wide ? 32 : 16, i,
                8 * CASES + at);
        sprintf(moves[1] + strlen(moves[1]), "st.global.b%d [%%at+%d], %%y%d;\n", wide ? 32 : 16,
                24 * CASES + at, i);
    }
    snprintf(text, sizeof text,
             HEAD ".visible .entry k(.param .u64 p)\n{ .reg .b%d %%x<9>, %%y<9>; .reg .b32 %%t;\n"
                  ".reg .b64 %%at, %%policy; .reg .pred %%p; ld.param.u64 %%at, [p]; mov.u32 %%t, "
                  "%%tid.x;\nsetp.ge.u32 %%p, %%t, 128; @%%p ret; mad.wide.u32 %%at, %%t, 16, "
                  "%%at;\ncreatepolicy.fractional.L2::evict_last.b64 %%policy, 1.0;\n%s"
                  "%s%s.%s%s%s.v%d.%s %s%s%s[%%at], {%s}%s;\n%s ret; }\n",
             wide ? 32 : 16, moves[0], result ? "atom" : "red", elements == 2 ? "" : ".global",
             rule, type[1] == '3' ? "" : ".noftz", elements == 4 ? ".L2::cache_hint" : "", elements,
             type, result ? "{" : "", result ? list[1] : "", result ? "}, " : "", list[0],
             elements == 4 ? ", %policy" : "", result ? moves[1] : "");
    memset(&numbers, 0, sizeof numbers);
    memset(&before, 0, sizeof before);
    for (int t = 0; t < CASES / 2; t++) {
        int a[8], b[8], after[8];
        for (int i = 0; i < count; i++) {
            a[i] = (7 * t + 3 * i) % 50, b[i] = (5 * t + 11 * i) % 60;
            after[i] = *rule == 'a' ? a[i] + b[i] : (rule[1] == 'i') == (a[i] < b[i]) ? a[i] : b[i];
        }
        fill(&numbers.a[2 * t], type, count, a), fill(&numbers.b[2 * t], type, count, b);
        fill(&before.a[2 * t], type, count, after), fill(&before.b[2 * t], type, count, b);
        if (result)
            fill(&before.d[2 * t], type, count, a);
    }
    run_numbers(text, &numbers);
    if (memcmp(&numbers, &before, sizeof numbers))
        fail_msg("%s.%s.v%d.%s", result ? "atom" : "red", rule, elements, type);
}

static void an_element_after_the_other(void **state)
{
    static const char *const types[] = {"f16", "bf16", "f16x2", "bf16x2", "f32"};
    static const char *const rules[] = {"add", "min", "max"};
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int rule = 0; rule < (i < 4 ? 3 : 1); rule++)
            for (int elements = 2; elements <= (i < 2 ? 8 : 4); elements *= 2)
                for (int result = 0; result < 2; result++)
                    try_vector(rules[rule], types[i], elements, result);
}

/* 2^-127 and the smallest number that is none, and their sums: words of global memory have none of them. As an H200 has it. */
static void sums_of_floats_are_flushed_in_global_memory(void **state)
{
    static const char *const ways[] = {"global.add.f32 %f2, [%a], %f1;", "add.f32 %f2, [%a], %f1;",
                                       "global.add.v2.f32 {%f2, _}, [%a], {%f1, %f1};",
                                       "shared.add.f32 %f2, [%s], %f1;", "add.f32 %f2, [%g], %f1;"};
    static const uint32_t numbers[][4] = {
        /* what is there, what is added, the sum of shared memory, that of global memory */
        {0x00400000, 0x00400000, 0x00800000, 0},
        {0x80400000, 0x00000000, 0x80400000, 0},
        {0x80400000, 0x80000000, 0x80400000, 0x80000000},
        {0x00c00000, 0x80800000, 0x00400000, 0},
        {0x00800000, 0x00400000, 0x00c00000, 0x00800000},
        {0x00800000, 0x00800000, 0x01000000, 0x01000000},
        {0x80400000, 0x80400000, 0x80800000, 0x80000000},
        {0x80c00000, 0x00800000, 0x80400000, 0x80000000},
        {0x3f800000, 0x00400000, 0x3f800000, 0x3f800000},
    };
    (void)state;
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            struct ran ran;
            char text[2000];
            const uint32_t *number = numbers[i];
            snprintf(text, sizeof text,
                     "%s .reg .b32 %%s; .reg .b64 %%g; .shared .align 8 .f32 tile[2];\n"
                     "mov.u32 %%s, tile; cvt.u64.u32 %%g, %%s; cvta.shared.u64 %%g, %%g;\n"
                     "st.global.v2.b32 [%%a], {%u, 0}; st.shared.v2.b32 [%%s], {%u, 0};\n"
                     "mov.b32 %%f1, %u; atom.%s\nld.%s.u32 %%r1, [%s];\n"
                     "st.global.u32 [%%p0+8], %%r1; st.global.f32 [%%p0+12], %%f2; ret; }\n",
                     KERNEL, number[0], number[0], number[1], ways[way],
                     way < 3 ? "global" : "shared", way < 3 ? "%a" : "%s");
            run_block(text, 1, &ran);
            if (ran.word[2] != number[way < 3 ? 3 : 2] || ran.word[3] != number[0])
                fail_msg("atom.%s of %x and %x: %x, %x", ways[way], number[0], number[1],
                         ran.word[2], ran.word[3]);
        }
}

/* As registers of other devices are; and what is only ordered. */
static void words_are_stored_at_once(void **state)
{
    struct ran ran;
    (void)state;
    run_block(KERNEL "mul.lo.u32 %r1, %t, 3; st.mmio.relaxed.sys.global.u32 [%a], %r1;\n"
                     "membar.proxy.alias; prefetch.const.tensormap [%a]; "
                     "prefetch.param.tensormap [%a]; prefetch.tensormap [%a];\n"
                     "ld.mmio.relaxed.sys.global.u32 %r2, [%a]; add.u32 %r2, %r2, 1;\n"
                     "st.mmio.relaxed.sys.global.u32 [%a], %r2; ret; }\n",
              32, &ran);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(ran.word[t], 3 * t + 1);
}

static void what_no_gpu_has_is_refused(void **state)
{
    static const char *const wrong[] = {
        "atom.global.add.v2.f32 {%f1, %f2, %f3}, [%a], {%f1, %f2};",
        "atom.global.add.v2.f32 {%f1, %f2}, [%a], {%f1, %f2, %f3, %f4};",
        "red.global.add.v2.f32 [%a], %f1;",
        "red.global.add.v8.f32 [%a], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};",
        "red.global.add.v2.f32 [%a], {%f1, %f2}, %rd1;",
        "red.global.add.L2::cache_hint.v2.f32 [%a], {%f1, %f2};",
        "red.global.min.v2.f32 [%a], {%f1, %f2};",
        "red.global.add.u32 [%a], %r1, %rd1;",
        "red.global.add.L2::cache_hint.u32 [%a], %r1;",
        "red.global.add.L2::cache_hint.u32 [%a], %r1, nosuch;",
        "atom.global.min.f32 %f1, [%a], %f2;",
        "atom.global.min.f16x2 %r1, [%a], %r2;",
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1000];
        struct ran ran = {.error = {""}};
        const struct machine_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
        snprintf(text, sizeof text, "%s%s ret; }\n", KERNEL, wrong[i]);
        run_launch(text, launch, &ran);
        if (ran.outcome.good || !*ran.error.text)
            fail_msg("%s", wrong[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_has_what_the_manual_says),
        cmocka_unit_test(numbers_of_16_bytes_are_swapped_whole),
        cmocka_unit_test(swaps_of_16_bytes_are_one_operation),
        cmocka_unit_test(pairs_are_added_by_halves),
        cmocka_unit_test(an_element_after_the_other),
        cmocka_unit_test(sums_of_floats_are_flushed_in_global_memory),
        cmocka_unit_test(words_are_stored_at_once),
        cmocka_unit_test(what_no_gpu_has_is_refused),
    };
    return cmocka_run_group_tests_name("machine_atomics", tests, NULL, NULL);
}
