/* test_recipe.c - recipes: read from text, printed as text, refused with one line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/catalogue.h"

/* Reads the text, which must be good, and prints it again. The caller frees it. */
static char *reprinted(const char *text)
{
    struct error error = {{0}};
    struct recipe recipe;
    if (!recipe_parse(&recipe, text, &error))
        fail_msg("%s: %s", text, error.text);
    char *printed = recipe_text(&recipe);
    recipe_free(&recipe);
    return printed;
}

static void what_is_said_is_printed_and_nothing_else(void **unused)
{
    static const char *const texts[][2] = {
        {"stride", "stride"},
        {"stride w=12 s=6", "stride w=12 s=6"},
        {"  -p s=6 \t stride\n-p w=12 ", "stride w=12 s=6"},
        {"stride s=5 w=32 --seed=1 s=7 --input random", "stride s=7"},
        {"--seed 7 stride --input=sorted", "stride --input sorted --seed 7"},
        {"puzzle variant='two-way'", "puzzle variant=two-way"},
        {"cf-merge w=2 u=2 E=5 --input splits=5,0", "cf-merge w=2 u=2 E=5 --input splits=5,0"},
        {"cf-merge --input splits=1 --input worst", "cf-merge --input worst"},
        {"stride --seed 9007199254740991", "stride --seed 9007199254740991"}};
    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *printed = reprinted(texts[i][0]);
        assert_string_equal(printed, texts[i][1]);
        free(printed);
    }
}

/* A path with blanks and both quotes comes back as it was. */
static void paths_keep_blanks_and_quotes(void **unused)
{
    struct error error = {{0}};
    struct recipe recipe, again;
    char folder[] = "/tmp/bankscope-test-XXXXXX", path[64], text[128];
    (void)unused;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a 'b' \"c\".txt", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("3 1\n2", file);
    fclose(file);
    snprintf(text, sizeof text, "cf-sort --input \"file=%s/a 'b' \"'\"c\".txt'", folder);
    if (!recipe_parse(&recipe, text, &error))
        fail_msg("%s", error.text);
    assert_string_equal(recipe.argument, path);
    char *printed = recipe_text(&recipe);
    if (!recipe_parse(&again, printed, &error))
        fail_msg("%s: %s", printed, error.text);
    assert_string_equal(again.argument, path);
    assert_int_equal(again.input.count, 3);
    assert_int_equal(again.input.number[2], 2);
    free(printed);
    recipe_free(&recipe);
    recipe_free(&again);
    unlink(path);
    rmdir(folder);
}

/* " w=12" or " variant=padded"; of 64 bytes at most. */
static void print_param(char *text, const struct kernel_param *param, int value)
{
    if (param->words)
        snprintf(text, 64, " %s=%s", param->name, param->words[value]);
    else
        snprintf(text, 64, " %s=%d", param->name, value);
}

/* Random values of every parameter of every kernel, printed and read again. */
static void every_kernel_survives_the_round_trip(void **unused)
{
    uint64_t state = 5;
    struct error error = {{0}};
    (void)unused;
    for (int k = 0; catalogue[k]; k++)
        for (int round = 0; round < 50; round++) {
            const struct kernel *kernel = catalogue[k];
            struct recipe recipe, again;
            char text[512];
            snprintf(text, sizeof text, "%s --seed %d", kernel->name, random_below(&state, 3));
            for (const struct kernel_param *param = kernel->params; param->name; param++)
                print_param(text + strlen(text), param,
                            param->lowest +
                                random_below(&state, param->highest - param->lowest + 1));
            assert_true(recipe_parse(&recipe, text, &error));
            char *printed = recipe_text(&recipe);
            assert_true(recipe_parse(&again, printed, &error));
            assert_true(strlen(printed) <= strlen(text));
            assert_int_equal(recipe.input.seed, again.input.seed);
            for (const struct kernel_param *param = kernel->params; param->name; param++) {
                char assignment[64];
                int value = recipe_value(&recipe, param->name, -77);
                assert_int_equal(value, recipe_value(&again, param->name, -78));
                print_param(assignment, param, value);
                assert_non_null(strstr(text, assignment));
            }
            free(printed);
            recipe_free(&recipe);
            recipe_free(&again);
        }
}

static void every_member_is_a_parameter(void **unused)
{
    struct error error = {{0}};
    (void)unused;
    for (int k = 0; catalogue[k]; k++)
        if (!catalogue_sound(catalogue[k], &error))
            fail_msg("%s", error.text);
}

static void bad_recipes_are_refused(void **unused)
{
    static const char *const bad[][2] = {
        {"", "names no kernel"},
        {"w=12 s=6", "names no kernel"},
        {"strid w=12", "no kernel 'strid'; did you mean 'stride'?"},
        {"stride wide", "two kernels, 'stride' and 'wide'"},
        {"stride w=65", "parameter w is 65, but must be from 1 to 64"},
        {"stride qqq=1", "stride has no parameter 'qqq' (w, u, blocks, s, rounds)"},
        {"stride =1", "two kernels"},
        {"stride -p", "-p needs a value"},
        {"stride -p 12", "NAME=VALUE"},
        {"stride --input", "--input needs a value"},
        {"stride --input worst", "does not take input 'worst'"},
        {"stride --backend cuda", "cannot use '--backend cuda'"},
        {"stride --seed -1", "--seed is '-1'"},
        {"stride --seed 9007199254740992", "from 0 to 9007199254740991"},
        {"stride --seed", "--seed needs a value"},
        {"stride --input 'sorted", "quote (') is not closed"}};
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct error error = {{0}};
        struct recipe recipe;
        assert_false(recipe_parse(&recipe, bad[i][0], &error));
        recipe_free(&recipe);
        if (!strstr(error.text, bad[i][1]))
            fail_msg("%s: %s", bad[i][0], error.text);
    }
}

static void too_many_words_are_refused(void **unused)
{
    struct error error = {{0}};
    struct recipe recipe;
    char text[4 * (RECIPE_MAX_WORDS + 1) + 8] = "stride";
    (void)unused;
    for (int i = 0; i < RECIPE_MAX_WORDS; i++)
        strcat(text, " s=3");
    assert_true(recipe_parse(&recipe, text, &error));
    recipe_free(&recipe);
    strcat(text, " s=3");
    assert_false(recipe_parse(&recipe, text, &error));
    recipe_free(&recipe);
    assert_string_equal(error.text, "a recipe of more than 256 words");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_said_is_printed_and_nothing_else),
                                       cmocka_unit_test(paths_keep_blanks_and_quotes),
                                       cmocka_unit_test(every_kernel_survives_the_round_trip),
                                       cmocka_unit_test(every_member_is_a_parameter),
                                       cmocka_unit_test(bad_recipes_are_refused),
                                       cmocka_unit_test(too_many_words_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
