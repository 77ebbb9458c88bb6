/* The language of lessons: values over two small recordings, and what is wrong with texts. */
#include "teach/teach.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Two recordings: five (w 12, stride 5, two rounds) and the latest, two (the puzzle's two-way). */
struct recordings {
    struct trace trace[2];
    struct recording item[2];
};

static void record(struct trace *trace, const char *name, const char *const *params)
{
    struct error error = {{0}};
    struct recipe recipe;
    struct run_result result;
    struct trace_sink sink = trace_memory_sink(trace);
    const struct kernel *kernel = catalogue_find(name, &error);
    assert_non_null(kernel);
    recipe_init(&recipe, kernel);
    for (; *params; params++)
        assert_true(recipe_read(&recipe, *params, &error));
    assert_true(recipe_run(&recipe, NULL, &sink, &result, &error));
    recipe_free(&recipe);
}

static int set_up(void **state)
{
    static const char *const five[] = {"w=12", "u=24", "s=5", "rounds=2", NULL};
    static const char *const two[] = {"variant=two-way", "w=8", "u=16", "n=21", NULL};
    struct recordings *recordings = calloc(1, sizeof *recordings);
    record(&recordings->trace[0], "stride", five);
    record(&recordings->trace[1], "puzzle", two);
    recordings->item[0] = (struct recording){.label = "five", .trace = &recordings->trace[0]};
    recordings->item[1] = (struct recording){.label = "two", .trace = &recordings->trace[1]};
    *state = recordings;
    return 0;
}

static int tear_down(void **state)
{
    struct recordings *recordings = *state;
    trace_free(&recordings->trace[0]);
    trace_free(&recordings->trace[1]);
    free(recordings);
    return 0;
}

static void values(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"42", 42},
        {" 1 + 2 * 3 ", 7},
        {"(1 + 2) * 3", 9},
        {"7 - 2 - 1", 4},
        {"- - 3 - -2", 5},
        {"7 / 2", 3},
        {"-7 / 2", -4},
        {"-7 % 3", 2},
        {"9223372036854775807 - 1", INT64_MAX - 1},
        {"2 < 3", 1},
        {"2 + 2 >= 5", 0},
        {"(3 == 3) + (3 != 3)", 1},
        {"(2 <= 2) + (2 > 2)", 1},
        {"gcd(12, 18)", 6},
        {"gcd(0, 5) + min(2, 3) * max(2, 3)", 11},
        /* parameters: the latest recording, and one by label */
        {"w", 8},
        {"five.w", 12},
        {"gcd(five.w, five.s)", 1},
        {"banks + five.banks", 20},
        {"threads", 16},
        {"blocks", 2},
        {"five . bank_bytes", 4},
        /* two-way over blocks of 16: the second block has 5 numbers, so 5 + 16 accesses */
        {"accesses(read)", 21},
        {"accesses()", 42},
        {"accesses + 1", 43},
        {"five.rounds", 2}, /* the parameter */
        {"accesses(op=store)", 21},
        {"warp_accesses(stage=write)", 3},
        {"passes(read)", 6},
        {"least(read)", 3},
        {"conflicts(read)", 3},
        {"conflicts(read, block=1)", 1},
        {"max_ways(read)", 2},
        {"words(read, block=0, warp=0)", 8},
        {"banks_used(read, block=0, warp=0)", 4},
        {"banks_used(read)", 8},
        {"degree(read, bank=0, block=0, warp=0)", 2},
        {"degree(read, bank=1, block=0, warp=0)", 0},
        {"lanes(bank=0, stage=read, block=0, warp=0)", 2},
        {"word(stage=read, block=0, thread=5)", 10},
        {"bank(stage=read, block=0, thread=5)", 2},
        /* arguments are expressions */
        {"five.passes(read, round=2 - 1, warp=gcd(1, 3))", 1},
        {"five.rounds(read)", 2},
        {"five.word(stage=read, round=1, thread=13)", 66},
        {"two.conflicts(read) > five.conflicts(read)", 1},
    };
    const struct recordings *recordings = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error error = {{0}};
        int64_t value = -1;
        if (!expression_value(cases[i].text, recordings->item, 2, &value, &error))
            fail_msg("%s: %s", cases[i].text, error.text);
        if (value != cases[i].value)
            fail_msg("%s is %" PRId64 ", not %" PRId64, cases[i].text, value, cases[i].value);
    }
}

static void refused(void **state)
{
    static const struct {
        const char *text, *said; /* what the message must hold */
    } cases[] = {
        {"", "the end came too soon"},
        {"1 +", "the end came too soon"},
        {"1 2", "expected an operator"},
        {"(1", "expected ')'"},
        {"1)", "expected an operator"},
        {"* 2", "expected a number or a name"},
        {"1 = 1", "expected an operator"},
        {"1 < 2 < 3", "expected an operator"},
        {"99999999999999999999", "too large"},
        {"9223372036854775807 + 1", "too large"},
        {"-9223372036854775807 - 2", "too large"},
        {"9223372036854775807 * 2", "too large"},
        {"1 / 0", "division by zero"},
        {"1 % 0", "division by zero"},
        {"1 / -1", "negative"},
        {"q", "no parameter or function 'q'"},
        {"conflict", "did you mean 'conflicts'"},
        {"degree", "needs bank=..."},
        {"variant", "'two-way', not a number"},
        {"pases(read)", "did you mean 'passes'"},
        {"passes(raed)", "did you mean 'read'"},
        {"passes(read, read)", "expected NAME=VALUE"},
        {"passes(rund=1)", "did you mean 'round'"},
        {"passes(round=)", "expected a number or a name"},
        {"passes(round=-1)", "cannot be -1"},
        {"passes(round=99)", "nothing was recorded"},
        {"passes(op=lod)", "did you mean 'load'"},
        {"passes(read", "expected ')'"},
        {"passes(3)", "expected NAME=VALUE or a stage"},
        {"degree(read)", "needs bank=..."},
        {"degree(read, bank=8)", "the last is 7"},
        {"bank(stage=read)", "needs thread=..."},
        {"bank(thread=0)", "name the stage"},
        {"word(stage=read, block=1, thread=9)", "nothing was recorded"},
        {"gcd(1)", "expected ','"},
        {"gcd(1, 2, 3)", "expected ')'"},
        {"sicks.w", "no recording 'sicks'"},
        {"fiv.w", "did you mean 'five'"},
        {"five.", "expected a name"},
        {"five.3", "expected a name"},
        {"\xff\xfe", "expected a number or a name"},
        {"w$", "expected an operator"},
    };
    const struct recordings *recordings = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error error = {{0}};
        int64_t value;
        if (expression_value(cases[i].text, recordings->item, 2, &value, &error))
            fail_msg("'%s' is taken, as %" PRId64, cases[i].text, value);
        if (!strstr(error.text, cases[i].said))
            fail_msg("'%s' says: %s", cases[i].text, error.text);
    }
}

/* A text of `count` copies of `piece`, then `last`. */
static char *repeated(const char *piece, size_t count, const char *last)
{
    size_t length = strlen(piece);
    char *text = malloc(length * count + strlen(last) + 1);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * length, piece, length);
    strcpy(text + length * count, last);
    return text;
}

static void deep_and_long(void **state)
{
    static const char *const pieces[] = {"(", "gcd(", "passes(round=", "x", "-(", "1<("};
    (void)state;
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        struct error error = {{0}};
        int64_t value;
        char *text = repeated(pieces[i], 1000000, "1");
        assert_false(expression_value(text, NULL, 0, &value, &error));
        assert_string_not_equal(error.text, "");
        free(text);
    }
    struct error error = {{0}};
    int64_t value;
    char *minuses = repeated("-", 1000000, "1"), *sums = repeated("1+", 1000000, "0");
    assert_true(expression_value(minuses, NULL, 0, &value, &error));
    assert_int_equal(value, 1);
    assert_true(expression_value(sums, NULL, 0, &value, &error));
    assert_int_equal(value, 1000000);
    free(minuses);
    free(sums);
}

static void without_recordings(void **state)
{
    struct error error = {{0}};
    int64_t value;
    (void)state;
    assert_true(expression_value("gcd(4, 6)", NULL, 0, &value, &error));
    assert_int_equal(value, 2);
    assert_false(expression_value("passes(read)", NULL, 0, &value, &error));
    assert_non_null(strstr(error.text, "needs a recording"));
    error.text[0] = '\0';
    assert_false(expression_value("w", NULL, 0, &value, &error));
    assert_non_null(strstr(error.text, "needs a recording"));
}

/* Random bytes out of the language's own characters: any outcome but a crash. */
static void garbage(void **state)
{
    static const char *const words[] = {
        "(",   ")",    "+",   "-",  "*", "/", "%",  "==",   "<",      ",",    ".",
        "=",   "five", "two", "w",  "s", "1", "12", "read", "passes", "bank", "round",
        "gcd", " ",    "\n",  "\t", "é", "{", "}",  "\"",   "op",     "load"};
    const struct recordings *recordings = *state;
    uint64_t random = 7;
    int taken = 0;
    for (int i = 0; i < 20000; i++) {
        char text[256] = "";
        int count = random_below(&random, 12) + 1;
        for (int k = 0; k < count; k++)
            strcat(text, words[random_below(&random, sizeof words / sizeof words[0])]);
        struct error error = {{0}};
        int64_t value;
        bool good = expression_value(text, recordings->item, 2, &value, &error);
        assert_true(good == !error.text[0]);
        taken += good;
    }
    assert_true(taken > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refused, set_up, tear_down),
        cmocka_unit_test(deep_and_long),
        cmocka_unit_test(without_recordings),
        cmocka_unit_test_setup_teardown(garbage, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("lesson_expression", tests, NULL, NULL);
}
