/* stats_print.c - statistics, and two of them beside each other, as text, CSV and JSON. */
#include "base/tabular.h"
#include "instrument/model.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <string.h>

enum { CSV_ROWS = 4096 }; /* that are written at a time */

/* ---- what a row is about ----------------------------------------------------------------------- */

static const char *const by_names[] = {"stage", "stage", "stage", "line", "array"};

/* A place is one word for a person, and in JSON a line has its file apart. Where rows may be of global memory, text has
 * "global load", and the other forms have a column for the space. */
enum { PLACE, PLACE_JSON, FILE_NAME, LINE, ROUND, BLOCK, WARP, OP_TEXT, OP_NAME, PLACES };
static const struct tabular_column places[PLACES] = {
    [PLACE] = {TABULAR_TEXT, TABULAR_PRINT | TABULAR_CSV, .name = NULL, .width = 5},
    [PLACE_JSON] = {TABULAR_TEXT, TABULAR_JSON, .name = NULL},
    [FILE_NAME] = {TABULAR_TEXT, TABULAR_JSON, .name = "file"},
    [LINE] = {TABULAR_COUNT, TABULAR_JSON, .name = "line"},
    [ROUND] = {TABULAR_COUNT, TABULAR_ALL, .name = "round", .gap = 1, .width = 6},
    [BLOCK] = {TABULAR_COUNT, TABULAR_ALL, .name = "block", .gap = 1, .width = 6},
    [WARP] = {TABULAR_COUNT, TABULAR_ALL, .name = "warp", .gap = 1, .width = 5},
    [OP_TEXT] = {TABULAR_TEXT, TABULAR_PRINT, .name = "op", .gap = 2, .width = 5},
    [OP_NAME] = {TABULAR_TEXT, TABULAR_CSV | TABULAR_JSON, .name = "op"},
};

static void begin_columns(struct tabular *tabular, enum stats_by by, bool split_line)
{
    tabular_init(tabular, places, PLACES);
    tabular->column[PLACE].name = tabular->column[PLACE_JSON].name = by_names[by];
    if (split_line) {
        tabular_hide(tabular, PLACE_JSON);
    } else {
        tabular_hide(tabular, FILE_NAME);
        tabular_hide(tabular, LINE);
    }
    if (by != STATS_BY_ROUND)
        tabular_hide(tabular, ROUND);
    if (by != STATS_BY_WARP) {
        tabular_hide(tabular, BLOCK);
        tabular_hide(tabular, WARP);
    }
}

static void put_place(struct tabular *tabular, const struct stats *of, const struct stats_row *row)
{
    const struct trace_site *site = row->site >= 0 ? &of->header.site[row->site] : NULL;
    char text[600], op[40];
    const char *name = stats_row_name(of, row, text, sizeof text);
    tabular_row(tabular);
    tabular_text(tabular, name);
    if (row == &of->total) {
        tabular_blank(tabular, PLACES - 1);
        return;
    }
    tabular_text(tabular, name);
    tabular_text(tabular, site ? site->file : "");
    tabular_count(tabular, site ? (uint64_t)site->line : 0);
    tabular_count(tabular, (uint64_t)row->round);
    tabular_count(tabular, (uint64_t)row->block);
    tabular_count(tabular, (uint64_t)row->warp);
    snprintf(op, sizeof op, "%s%s", row->global ? "global " : "", op_name(row->op));
    tabular_text(tabular, op);
    tabular_text(tabular, op_name(row->op));
}

/* Prints and deletes json. */
static bool print_json(FILE *file, cJSON *json, struct error *error)
{
    char *text = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
    if (!text)
        return error_set(error, "out of memory for the statistics");
    bool written = fprintf(file, "%s\n", text_clean(text)) > 0;
    cJSON_free(text);
    return written || error_set(error, "cannot write the statistics");
}

/* The rows as a list of that name, but the last, which is the total. */
static bool print_rows_json(FILE *file, const struct tabular *tabular, const char *list,
                            struct error *error)
{
    cJSON *json = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(json, list);
    bool good = true;
    for (size_t i = 0; i + 1 < tabular->rows; i++)
        good &= cJSON_AddItemToArray(rows, tabular_json_row(tabular, i));
    good &= cJSON_AddItemToObject(json, "total", tabular_json_row(tabular, tabular->rows - 1));
    if (!good) {
        cJSON_Delete(json);
        return error_set(error, "out of memory for the statistics");
    }
    return print_json(file, json, error);
}

/* ---- one ----------------------------------------------------------------------------------------- */

/* Sectors that a request takes on the average. */
static double per_request(const struct stats_row *row)
{
    return row->requests ? (double)row->sectors / (double)row->requests : 0;
}

/* The spellings of JSON are older than those of CSV. */
enum { SPACE = PLACES + 5, REQUESTS, SECTORS, PER_REQUEST, LEAST, LEAST_JSON };
static const struct tabular_column numbers[] = {
    {TABULAR_COUNT, TABULAR_ALL, .name = "warp_accesses", .gap = 1, .width = 13},
    {TABULAR_COUNT, TABULAR_ALL, .name = "accesses", .gap = 1, .width = 12},
    {TABULAR_COUNT, TABULAR_ALL, .name = "passes", .gap = 1, .width = 12},
    {TABULAR_COUNT, TABULAR_ALL, .name = "conflicts", .gap = 1, .width = 12},
    {TABULAR_COUNT, TABULAR_ALL, .name = "max_ways", .gap = 1, .width = 8},
    {TABULAR_TEXT, TABULAR_CSV | TABULAR_JSON, .name = "space"},
    {TABULAR_COUNT, TABULAR_JSON, .name = "requests"},
    {TABULAR_COUNT, TABULAR_ALL, .name = "sectors", .gap = 1, .width = 12},
    {TABULAR_REAL, TABULAR_PRINT | TABULAR_JSON, .name = "sectors_per_request",
     .title = "per request", .gap = 1, .width = 12, .digits = 2},
    {TABULAR_COUNT, TABULAR_PRINT | TABULAR_CSV, .name = "least", .gap = 1, .width = 12},
    {TABULAR_COUNT, TABULAR_JSON, .name = "least_sectors"},
    {TABULAR_TEXT, TABULAR_PRINT, .name = "", .gap = 2}, /* the source line */
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static void put_row(struct tabular *tabular, const struct stats *stats, const struct stats_row *row)
{
    const bool total = row == &stats->total;
    put_place(tabular, stats, row);
    tabular_count(tabular, row->warp_accesses);
    tabular_count(tabular, row->accesses);
    tabular_count(tabular, row->passes);
    tabular_count(tabular, row->conflicts);
    tabular_count(tabular, (uint64_t)row->max_ways);
    tabular_text(tabular, total ? NULL : row->global ? "global" : "shared");
    if (row->global || total) {
        tabular_count(tabular, row->requests);
        tabular_count(tabular, row->sectors);
        tabular_real(tabular, per_request(row));
        tabular_count(tabular, row->least);
        tabular_count(tabular, row->least);
    } else {
        tabular_blank(tabular, LEAST_JSON - SPACE);
    }
    tabular_text(tabular, row->site >= 0 ? stats->header.site[row->site].text : "");
}

static void begin_table(struct tabular *tabular, const struct stats *stats)
{
    begin_columns(tabular, stats->by, stats->by == STATS_BY_LINE);
    tabular_add_columns(tabular, numbers, NUMBERS);
    for (int i = SPACE; i <= LEAST_JSON && !stats->header.global; i++)
        tabular_hide(tabular, i);
}

static void put_table(struct tabular *tabular, const struct stats *stats)
{
    begin_table(tabular, stats);
    for (size_t i = 0; i < stats->rows; i++)
        put_row(tabular, stats, &stats->row[i]);
    put_row(tabular, stats, &stats->total);
}

void stats_print(FILE *file, const struct stats *stats)
{
    struct tabular tabular;
    put_table(&tabular, stats);
    tabular_print(file, &tabular);
    tabular_free(&tabular);
}

void stats_print_csv(FILE *file, const struct stats *stats, const char *names, const char *cells)
{
    struct tabular tabular;
    begin_table(&tabular, stats);
    if (names) {
        fputs(names, file);
        tabular_print_csv_names(file, &tabular);
    }
    for (size_t i = 0; i < stats->rows; i++) {
        put_row(&tabular, stats, &stats->row[i]);
        if (tabular.rows < CSV_ROWS && i + 1 < stats->rows)
            continue;
        tabular_print_csv_rows(file, &tabular, cells);
        tabular_clear(&tabular);
    }
    tabular_free(&tabular);
}

bool stats_print_json(FILE *file, const struct stats *stats, struct error *error)
{
    static const char *const lists[] = {"stages", "stages", "stages", "lines", "arrays"};
    struct tabular tabular;
    put_table(&tabular, stats);
    const bool good = print_rows_json(file, &tabular, lists[stats->by], error);
    tabular_free(&tabular);
    return good;
}

/* ---- two beside each other ----------------------------------------------------------------------- */

static bool same_row(const struct stats *a, const struct stats_row *x, const struct stats *b,
                     const struct stats_row *y)
{
    char one[600], other[600];
    return x->op == y->op && x->global == y->global && x->round == y->round &&
           x->block == y->block && x->warp == y->warp &&
           !strcmp(stats_row_name(a, x, one, sizeof one),
                   stats_row_name(b, y, other, sizeof other));
}

/* A stage has another number in the other trace; there are few lines and arrays. */
static const struct stats_row *counterpart(const struct stats *in, const struct stats *of,
                                           const struct stats_row *row)
{
    if (row->stage >= 0) {
        struct stats_row key = *row;
        key.stage = header_stage(&in->header, of->header.stage[row->stage]);
        return key.stage < 0 ? NULL : stats_find(in, &key);
    }
    for (size_t i = 0; i < in->rows; i++)
        if (same_row(in, &in->row[i], of, row))
            return &in->row[i];
    return NULL;
}

/* Calls `each` for every row of either table, then for the totals. A missing row is all zeros. */
static void for_each_pair(const struct stats *first, const struct stats *second,
                          void (*each)(void *context, const struct stats *of,
                                       const struct stats_row *row, const struct stats_row *a,
                                       const struct stats_row *b),
                          void *context)
{
    static const struct stats_row none = {.stage = -1};
    for (size_t i = 0; i < first->rows; i++) {
        const struct stats_row *other = counterpart(second, first, &first->row[i]);
        each(context, first, &first->row[i], &first->row[i], other ? other : &none);
    }
    for (size_t i = 0; i < second->rows; i++)
        if (!counterpart(first, second, &second->row[i]))
            each(context, second, &second->row[i], &none, &second->row[i]);
    each(context, first, &first->total, &first->total, &second->total);
}

enum { SPACE_JSON = PLACES, PASSES, CONFLICTS, SPACE_CSV, SECTORS_PAIR };
static const struct tabular_column pairs[] = {
    {TABULAR_TEXT, TABULAR_JSON, .name = "space"},
    {TABULAR_PAIR, TABULAR_ALL, .name = "passes", .gap = 1, .width = 12},
    {TABULAR_PAIR, TABULAR_ALL, .name = "conflicts", .gap = 2, .width = 12},
    {TABULAR_TEXT, TABULAR_CSV, .name = "space"},
    {TABULAR_PAIR, TABULAR_ALL, .name = "sectors", .gap = 2, .width = 12},
};

static void put_pair(void *context, const struct stats *of, const struct stats_row *row,
                     const struct stats_row *a, const struct stats_row *b)
{
    struct tabular *tabular = context;
    const bool total = row == &of->total;
    put_place(tabular, of, row);
    tabular_text(tabular, row->global && !total ? "global" : NULL);
    tabular_pair(tabular, a->passes, b->passes);
    tabular_pair(tabular, a->conflicts, b->conflicts);
    tabular_text(tabular, total ? NULL : row->global ? "global" : "shared");
    tabular_pair(tabular, a->sectors, b->sectors);
}

static void put_difference(struct tabular *tabular, const struct stats *first,
                           const struct stats *second)
{
    begin_columns(tabular, first->by, false);
    tabular_add_columns(tabular, pairs, sizeof pairs / sizeof *pairs);
    if (!first->header.global && !second->header.global) {
        tabular_hide(tabular, SPACE_CSV);
        tabular_hide(tabular, SECTORS_PAIR);
    }
    for_each_pair(first, second, put_pair, tabular);
}

void stats_print_difference(FILE *file, const struct stats *first, const struct stats *second,
                            bool csv)
{
    struct tabular tabular;
    put_difference(&tabular, first, second);
    (csv ? tabular_print_csv : tabular_print)(file, &tabular);
    tabular_free(&tabular);
}

bool stats_print_difference_json(FILE *file, const struct stats *first, const struct stats *second,
                                 struct error *error)
{
    struct tabular tabular;
    put_difference(&tabular, first, second);
    const bool good = print_rows_json(file, &tabular, "difference", error);
    tabular_free(&tabular);
    return good;
}

/* ---- one row per warp access ------------------------------------------------------------------- */

enum { SPACE_OF_ACCESS = 15 };
static const struct tabular_column access_columns[] = {
    {TABULAR_TEXT, TABULAR_CSV, .name = "kernel"},
    {TABULAR_TEXT, TABULAR_CSV, .name = "stage"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "round"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "slot"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "block"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "warp"},
    {TABULAR_TEXT, TABULAR_CSV, .name = "op"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "bytes"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "lanes"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "ways"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "passes"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "conflicts"},
    {TABULAR_TEXT, TABULAR_CSV, .name = "array"},
    {TABULAR_TEXT, TABULAR_CSV, .name = "file"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "line"},
    [SPACE_OF_ACCESS] = {TABULAR_TEXT, TABULAR_CSV, .name = "space"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "sectors"},
    {TABULAR_COUNT, TABULAR_CSV, .name = "least"},
};
enum { ACCESS_COLUMNS = sizeof access_columns / sizeof *access_columns };

static bool rows_header(void *context, const struct trace_header *header, struct error *error)
{
    struct access_rows *rows = context;
    (void)error;
    header_copy(&rows->header, header);
    tabular_init(&rows->tabular, access_columns, header->global ? ACCESS_COLUMNS : SPACE_OF_ACCESS);
    tabular_print_csv_names(rows->file, &rows->tabular);
    return true;
}

static void put_access(struct tabular *tabular, const struct trace_header *header,
                       const struct warp_access *access)
{
    const int array = access->global ? -1 : header_array(header, access->addr[0]);
    const struct trace_site *site =
        header->sites && access->site >= 0 ? &header->site[access->site] : NULL;
    struct bank_cost cost;
    bank_model_cost(header, access, &cost);
    const int place[] = {access->round, access->slot, access->block, access->warp};
    const int counts[] = {access->bytes, access->lanes, cost.ways, cost.passes, cost.conflicts};
    tabular_row(tabular);
    tabular_text(tabular, header->kernel);
    tabular_text(tabular, header->stage[access->stage]);
    for (size_t i = 0; i < sizeof place / sizeof *place; i++)
        tabular_count(tabular, (uint64_t)place[i]);
    tabular_text(tabular, op_name(access->op));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        tabular_count(tabular, (uint64_t)counts[i]);
    tabular_text(tabular,
                 array >= 0 ? header->array[array].name : header_global_array(header, access));
    tabular_text(tabular, site ? site->file : NULL);
    if (site)
        tabular_count(tabular, (uint64_t)site->line);
    else
        tabular_blank(tabular, 1);
    if (header->global)
        tabular_text(tabular, access->global ? "global" : "shared");
    if (access->global) {
        struct sector_cost sectors;
        sector_model_cost(access, &sectors);
        tabular_count(tabular, (uint64_t)sectors.sectors);
        tabular_count(tabular, (uint64_t)sectors.least);
    }
}

static bool flush_rows(struct access_rows *rows, struct error *error)
{
    tabular_print_csv_rows(rows->file, &rows->tabular, "");
    tabular_clear(&rows->tabular);
    return !ferror(rows->file) || error_set(error, "cannot write the rows: %s", strerror(errno));
}

static bool rows_access(void *context, const struct warp_access *access, struct error *error)
{
    struct access_rows *rows = context;
    put_access(&rows->tabular, &rows->header, access);
    return rows->tabular.rows < CSV_ROWS || flush_rows(rows, error);
}

static bool rows_end(void *context, const struct trace_end *end, struct error *error)
{
    struct access_rows *rows = context;
    const bool good = flush_rows(rows, error);
    rows->end = *end;
    header_free(&rows->header);
    tabular_free(&rows->tabular);
    return good && (fflush(rows->file) == 0 ||
                    error_set(error, "cannot write the rows: %s", strerror(errno)));
}

struct trace_sink access_rows_sink(struct access_rows *rows)
{
    return (struct trace_sink){rows_header, rows_access, rows_end, rows};
}
