/* test_machine_fuzz.c - 2,000 wrong programs: random instructions of the table, and the PTX of tests/data/ptx
 * with mistakes in it. None crashes, hangs or takes more memory than allowed (tests/fuzz/hostile_ptx.h).
 *
 *     test_machine_fuzz [COUNT [SEED]]       more of them, or others
 */
#define _GNU_SOURCE
#include "machine/step.h"
#include "tests/fuzz/hostile_ptx.h"
#include "tests/fuzz/mistakes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

enum { SLOWEST = 20 /* seconds */, LARGEST = 12000 /* bytes of a file */ };
static unsigned long count = 2000, seed = 1;

static void say(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(char *text, const char *format, ...)
{
    const size_t at = strlen(text);
    va_list values;
    va_start(values, format);
    vsnprintf(text + at, ROOM - at, format, values);
    va_end(values);
}

/* ---- random instructions ----------------------------------------------------------------------- */

/* A word of `.a,.b`. */
static void say_choice(char *text, const char *words, size_t length, uint64_t *state)
{
    uint32_t choices = 1;
    for (size_t i = 0; i < length; i++)
        choices += words[i] == ',';
    for (uint32_t skip = draw(state, choices); skip; skip--)
        words = strchr(words, ',') + 1;
    say(text, "%.*s", (int)strcspn(words, ",}>"), words);
}

/* The words of a pattern: one of <...>, perhaps one of {...}. */
static void say_words(char *text, const char *pattern, uint64_t *state)
{
    while (*pattern) {
        const size_t length = strcspn(pattern, "{<");
        say(text, "%.*s", (int)length, pattern);
        pattern += length;
        if (!*pattern)
            return;
        const size_t inside = strcspn(pattern + 1, "}>");
        if (*pattern == '<' || !draw(state, 4))
            say_choice(text, pattern + 1, inside, state);
        pattern += inside + 2;
    }
}

static const char *const numbers[] = {
    "0",          "1", "-1", "31",         "32", "255", "2147483647",         "16", "64",
    "0x80000000", "4", "8",  "0f3F800000", "3",  "7",   "0d7FF8000000000000", NULL};
static void say_number(char *text, uint64_t *state)
{
    say(text, "%s", numbers[draw(state, sizeof numbers / sizeof *numbers - 1)]);
}

static void say_any(char *text, uint64_t *state, int depth)
{
    static const char *const bases[] = {"%rd1", "%rd2", "tile", "%r2", "%rd3", "p", "lot", "%rd4"};
    static const char *const named[] = {"%tid.x", "%laneid", "WARP_SZ",      "L1",
                                        "tile",   "_",       "%lanemask_lt", "L9"};
    switch (draw(state, depth ? 6 : 9)) {
    case 0:
    case 1:
        say(text, "%%r%u", draw(state, 9));
        return;
    case 2:
        say(text, "%%%s%u", draw(state, 2) ? "rd" : "f", draw(state, 9));
        return;
    case 3:
        say(text, "%%%s%u", draw(state, 2) ? "h" : "p", 1 + draw(state, 7));
        return;
    case 4:
        say_number(text, state);
        return;
    case 5:
        say(text, "%s", named[draw(state, sizeof named / sizeof *named)]);
        return;
    case 6:
        say(text, "{");
        for (uint32_t i = 1u << draw(state, 4); i; i--) {
            say_any(text, state, depth + 1);
            say(text, i > 1 ? ", " : "");
        }
        say(text, "}");
        return;
    default:
        say(text, "[%s+%u]", bases[draw(state, sizeof bases / sizeof *bases)],
            4 * draw(state, 20) + !draw(state, 9));
    }
}

/* An operand of a type of the table. */
static void say_operand(char *text, const char *type, size_t length, uint64_t *state)
{
    static const struct {
        const char *type, *prefix;
    } registers[] = {{"p", "p"},    {"u16", "h"},  {"s16", "h"},  {"b16", "h"},
                     {"f16", "h"},  {"bf16", "h"}, {"u64", "rd"}, {"s64", "rd"},
                     {"b64", "rd"}, {"f64", "fd"}, {"f32", "f"}};
    const char *prefix = "r";
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (strlen(registers[i].type) == length && !memcmp(registers[i].type, type, length))
            prefix = registers[i].prefix;
    say(text, "%%%s%u", prefix, 1 + draw(state, 7));
}

static void say_operands(char *text, const struct operation *row, uint64_t *state)
{
    if (!row->operands) {
        for (uint32_t i = draw(state, 5); i; i--) {
            say_any(text, state, 0);
            say(text, i > 1 ? ", " : "");
        }
        return;
    }
    bool first = true;
    for (const char *item = row->operands; *item;) {
        const bool optional = *item == '?', second = *item == '|';
        item += optional || second;
        const size_t length = strcspn(item, " ");
        if ((!optional && !second) || draw(state, 2)) {
            say(text, first ? "" : second ? "|" : ", ");
            if (item[0] != 'd' && item[0] != 'f' && item[2] != 'p' &&
                (item[2] == 'i' || !draw(state, 3)))
                say_number(text, state);
            else
                say_operand(text, item + 2, length - 2, state);
            first = false;
        }
        item += length;
        item += *item == ' ';
    }
}

static void random_program(char *text, uint64_t *state)
{
    const struct operations *operations = operations_for(32);
    *text = '\0';
    say(text,
        ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 more[];\n"
        ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %%r<3>; ld.param.b32 %%r1, [a]; "
        "st.param.b32 [r], %%r1; ret; }\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .pred %%p<9>; .reg .b16 %%h<9>; "
        ".reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>; .reg .f64 %%fd<9>;\n"
        ".shared .align 16 .b8 tile[512]; .local .align 8 .b8 lot[64];\n"
        "ld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%tid.x; mad.wide.u32 %%rd2, %%r1, 4, %%rd1;\n"
        "mov.u32 %%r2, tile; cvt.u64.u32 %%rd3, %%r2; cvta.shared.u64 %%rd3, %%rd3; "
        "cvta.local.u64 %%rd4, lot;\n");
    for (uint32_t i = 1 + draw(state, 14); i; i--) {
        const struct operation *row = &operations->row[draw(state, (uint32_t)operations->rows)];
        if (*row->pattern == '#')
            continue;
        if (!draw(state, 6))
            say(text, "@%s%%p%u ", draw(state, 2) ? "!" : "", 1 + draw(state, 7));
        say_words(text, row->pattern, state);
        say(text, " ");
        say_operands(text, row, state);
        say(text, ";\n");
        if (!draw(state, 8))
            say(text, "L%u:\n", draw(state, 4) ? i + 20 : 1);
    }
    say(text, "L1: ret; }\n");
}

/* ---- all of them ------------------------------------------------------------------------------- */

static void wrong_programs_are_refused_or_run(void **state)
{
    static char text[ROOM];
    static struct files files = {.between = " \t,;.[]{}()\n", .numbers = numbers};
    uint64_t random = seed;
    int ran = 0, good = 0, faults = 0;
    (void)state;
    read_files(&files, "tests/data/ptx/*.ptx", LARGEST);
    assert_true(files.count > 10);
    for (unsigned long i = 0; i < count; i++) {
        struct hostile_result result;
        const uint64_t before = random;
        size_t length;
        if (draw(&random, 2)) {
            random_program(text, &random);
            length = strlen(text);
        } else {
            length = mistaken_file(&files, text, &random);
        }
        /* exactly its bytes, so that a read behind them is found */
        char *copy = malloc(length ? length : 1);
        assert_non_null(copy);
        memcpy(copy, text, length);
        alarm(SLOWEST);
        hostile_ptx(copy, length, draw(&random, 6) ? 32 : 1 + (int)draw(&random, 64), &result);
        alarm(0);
        free(copy);
        ran += result.kernels;
        good += result.good;
        faults += result.faults;
        if (result.broken)
            fail_msg("program %lu (state %llu): %s: %s\n%s", i, (unsigned long long)before,
                     result.broken, result.error.text, text);
    }
    printf("# %lu programs: %d kernels, %d ran to their end, %d faults\n", count, ran, good,
           faults);
    assert_true(good > (int)count / 20 && faults > (int)count / 20);
    free_files(&files);
}

static void a_text_may_end_anywhere(void **unused)
{
    static const char whole[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 "
        "p)\n{\n.shared "
        ".align 4 .b8 s[64];\n.reg .pred %p<2>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n"
        "@%p1 bra $L;\n$L: ret;\n}\n.visible .entry j()\n{\n.reg\n}";
    struct hostile_result result;
    (void)unused;
    for (size_t length = 0; length < sizeof whole; length++) {
        char *text = malloc(length + 1); /* exactly its bytes */
        assert_non_null(text);
        memcpy(text, whole, length);
        text[length] = '\0';
        hostile_ptx(text, length, 32, &result);
        if (result.broken)
            fail_msg("%s\n%s", result.broken, text);
        free(text);
    }
    assert_non_null(strstr(result.error.text, "a register's type is expected"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_programs_are_refused_or_run),
                                       cmocka_unit_test(a_text_may_end_anywhere)};
    if (argc > 1)
        count = strtoul(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoul(argv[2], NULL, 10);
    return cmocka_run_group_tests_name("machine_fuzz", tests, NULL, NULL);
}
