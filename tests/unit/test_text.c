/* text: words from outside, in the spelling that each reader needs. */
#include "instrument/instrument.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* After these, as it says itself. */
#include <cmocka.h>

/* What text_put writes; the caller frees it. */
static char *spell(enum text_form form, const char *text)
{
    char *spelt = NULL;
    size_t length;
    FILE *file = open_memstream(&spelt, &length);
    if (!file)
        memory_exhausted();
    text_put(file, form, text);
    if (fclose(file))
        memory_exhausted();
    return spelt;
}

static void expect(enum text_form form, const char *text, const char *wanted)
{
    char *spelt = spell(form, text);
    assert_string_equal(spelt, wanted);
    free(spelt);
}

static void what_alters_a_terminal_is_replaced(void **unused)
{
    static const char *const bad[] = {
        "\033",         "\r",           "\n",
        "\177",         "\xc2\x9b", /* a control sequence in one character */
        "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\x8f",
        "\xe2\x80\xa8", "\xef\xbb\xbf", "\xf3\xa0\x81\x81", /* a tag */
        "\xff",         "\xc0\x80",     "\xed\xa0\x80",
        "\xe2\x82"};
    static const char *const good[] = {
        "a",        "\xc3\xa4",         "\xe2\x82\xac",
        "\xd7\x90", "\xf0\x9f\x98\x80", "\xe2\x80\x8d" /* a joiner */};
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[16];
        snprintf(text, sizeof text, "<%s>", bad[i]);
        assert_false(text_is_clean(text));
        text_clean(text);
        assert_true(text_is_clean(text));
        assert_int_equal(text[1], '?');
        snprintf(text, sizeof text, "<%s>", bad[i]);
        char *spelt = spell(TEXT_PLAIN, text);
        assert_true(text_is_clean(spelt));
        free(spelt);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(text_is_clean(good[i]));
        expect(TEXT_PLAIN, good[i], good[i]);
    }
    char lines[] = "a\tb\nc\033d";
    assert_string_equal(text_clean_lines(lines), "a\tb\nc?d");
}

static void characters_are_counted_as_they_are_shown(void **unused)
{
    (void)unused;
    assert_int_equal(text_characters("ab\xc3\xa4\xe2\x82\xac", 7), 4);
    assert_int_equal(text_characters("ab\xc3\xa4", 2), 2);
    assert_int_equal(text_characters("ab", 9), 2);
    assert_int_equal(text_characters("a\xc3z\033", 4), 4); /* what is no UTF-8 is shown as '?' */
}

static void a_cut_is_between_characters(void **unused)
{
    char text[] = "a\xe2\x82\xac"
                  "b";
    (void)unused;
    assert_string_equal(text_cut(text, 5), "a\xe2\x82\xac"
                                           "b");
    assert_string_equal(text_cut(text, 4), "a\xe2\x82\xac");
    assert_string_equal(text_cut(text, 3), "a");
    assert_string_equal(text_cut(text, 0), "");
}

static void cells_are_no_formulas(void **unused)
{
    (void)unused;
    expect(TEXT_CELL, "plain", "plain");
    expect(TEXT_CELL, "", "");
    expect(TEXT_CELL, "a,b", "\"a,b\"");
    expect(TEXT_CELL, "a\"b", "\"a\"\"b\"");
    expect(TEXT_CELL, "a\nb\tc", "\"a b c\"");
    expect(TEXT_CELL, "=1+1", "\"'=1+1\"");
    expect(TEXT_CELL, "@f", "\"'@f\"");
    expect(TEXT_CELL, "+f", "\"'+f\"");
    expect(TEXT_CELL, "-1+1", "\"'-1+1\"");
    expect(TEXT_CELL, "\t=1", "\"' =1\"");
    expect(TEXT_CELL, "-1.5e3", "-1.5e3");
    expect(TEXT_CELL, "a\033b", "a?b");
    expect(TEXT_QUOTED_CELL, "plain", "\"plain\"");
    expect(TEXT_QUOTED_CELL, "=x", "\"'=x\"");
}

/* Expects the element of a float array that a byte is of. */
static void expect_element(const int *dim, int dims, bool open, long long byte, const char *wanted)
{
    char text[100] = "at ";
    text_add_element(text, sizeof text, "tile", dim, dims, open, byte, 4);
    assert_string_equal(text + 3, wanted);
}

static void bytes_are_of_elements(void **unused)
{
    static const int row[] = {16}, matrix[] = {3, 16}, none[] = {0, 0};
    (void)unused;
    expect_element(NULL, 0, false, 0, "tile");
    expect_element(NULL, 0, false, 3, "tile, byte 3");
    expect_element(row, 1, false, 60, "tile[15]");
    expect_element(row, 1, false, 66, "tile[16], byte 2");
    expect_element(row, 1, false, -1, "tile[-1], byte 3");
    expect_element(matrix, 2, false, 4 * 19, "tile[1][3]");
    expect_element(matrix, 2, false, 4 * 48, "tile[3][0]");
    expect_element(matrix, 2, false, -4, "tile[-1][15]");
    expect_element(NULL, 0, true, 8, "tile[2]");
    expect_element(row, 1, true, 4 * 33, "tile[2][1]");
    expect_element(none, 2, false, 8, "tile[2][0]"); /* sizes that are not known */
}

static void programs_get_what_was_meant(void **unused)
{
    (void)unused;
    expect(TEXT_C, "a\"b\\c\nx", "a\\\"b\\\\c\\012x");
    expect(TEXT_C, "\xc3\xa4\033", "\xc3\xa4\\033");
    expect(TEXT_C, "?\?/", "\\?\\?/");
    expect(TEXT_HTML, "<a b=\"c\">&\n\t\033", "&lt;a b=&quot;c&quot;&gt;&amp;\n\t?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_alters_a_terminal_is_replaced),
        cmocka_unit_test(characters_are_counted_as_they_are_shown),
        cmocka_unit_test(a_cut_is_between_characters),
        cmocka_unit_test(cells_are_no_formulas),
        cmocka_unit_test(bytes_are_of_elements),
        cmocka_unit_test(programs_get_what_was_meant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
