/* tabular.c - see tabular.h. */
#include "base/tabular.h"
#include "base/memory.h"
#include "base/text.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct tabular_cell {
    bool filled;
    union {
        char *text;
        uint64_t count[2]; /* before and after; a count is the first */
        double real;
    };
};

void tabular_add_columns(struct tabular *tabular, const struct tabular_column *column, int columns)
{
    assert(tabular->columns + columns <= TABULAR_COLUMNS && !tabular->rows);
    for (int i = 0; i < columns; i++)
        tabular->column[tabular->columns++] = column[i];
}

void tabular_init(struct tabular *tabular, const struct tabular_column *column, int columns)
{
    *tabular = (struct tabular){.columns = 0};
    tabular_add_columns(tabular, column, columns);
}

void tabular_hide(struct tabular *tabular, int column)
{
    tabular->column[column].forms = 0;
}

static struct tabular_cell *row_cells(const struct tabular *tabular, size_t row)
{
    return &tabular->cell[row * (size_t)tabular->columns];
}

static bool is_text(const struct tabular_column *column)
{
    return column->kind == TABULAR_TEXT || column->kind == TABULAR_WORD;
}

void tabular_clear(struct tabular *tabular)
{
    for (size_t row = 0; row < tabular->rows; row++)
        for (int i = 0; i < tabular->columns; i++)
            if (is_text(&tabular->column[i]))
                free(row_cells(tabular, row)[i].text);
    tabular->rows = 0;
}

void tabular_free(struct tabular *tabular)
{
    tabular_clear(tabular);
    free(tabular->cell);
    tabular->cell = NULL;
    tabular->room = 0;
}

void tabular_row(struct tabular *tabular)
{
    struct error ignored = {{0}};
    const size_t columns = (size_t)tabular->columns;
    if (!memory_grow(&tabular->cell, &tabular->room, (tabular->rows + 1) * columns,
                     sizeof *tabular->cell, "cells", &ignored))
        memory_exhausted();
    memset(row_cells(tabular, tabular->rows), 0, columns * sizeof *tabular->cell);
    tabular->rows++;
    tabular->filled = 0;
}

static struct tabular_cell *next_cell(struct tabular *tabular, enum tabular_kind kind)
{
    assert(tabular->filled < tabular->columns && tabular->column[tabular->filled].kind == kind);
    (void)kind;
    struct tabular_cell *cell = &row_cells(tabular, tabular->rows - 1)[tabular->filled++];
    cell->filled = true;
    return cell;
}

void tabular_text(struct tabular *tabular, const char *text)
{
    const struct tabular_column *column = &tabular->column[tabular->filled];
    struct tabular_cell *cell = next_cell(tabular, is_text(column) ? column->kind : TABULAR_TEXT);
    cell->filled = text != NULL;
    cell->text = text ? memory_copy(text) : NULL;
    if (text && column->most)
        text_cut(cell->text, column->most);
}

void tabular_count(struct tabular *tabular, uint64_t count)
{
    next_cell(tabular, TABULAR_COUNT)->count[0] = count;
}

void tabular_real(struct tabular *tabular, double value)
{
    next_cell(tabular, TABULAR_REAL)->real = value;
}

static void fill_pair(struct tabular *tabular, enum tabular_kind kind, uint64_t before,
                      uint64_t after)
{
    struct tabular_cell *cell = next_cell(tabular, kind);
    cell->count[0] = before;
    cell->count[1] = after;
}

void tabular_change(struct tabular *tabular, uint64_t before, uint64_t after)
{
    fill_pair(tabular, TABULAR_CHANGE, before, after);
}

void tabular_pair(struct tabular *tabular, uint64_t before, uint64_t after)
{
    fill_pair(tabular, TABULAR_PAIR, before, after);
}

void tabular_blank(struct tabular *tabular, int cells)
{
    tabular->filled += cells;
    assert(tabular->filled <= tabular->columns);
}

/* ---- text ---------------------------------------------------------------------------------------- */

/* What a column is in text: a pair is three of them. */
enum { PARTS = 3, CELL_BYTES = 64 };

static int parts_of(const struct tabular_column *column)
{
    return !(column->forms & TABULAR_PRINT) ? 0 : column->kind == TABULAR_PAIR ? PARTS : 1;
}

static const char *part_title(const struct tabular_column *column, int part, char room[CELL_BYTES])
{
    snprintf(room, CELL_BYTES, "%s", column->title ? column->title : column->name);
    for (char *at = room; *at && !column->title; at++)
        *at = *at == '_' ? ' ' : *at;
    if (column->kind == TABULAR_PAIR && part < 2)
        text_add(room, CELL_BYTES, " %d", part + 1);
    return column->kind == TABULAR_PAIR && part == 2 ? "more" : room;
}

static const char *part_value(const struct tabular_column *column, const struct tabular_cell *cell,
                              int part, char room[CELL_BYTES])
{
    const bool change = column->kind == TABULAR_CHANGE || part == 2;
    if (!cell->filled)
        return "";
    if (is_text(column))
        return cell->text;
    if (column->kind == TABULAR_REAL)
        snprintf(room, CELL_BYTES, "%.*f%s", column->digits, cell->real,
                 column->unit ? column->unit : "");
    else if (change)
        snprintf(room, CELL_BYTES, "%+" PRId64, (int64_t)(cell->count[1] - cell->count[0]));
    else
        snprintf(room, CELL_BYTES, "%" PRIu64, cell->count[part]);
    return room;
}

static int width_of(const char *text)
{
    return text_characters(text, strlen(text));
}

static int part_width(const struct tabular *tabular, int column, int part)
{
    const struct tabular_column *of = &tabular->column[column];
    char room[CELL_BYTES];
    int width = width_of(part_title(of, part, room));
    width = width < of->width ? of->width : width;
    for (size_t i = 0; i < tabular->rows; i++) {
        const int value = width_of(part_value(of, &row_cells(tabular, i)[column], part, room));
        width = width < value ? value : width;
    }
    return width;
}

struct widths {
    int of[TABULAR_COLUMNS][PARTS];
};

/* Row -1: the heading. */
static void print_line(FILE *file, const struct tabular *tabular, const struct widths *width,
                       long row)
{
    int blanks = 0; /* that nothing followed yet */
    for (int i = 0; i < tabular->columns; i++) {
        const struct tabular_column *column = &tabular->column[i];
        for (int part = 0; part < parts_of(column); part++) {
            char room[CELL_BYTES];
            const char *value =
                row < 0 ? part_title(column, part, room)
                        : part_value(column, &row_cells(tabular, (size_t)row)[i], part, room);
            const int rest = width->of[i][part] - width_of(value);
            blanks += part ? 1 : column->gap;
            if (column->kind != TABULAR_TEXT)
                blanks += rest;
            if (*value) {
                fprintf(file, "%*s%s", blanks, "", value);
                blanks = 0;
            }
            if (column->kind == TABULAR_TEXT)
                blanks += rest;
        }
    }
    fputc('\n', file);
}

static void print_lines(FILE *file, const struct tabular *tabular, long first)
{
    struct widths width;
    for (int i = 0; i < tabular->columns; i++)
        for (int part = 0; part < parts_of(&tabular->column[i]); part++)
            width.of[i][part] = part_width(tabular, i, part);
    for (long row = first; row < (long)tabular->rows; row++)
        print_line(file, tabular, &width, row);
}

void tabular_print(FILE *file, const struct tabular *tabular)
{
    print_lines(file, tabular, -1);
}

void tabular_print_rows(FILE *file, const struct tabular *tabular)
{
    print_lines(file, tabular, 0);
}

/* ---- CSV ----------------------------------------------------------------------------------------- */

static void csv_value(FILE *file, const struct tabular_column *column,
                      const struct tabular_cell *cell)
{
    if (!cell->filled)
        fputs(column->kind == TABULAR_PAIR ? "," : "", file);
    else if (is_text(column))
        text_put(file, TEXT_CELL, cell->text);
    else if (column->kind == TABULAR_REAL)
        fprintf(file, "%.*f", column->digits, cell->real);
    else if (column->kind == TABULAR_CHANGE)
        fprintf(file, "%" PRId64, (int64_t)(cell->count[1] - cell->count[0]));
    else
        fprintf(file, "%" PRIu64, cell->count[0]);
    if (cell->filled && column->kind == TABULAR_PAIR)
        fprintf(file, ",%" PRIu64, cell->count[1]);
}

void tabular_print_csv_names(FILE *file, const struct tabular *tabular)
{
    const char *between = "";
    for (int i = 0; i < tabular->columns; i++) {
        const struct tabular_column *column = &tabular->column[i];
        if (!(column->forms & TABULAR_CSV))
            continue;
        fputs(between, file);
        text_put(file, TEXT_CELL, column->name);
        if (column->kind == TABULAR_PAIR)
            fprintf(file, "_1,%s_2", column->name);
        between = ",";
    }
    fputc('\n', file);
}

void tabular_print_csv_rows(FILE *file, const struct tabular *tabular, const char *before)
{
    for (size_t row = 0; row < tabular->rows; row++) {
        const char *between = before;
        for (int i = 0; i < tabular->columns; i++) {
            if (!(tabular->column[i].forms & TABULAR_CSV))
                continue;
            fputs(between, file);
            csv_value(file, &tabular->column[i], &row_cells(tabular, row)[i]);
            between = ",";
        }
        fputc('\n', file);
    }
}

void tabular_print_csv(FILE *file, const struct tabular *tabular)
{
    tabular_print_csv_names(file, tabular);
    tabular_print_csv_rows(file, tabular, "");
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static bool add_word(cJSON *object, const char *name, const char *word)
{
    char *end;
    const double number = strtod(word, &end);
    return *word && !*end ? cJSON_AddNumberToObject(object, name, number) != NULL
                          : cJSON_AddStringToObject(object, name, word) != NULL;
}

static bool add_json(cJSON *object, const struct tabular_column *column,
                     const struct tabular_cell *cell)
{
    const char *name = column->name;
    double pair[2];
    switch (column->kind) {
    case TABULAR_TEXT:
        return cJSON_AddStringToObject(object, name, cell->text);
    case TABULAR_WORD:
        return add_word(object, name, cell->text);
    case TABULAR_REAL:
        return cJSON_AddNumberToObject(object, name, cell->real);
    case TABULAR_COUNT:
        return cJSON_AddNumberToObject(object, name, (double)cell->count[0]);
    case TABULAR_CHANGE:
        return cJSON_AddNumberToObject(object, name,
                                       (double)(int64_t)(cell->count[1] - cell->count[0]));
    case TABULAR_PAIR:
        pair[0] = (double)cell->count[0], pair[1] = (double)cell->count[1];
        return cJSON_AddItemToObject(object, name, cJSON_CreateDoubleArray(pair, 2));
    }
    return false;
}

cJSON *tabular_json_row(const struct tabular *tabular, size_t row)
{
    cJSON *object = cJSON_CreateObject();
    for (int i = 0; i < tabular->columns && object; i++) {
        const struct tabular_cell *cell = &row_cells(tabular, row)[i];
        if (!(tabular->column[i].forms & TABULAR_JSON) || !cell->filled ||
            add_json(object, &tabular->column[i], cell))
            continue;
        cJSON_Delete(object);
        object = NULL;
    }
    return object;
}
