/* What --input makes, and what passes for a sorted result. */
#include "kernels/catalogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 1000 };

/* number[COUNT] of an input. */
static void make(const char *input, int *number)
{
    struct recipe recipe;
    struct error error = {{0}};
    char text[64];
    snprintf(text, sizeof text, "odd-even-sort n=64 --input %s", input);
    assert_true(recipe_parse(&recipe, text, &error));
    assert_true(input_numbers(&recipe.input, number, COUNT, &error));
    recipe_free(&recipe);
}

static void test_distinct_is_a_permutation(void **unused)
{
    int number[COUNT], in_place = 0;
    bool seen[COUNT] = {false};
    (void)unused;
    make("distinct", number);
    for (int i = 0; i < COUNT; i++) {
        assert_in_range(number[i], 0, COUNT - 1);
        assert_false(seen[number[i]]);
        seen[number[i]] = true;
        in_place += number[i] == i;
    }
    assert_in_range(in_place, 0, 10); /* one, on average */
}

static void test_duplicates_are_as_many_as_said(void **unused)
{
    static const int kinds[] = {1, 2, 7};
    int number[COUNT];
    (void)unused;
    for (int k = 0; k < 3; k++) {
        char input[32];
        int times[7] = {0};
        snprintf(input, sizeof input, "duplicates=%d", kinds[k]);
        make(input, number);
        for (int i = 0; i < COUNT; i++) {
            assert_in_range(number[i], 0, kinds[k] - 1);
            times[number[i]]++;
        }
        for (int i = 0; i < kinds[k]; i++)
            assert_in_range(times[i], COUNT / kinds[k] * 2 / 3, COUNT);
    }
}

static void test_wrong_values_of_inputs_are_refused(void **unused)
{
    static const char *const wrong[][2] = {
        {"duplicates=0", "how many different numbers there are, from 1"},
        {"duplicates=-3", "from 1"},
        {"duplicates=", "from 1"},
        {"duplicates=1 2", "from 1"},
        {"duplicates=x", "not a whole number"},
        {"distinct=3", "takes no value"},
        {"family=101", "from 0 to 100"},
        {"family=-1", "from 0 to 100"},
        {"theorem-3=inside-out", "front-to-back, back-to-front, outside-in"},
        {"theorem-3=1", "front-to-back"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct recipe recipe;
        struct error error = {{0}};
        char text[64];
        snprintf(text, sizeof text, "thrust-merge --input '%s'", wrong[i][0]);
        assert_false(recipe_parse(&recipe, text, &error));
        assert_non_null(strstr(error.text, "--input "));
        assert_non_null(strstr(error.text, wrong[i][1]));
        recipe_free(&recipe);
    }
}

static void test_a_recipe_keeps_the_number(void **unused)
{
    struct recipe recipe;
    struct error error = {{0}};
    (void)unused;
    static const char *const same[] = {"bcf-sort --input duplicates=5",
                                       "thrust-merge --input theorem-3=outside-in"};
    for (int i = 0; i < 2; i++) {
        assert_true(recipe_parse(&recipe, same[i], &error));
        char *text = recipe_text(&recipe);
        assert_string_equal(text, same[i]);
        free(text);
        recipe_free(&recipe);
    }
}

static void test_a_sorted_result_has_the_same_numbers(void **unused)
{
    static const int in[] = {3, 1, 2, 2, -5, 7, 7, -5}, good[] = {1, 2, 2, 3, -5, -5, 7, 7};
    static const struct {
        int out[8];
        const char *where;
    } wrong[] = {
        {{1, 2, 3, 3, -5, -5, 7, 7}, "word 2 of 4 is 3, not 2"}, /* ascending, another number */
        {{1, 2, 2, 3, -5, -5, -5, 7}, "word 2 of 4 is -5, not 7"},
        {{1, 2, 2, 3, -5, 7, -5, 7}, "word 1 of 4 is 7, not -5"}, /* the same, not ascending */
    };
    struct error error = {{0}};
    (void)unused;
    assert_true(check_sorted(4, 2, in, good, &error));
    for (int i = 0; i < 3; i++) {
        error = (struct error){{0}};
        assert_false(check_sorted(4, 2, in, wrong[i].out, &error));
        assert_non_null(strstr(error.text, wrong[i].where));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distinct_is_a_permutation),
        cmocka_unit_test(test_duplicates_are_as_many_as_said),
        cmocka_unit_test(test_wrong_values_of_inputs_are_refused),
        cmocka_unit_test(test_a_recipe_keeps_the_number),
        cmocka_unit_test(test_a_sorted_result_has_the_same_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
