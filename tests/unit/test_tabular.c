/* test_tabular.c - one table in its three forms. */
#include "base/tabular.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

enum { PAIR = 3 };
static const struct tabular_column columns[] = {
    {TABULAR_TEXT, TABULAR_ALL, .name = "line", .width = 5},
    {TABULAR_WORD, TABULAR_ALL, .name = "E", .gap = 2},
    {TABULAR_COUNT, TABULAR_ALL, .name = "max_ways", .gap = 1},
    [PAIR] = {TABULAR_PAIR, TABULAR_ALL, .name = "passes", .gap = 2, .width = 4},
    {TABULAR_CHANGE, TABULAR_PRINT, .name = "more", .gap = 1},
    {TABULAR_REAL, TABULAR_PRINT | TABULAR_JSON, .name = "share", .gap = 1, .digits = 1,
     .unit = "%"},
    {TABULAR_TEXT, TABULAR_PRINT, .name = "source", .gap = 2, .most = 10},
    {TABULAR_TEXT, TABULAR_CSV, .name = "space"},
};

static void fill(struct tabular *tabular)
{
    tabular_init(tabular, columns, sizeof columns / sizeof *columns);
    tabular_row(tabular);
    tabular_text(tabular, "t.cu:23");
    tabular_text(tabular, "15");
    tabular_count(tabular, 32);
    tabular_pair(tabular, 1024, 32);
    tabular_change(tabular, 3, 5);
    tabular_real(tabular, 99.96);
    tabular_text(tabular, "tile[threadIdx.x] = 1;");
    tabular_text(tabular, "a,b");
    tabular_row(tabular);
    tabular_text(tabular, "\xc3\xa4");
    tabular_text(tabular, "odd");
    tabular_row(tabular);
    tabular_text(tabular, "total");
    tabular_blank(tabular, 1);
    tabular_count(tabular, 123456789012);
}

enum { ROOM = 1000 };

/* What one of the printing functions writes. */
static void print_into(char text[ROOM], void (*print)(FILE *, const struct tabular *),
                       const struct tabular *tabular)
{
    FILE *file = fmemopen(text, ROOM, "w");
    assert_non_null(file);
    print(file, tabular);
    fclose(file);
}

static void expect(void (*print)(FILE *, const struct tabular *), const struct tabular *tabular,
                   const char *wanted)
{
    char text[ROOM];
    print_into(text, print, tabular);
    assert_string_equal(text, wanted);
}

/* Columns are as wide as their widest value, characters counted, and no line ends with blanks. */
static void text_is_aligned(void **state)
{
    (void)state;
    struct tabular tabular;
    fill(&tabular);
    expect(tabular_print, &tabular,
           "line       E     max ways  passes 1 passes 2 more more  share  source\n"
           "t.cu:23   15           32      1024       32 -992   +2 100.0%  tile[threa\n"
           "\xc3\xa4        odd\n"
           "total        123456789012\n");
    tabular_free(&tabular);
}

static void rows_stand_where_they_would_below_the_heading(void **state)
{
    (void)state;
    struct tabular tabular;
    fill(&tabular);
    char all[ROOM];
    print_into(all, tabular_print, &tabular);
    expect(tabular_print_rows, &tabular, strchr(all, '\n') + 1);
    tabular_free(&tabular);
}

static void csv_has_the_names_and_all_cells(void **state)
{
    (void)state;
    struct tabular tabular;
    fill(&tabular);
    expect(tabular_print_csv, &tabular,
           "line,E,max_ways,passes_1,passes_2,space\n"
           "t.cu:23,15,32,1024,32,\"a,b\"\n"
           "\xc3\xa4,odd,,,,\n"
           "total,,123456789012,,,\n");
    tabular_free(&tabular);
}

static void json_has_the_cells_that_are_not_blank(void **state)
{
    (void)state;
    static const char *const wanted[] = {
        "{\"line\":\"t.cu:23\",\"E\":15,\"max_ways\":32,\"passes\":[1024,32],\"share\":99.96}",
        "{\"line\":\"\xc3\xa4\",\"E\":\"odd\"}", "{\"line\":\"total\",\"max_ways\":123456789012}"};
    struct tabular tabular;
    fill(&tabular);
    for (size_t i = 0; i < tabular.rows; i++) {
        cJSON *object = tabular_json_row(&tabular, i);
        char *text = cJSON_PrintUnformatted(object);
        assert_string_equal(text, wanted[i]);
        cJSON_free(text);
        cJSON_Delete(object);
    }
    tabular_free(&tabular);
}

/* The cells of a hidden column have values all the same; a piece of a table begins again without rows. */
static void hidden_columns_are_in_no_form(void **state)
{
    (void)state;
    struct tabular tabular;
    tabular_init(&tabular, columns, PAIR + 1);
    tabular_hide(&tabular, 1);
    tabular_hide(&tabular, PAIR);
    for (int i = 0; i < 2; i++) {
        tabular_clear(&tabular);
        tabular_row(&tabular);
        tabular_text(&tabular, "a");
        tabular_text(&tabular, "b");
        tabular_count(&tabular, 1);
        tabular_pair(&tabular, 2, 3);
        expect(tabular_print, &tabular, "line  max ways\na            1\n");
        expect(tabular_print_csv, &tabular, "line,max_ways\na,1\n");
    }
    tabular_free(&tabular);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_aligned),
        cmocka_unit_test(rows_stand_where_they_would_below_the_heading),
        cmocka_unit_test(csv_has_the_names_and_all_cells),
        cmocka_unit_test(json_has_the_cells_that_are_not_blank),
        cmocka_unit_test(hidden_columns_are_in_no_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
