/* tabular.h - rows of values under named columns, and their three forms: text for a person, CSV for a spreadsheet, JSON
 * for a program.
 *
 * The columns are fixed first. A row's values follow in the order of the columns, one call each:
 *
 *     static const struct tabular_column columns[] = {
 *         {TABULAR_TEXT, TABULAR_ALL, .name = "line", .width = 5},
 *         {TABULAR_COUNT, TABULAR_ALL, .name = "max_ways", .gap = 1, .width = 8}};
 *     struct tabular tabular;
 *     tabular_init(&tabular, columns, 2);
 *     tabular_row(&tabular);
 *     tabular_text(&tabular, "t.cu:23");
 *     tabular_count(&tabular, 32);
 *     tabular_print(stdout, &tabular);         line    max ways
 *                                              t.cu:23       32
 *     tabular_print_csv(stdout, &tabular);     line,max_ways
 *                                              t.cu:23,32
 *     tabular_json_row(&tabular, 0)            {"line":"t.cu:23","max_ways":32}
 *     tabular_free(&tabular);
 */
#ifndef BANKSCOPE_BASE_TABULAR_H
#define BANKSCOPE_BASE_TABULAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;

enum tabular_kind {
    TABULAR_TEXT,  /* to the left in text */
    TABULAR_WORD,  /* a text that may be a number: to the right; a number in JSON where it is one */
    TABULAR_COUNT, /* a number from 0, to the right, as all numbers */
    TABULAR_CHANGE, /* a number with its sign: +3 */
    TABULAR_REAL,   /* with `digits` behind the point, and `unit` behind it in text */
    TABULAR_PAIR /* before and after: "passes 1", "passes 2" and "more" in text, passes_1 and passes_2 in CSV, a
                       list of two in JSON */
};

/* The forms that have a column. */
enum { TABULAR_PRINT = 1, TABULAR_CSV = 2, TABULAR_JSON = 4, TABULAR_ALL = 7 };

struct tabular_column {
    enum tabular_kind kind;
    int forms;
    const char *name;  /* in text with blanks for '_' */
    const char *title; /* over the column in text, if that is not the name */
    int gap, width;    /* in text: blanks before it, and characters at least */
    size_t most;       /* bytes of a text, which is cut; 0: any number */
    int digits;
    const char *unit;
};

enum { TABULAR_COLUMNS = 24 };

struct tabular {
    struct tabular_column column[TABULAR_COLUMNS];
    int columns;
    struct tabular_cell *cell; /* `columns` for each row */
    size_t rows, room;
    int filled; /* cells of the last row that have their values */
};

/* Takes copies of at most TABULAR_COLUMNS columns; their texts stay the caller's. */
void tabular_init(struct tabular *tabular, const struct tabular_column *column, int columns);
/* Adds more columns before there are rows. */
void tabular_add_columns(struct tabular *tabular, const struct tabular_column *column, int columns);
/* No form has this column. Its cells have values all the same. */
void tabular_hide(struct tabular *tabular, int column);
void tabular_free(struct tabular *tabular);
/* Without its rows: a long CSV is written in pieces. */
void tabular_clear(struct tabular *tabular);

/* Begins a row, whose cells are blank until they have values. */
void tabular_row(struct tabular *tabular);
/* The value of the row's next cell. A text is copied; NULL leaves the cell blank. */
void tabular_text(struct tabular *tabular, const char *text);
void tabular_count(struct tabular *tabular, uint64_t count);
void tabular_change(struct tabular *tabular, uint64_t before, uint64_t after);
void tabular_real(struct tabular *tabular, double value);
void tabular_pair(struct tabular *tabular, uint64_t before, uint64_t after);
void tabular_blank(struct tabular *tabular, int cells);

/* The heading and all rows, each a line without blanks at its end. */
void tabular_print(FILE *file, const struct tabular *tabular);
/* The rows alone, where they would stand below the heading. */
void tabular_print_rows(FILE *file, const struct tabular *tabular);
/* The line of names, and all rows. */
void tabular_print_csv(FILE *file, const struct tabular *tabular);
/* Either of them, for several tables as one; each row begins with `before`, which is "" or ends with a comma. */
void tabular_print_csv_names(FILE *file, const struct tabular *tabular);
void tabular_print_csv_rows(FILE *file, const struct tabular *tabular, const char *before);
/* An object of the row's cells that are not blank, which is the caller's to delete; NULL if there is no memory. */
struct cJSON *tabular_json_row(const struct tabular *tabular, size_t row);

#ifdef __cplusplus
}
#endif
#endif
