/* stats.c - totals over a trace, computed as it streams by: the table and the JSON of `stats`. */
#include "instrument/model.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void stats_init(struct stats *stats, enum stats_by by)
{
    memset(stats, 0, sizeof *stats);
    stats->by = by;
    stats->total = (struct stats_row){
        .stage = -1, .round = -1, .block = -1, .warp = -1, .site = -1, .array = -1};
}

void stats_free(struct stats *stats)
{
    header_free(&stats->header);
    free(stats->row);
    hash_index_free(&stats->index);
    free(stats->first_of);
    memset(stats, 0, sizeof *stats);
}

static int compare_rows(const void *left, const void *right)
{
    const struct stats_row *a = left, *b = right;
    const int keys[][2] = {{a->stage, b->stage},   {a->site, b->site},      {a->array, b->array},
                           {a->round, b->round},   {a->block, b->block},    {a->warp, b->warp},
                           {a->global, b->global}, {(int)a->op, (int)b->op}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static uint32_t row_hash(const struct stats_row *key)
{
    uint64_t hash = hash_mix((uint64_t)key->stage, (uint64_t)key->round);
    hash = hash_mix(hash, (uint64_t)key->block);
    hash = hash_mix(hash, (uint64_t)key->warp);
    hash = hash_mix(hash, (uint64_t)key->site);
    hash = hash_mix(hash, (uint64_t)key->array);
    return (uint32_t)hash_mix(hash, (uint64_t)key->op * 2 + key->global);
}

/* The row with the key's stage, round, block, warp and op; a new one if necessary. NULL: out of
 * memory. */
static struct stats_row *row_of(struct stats *stats, const struct stats_row *key,
                                struct error *error)
{
    static const char what[] = "rows of statistics";
    const uint32_t hash = row_hash(key);
    size_t at = 0;
    for (uint32_t i; (i = hash_index_next(&stats->index, hash, &at)) != HASH_INDEX_NONE;)
        if (!compare_rows(&stats->row[i], key))
            return &stats->row[i];
    if (!memory_grow(&stats->row, &stats->room, stats->rows + 1, sizeof *stats->row, what, error) ||
        !hash_index_add(&stats->index, hash, (uint32_t)stats->rows, what, error))
        return NULL;
    stats->row[stats->rows] = *key;
    return &stats->row[stats->rows++];
}

static void row_add(struct stats_row *row, const struct warp_access *access,
                    const struct bank_cost *cost, const struct sector_cost *sectors)
{
    row->warp_accesses++;
    row->accesses += (uint64_t)access->lanes;
    row->requests += access->global != NULL;
    row->sectors += (uint64_t)sectors->sectors;
    row->least += (uint64_t)sectors->least;
    row->passes += (uint64_t)cost->passes;
    row->conflicts += (uint64_t)cost->conflicts;
    if (cost->ways > row->max_ways)
        row->max_ways = cost->ways;
}

static bool same_line(const struct trace_site *a, const struct trace_site *b)
{
    return a->line == b->line && !strcmp(a->file, b->file);
}

static bool same_array(const struct trace_site *a, const struct trace_site *b)
{
    return !strcmp(a->array, b->array);
}

static bool stats_header(void *context, const struct trace_header *header, struct error *error)
{
    struct stats *stats = context;
    header_copy(&stats->header, header);
    const bool arrays = stats->by == STATS_BY_ARRAY && header->global;
    if ((stats->by != STATS_BY_LINE && !arrays) || !header->sites)
        return true;
    /* There are few sites. Those of one line, or of one array in global memory, count as one. */
    stats->first_of =
        memory_array((size_t)header->sites, sizeof *stats->first_of, "source lines", error);
    for (int i = 0; stats->first_of && i < header->sites; i++) {
        int first = 0;
        while (
            !(arrays ? same_array : same_line)(&stats->header.site[first], &stats->header.site[i]))
            first++;
        stats->first_of[i] = first;
    }
    return stats->first_of;
}

/* By array: the first of its array in shared memory, or of its site in global memory. */
static int array_of(const struct stats *stats, const struct warp_access *access)
{
    const struct trace_header *header = &stats->header;
    if (stats->by != STATS_BY_ARRAY)
        return -1;
    if (!access->global)
        return header_array(header, access->addr[0]);
    return *header_global_array(header, access) ? stats->first_of[access->site] : -1;
}

static bool stats_access(void *context, const struct warp_access *access, struct error *error)
{
    struct stats *stats = context;
    const struct trace_header *header = &stats->header;
    bool plain = stats->by != STATS_BY_LINE && stats->by != STATS_BY_ARRAY;
    struct stats_row key = {.stage = plain ? access->stage : -1,
                            .site =
                                stats->by == STATS_BY_LINE && stats->first_of && access->site >= 0
                                    ? stats->first_of[access->site]
                                    : -1,
                            .array = array_of(stats, access),
                            .round = stats->by == STATS_BY_ROUND ? access->round : -1,
                            .block = stats->by == STATS_BY_WARP ? access->block : -1,
                            .warp = stats->by == STATS_BY_WARP ? access->warp : -1,
                            .global = access->global != NULL,
                            .op = access->op};
    struct bank_cost cost;
    struct sector_cost sectors = {0};
    bank_model_cost(header, access, &cost);
    if (access->global)
        sector_model_cost(access, &sectors);
    struct stats_row *row = row_of(stats, &key, error);
    if (!row)
        return false;
    row_add(row, access, &cost, &sectors);
    row_add(&stats->total, access, &cost, &sectors);
    return true;
}

static bool stats_end(void *context, const struct trace_end *end, struct error *error)
{
    struct stats *stats = context;
    stats->end = *end;
    if (stats->rows)
        qsort(stats->row, stats->rows, sizeof *stats->row, compare_rows);
    hash_index_free(&stats->index); /* rows have other numbers now; another launch may come */
    for (size_t i = 0; i < stats->rows; i++)
        if (!hash_index_add(&stats->index, row_hash(&stats->row[i]), (uint32_t)i,
                            "rows of statistics", error))
            return false;
    return true;
}

struct trace_sink stats_sink(struct stats *stats)
{
    return (struct trace_sink){stats_header, stats_access, stats_end, stats};
}

/* The name of a row: its stage, line ("t.cu:23") or array. */
const char *stats_row_name(const struct stats *stats, const struct stats_row *row, char *text,
                           size_t room)
{
    const struct trace_header *header = &stats->header;
    if (row == &stats->total)
        return "total";
    if (row->stage >= 0)
        return header->stage[row->stage];
    if (row->site >= 0 && header->site[row->site].line) {
        snprintf(text, room, "%s:%d", header->site[row->site].file, header->site[row->site].line);
        return text;
    }
    if (row->global)
        return row->array >= 0 ? header->site[row->array].array : "global memory";
    return row->array >= 0 ? header->array[row->array].name : "?";
}

/* "load", "global load" */
static const char *row_op(const struct stats_row *row, char text[40])
{
    snprintf(text, 40, "%s%s", row->global ? "global " : "", op_name(row->op));
    return text;
}

/* Sectors that a request takes on the average. */
static double per_request(const struct stats_row *row)
{
    return row->requests ? (double)row->sectors / (double)row->requests : 0;
}

static const char *const column[] = {"stage", "stage", "stage", "line", "array"};

/* One cell of text for each column of the table; the last row is the total. */
static void print_row(FILE *file, const struct stats *stats, const struct stats_row *row,
                      int stage_width, int op_width)
{
    bool total = row == &stats->total;
    char text[600], op[40];
    fprintf(file, "%-*s", stage_width, stats_row_name(stats, row, text, sizeof text));
    if (stats->by == STATS_BY_ROUND)
        total ? fprintf(file, " %6s", "") : fprintf(file, " %6d", row->round);
    if (stats->by == STATS_BY_WARP)
        total ? fprintf(file, " %6s %5s", "", "")
              : fprintf(file, " %6d %5d", row->block, row->warp);
    fprintf(file, "  %-*s %13" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %8d", op_width,
            total ? "" : row_op(row, op), row->warp_accesses, row->accesses, row->passes,
            row->conflicts, row->max_ways);
    if (stats->header.global && row->requests)
        fprintf(file, " %12" PRIu64 " %12.2f %12" PRIu64, row->sectors, per_request(row),
                row->least);
    else if (stats->header.global)
        fprintf(file, " %12s %12s %12s", "", "", "");
    const char *source = row->site >= 0 ? stats->header.site[row->site].text : NULL;
    if (source && *source)
        fprintf(file, "  %s", source);
    fputc('\n', file);
}

/* The widths of the names and of the operations. */
static int name_width(const struct stats *stats, int width, int *op_width)
{
    char text[600], op[40];
    for (size_t i = 0; i < stats->rows; i++) {
        int length = (int)strlen(stats_row_name(stats, &stats->row[i], text, sizeof text));
        width = length > width ? length : width;
        length = (int)strlen(row_op(&stats->row[i], op));
        *op_width = length > *op_width ? length : *op_width;
    }
    return width;
}

void stats_print(FILE *file, const struct stats *stats, const char *title)
{
    int op_width = 5;                            /* "store" */
    int width = name_width(stats, 5, &op_width); /* "stage", "total" */
    if (title)
        fprintf(file, "%s\n", title);
    fprintf(file, "%-*s", width, column[stats->by]);
    if (stats->by == STATS_BY_ROUND)
        fprintf(file, " %6s", "round");
    if (stats->by == STATS_BY_WARP)
        fprintf(file, " %6s %5s", "block", "warp");
    fprintf(file, "  %-*s %13s %12s %12s %12s %8s", op_width, "op", "warp accesses", "accesses",
            "passes", "conflicts", "max ways");
    if (stats->header.global)
        fprintf(file, " %12s %12s %12s", "sectors", "per request", "least");
    fputc('\n', file);
    for (size_t i = 0; i < stats->rows; i++)
        print_row(file, stats, &stats->row[i], width, op_width);
    print_row(file, stats, &stats->total, width, op_width);
}

void stats_print_csv(FILE *file, const struct stats *stats, const char *names, const char *cells)
{
    char text[600];
    if (names)
        fprintf(file, "%s%s%s,op,warp_accesses,accesses,passes,conflicts,max_ways%s\n", names,
                column[stats->by],
                stats->by == STATS_BY_ROUND  ? ",round"
                : stats->by == STATS_BY_WARP ? ",block,warp"
                                             : "",
                stats->header.global ? ",space,sectors,least" : "");
    for (size_t i = 0; i < stats->rows; i++) {
        const struct stats_row *row = &stats->row[i];
        fputs(cells, file);
        text_put(file, TEXT_CELL, stats_row_name(stats, row, text, sizeof text));
        if (stats->by == STATS_BY_ROUND)
            fprintf(file, ",%d", row->round);
        if (stats->by == STATS_BY_WARP)
            fprintf(file, ",%d,%d", row->block, row->warp);
        fprintf(file, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%d", op_name(row->op),
                row->warp_accesses, row->accesses, row->passes, row->conflicts, row->max_ways);
        if (row->global)
            fprintf(file, ",global,%" PRIu64 ",%" PRIu64, row->sectors, row->least);
        else if (stats->header.global)
            fputs(",shared,,", file);
        fputc('\n', file);
    }
}

/* ---- two tables as one ----------------------------------------------------------------------- */

static bool same_row(const struct stats *a, const struct stats_row *x, const struct stats *b,
                     const struct stats_row *y)
{
    char one[600], other[600];
    return x->op == y->op && x->global == y->global && x->round == y->round &&
           x->block == y->block && x->warp == y->warp &&
           !strcmp(stats_row_name(a, x, one, sizeof one),
                   stats_row_name(b, y, other, sizeof other));
}

/* Rows by stage are in order, and may be many; there are few lines and arrays. */
static const struct stats_row *counterpart(const struct stats *in, const struct stats *of,
                                           const struct stats_row *row)
{
    if (row->stage >= 0) {
        struct stats_row key = *row;
        key.stage = header_stage(&in->header, of->header.stage[row->stage]);
        return key.stage < 0 || !in->rows
                   ? NULL
                   : bsearch(&key, in->row, in->rows, sizeof key, compare_rows);
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

struct difference {
    FILE *file;
    int width, op_width;
    bool csv, global;
    cJSON *rows, *total;
};

static void print_pair(void *context, const struct stats *of, const struct stats_row *row,
                       const struct stats_row *a, const struct stats_row *b)
{
    const struct difference *to = context;
    bool total = row == &of->total;
    char text[600], named[40];
    const char *name = stats_row_name(of, row, text, sizeof text),
               *op = total ? "" : row_op(row, named);
    if (to->csv) {
        text_put(to->file, TEXT_CELL, name);
        if (total)
            fputs(of->by == STATS_BY_ROUND ? "," : of->by == STATS_BY_WARP ? ",," : "", to->file);
        else if (of->by == STATS_BY_ROUND)
            fprintf(to->file, ",%d", row->round);
        else if (of->by == STATS_BY_WARP)
            fprintf(to->file, ",%d,%d", row->block, row->warp);
        fprintf(to->file, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, op, a->passes,
                b->passes, a->conflicts, b->conflicts);
        if (to->global)
            fprintf(to->file, ",%" PRIu64 ",%" PRIu64, a->sectors, b->sectors);
        fputc('\n', to->file);
        return;
    }
    fprintf(to->file, "%-*s", to->width, name);
    if (of->by == STATS_BY_ROUND)
        total ? fprintf(to->file, " %6s", "") : fprintf(to->file, " %6d", row->round);
    if (of->by == STATS_BY_WARP)
        total ? fprintf(to->file, " %6s %5s", "", "")
              : fprintf(to->file, " %6d %5d", row->block, row->warp);
    fprintf(to->file,
            "  %-*s %12" PRIu64 " %12" PRIu64 " %+12" PRId64 "  %12" PRIu64 " %12" PRIu64
            " %+12" PRId64,
            to->op_width, op, a->passes, b->passes, (int64_t)(b->passes - a->passes), a->conflicts,
            b->conflicts, (int64_t)(b->conflicts - a->conflicts));
    if (to->global)
        fprintf(to->file, "  %12" PRIu64 " %12" PRIu64 " %+12" PRId64, a->sectors, b->sectors,
                (int64_t)(b->sectors - a->sectors));
    fputc('\n', to->file);
}

void stats_print_difference(FILE *file, const struct stats *first, const struct stats *second,
                            bool csv)
{
    struct difference to = {.file = file,
                            .op_width = 5,
                            .csv = csv,
                            .global = first->header.global || second->header.global};
    to.width = name_width(second, name_width(first, 5, &to.op_width), &to.op_width);
    const char *by = first->by == STATS_BY_ROUND  ? ",round"
                     : first->by == STATS_BY_WARP ? ",block,warp"
                                                  : "";
    if (csv) {
        fprintf(file, "%s%s,op,passes_1,passes_2,conflicts_1,conflicts_2%s\n", column[first->by],
                by, to.global ? ",sectors_1,sectors_2" : "");
    } else {
        fprintf(file, "%-*s", to.width, column[first->by]);
        if (first->by == STATS_BY_ROUND)
            fprintf(file, " %6s", "round");
        if (first->by == STATS_BY_WARP)
            fprintf(file, " %6s %5s", "block", "warp");
        fprintf(file, "  %-*s %12s %12s %12s  %12s %12s %12s", to.op_width, "op", "passes 1",
                "passes 2", "more", "conflicts 1", "conflicts 2", "more");
        if (to.global)
            fprintf(file, "  %12s %12s %12s", "sectors 1", "sectors 2", "more");
        fputc('\n', file);
    }
    for_each_pair(first, second, print_pair, &to);
}

static void json_pair(void *context, const struct stats *of, const struct stats_row *row,
                      const struct stats_row *a, const struct stats_row *b)
{
    struct difference *to = context;
    cJSON *json = cJSON_CreateObject();
    char text[600];
    if (row != &of->total) {
        cJSON_AddStringToObject(json, column[of->by], stats_row_name(of, row, text, sizeof text));
        if (of->by == STATS_BY_ROUND)
            cJSON_AddNumberToObject(json, "round", row->round);
        if (of->by == STATS_BY_WARP) {
            cJSON_AddNumberToObject(json, "block", row->block);
            cJSON_AddNumberToObject(json, "warp", row->warp);
        }
        cJSON_AddStringToObject(json, "op", op_name(row->op));
        if (row->global)
            cJSON_AddStringToObject(json, "space", "global");
    }
    const double passes[] = {(double)a->passes, (double)b->passes};
    const double conflicts[] = {(double)a->conflicts, (double)b->conflicts};
    cJSON_AddItemToObject(json, "passes", cJSON_CreateDoubleArray(passes, 2));
    cJSON_AddItemToObject(json, "conflicts", cJSON_CreateDoubleArray(conflicts, 2));
    if (to->global) {
        const double sectors[] = {(double)a->sectors, (double)b->sectors};
        cJSON_AddItemToObject(json, "sectors", cJSON_CreateDoubleArray(sectors, 2));
    }
    if (row == &of->total)
        to->total = json;
    else
        cJSON_AddItemToArray(to->rows, json);
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

bool stats_print_difference_json(FILE *file, const struct stats *first, const struct stats *second,
                                 struct error *error)
{
    cJSON *json = cJSON_CreateObject();
    struct difference to = {.rows = cJSON_AddArrayToObject(json, "difference"),
                            .global = first->header.global || second->header.global};
    for_each_pair(first, second, json_pair, &to);
    cJSON_AddItemToObject(json, "total", to.total);
    return print_json(file, json, error);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static cJSON *row_json(const struct stats *stats, const struct stats_row *row)
{
    cJSON *json = cJSON_CreateObject();
    if (row != &stats->total) {
        const struct trace_site *site = row->site >= 0 ? &stats->header.site[row->site] : NULL;
        char text[600];
        if (stats->by == STATS_BY_LINE) {
            cJSON_AddStringToObject(json, "file", site ? site->file : "");
            cJSON_AddNumberToObject(json, "line", site ? site->line : 0);
        } else {
            cJSON_AddStringToObject(json, column[stats->by],
                                    stats_row_name(stats, row, text, sizeof text));
        }
        if (stats->by == STATS_BY_ROUND)
            cJSON_AddNumberToObject(json, "round", row->round);
        if (stats->by == STATS_BY_WARP) {
            cJSON_AddNumberToObject(json, "block", row->block);
            cJSON_AddNumberToObject(json, "warp", row->warp);
        }
        cJSON_AddStringToObject(json, "op", op_name(row->op));
    }
    cJSON_AddNumberToObject(json, "warp_accesses", (double)row->warp_accesses);
    cJSON_AddNumberToObject(json, "accesses", (double)row->accesses);
    cJSON_AddNumberToObject(json, "passes", (double)row->passes);
    cJSON_AddNumberToObject(json, "conflicts", (double)row->conflicts);
    cJSON_AddNumberToObject(json, "max_ways", row->max_ways);
    if (!stats->header.global)
        return json;
    if (row != &stats->total)
        cJSON_AddStringToObject(json, "space", row->global ? "global" : "shared");
    if (row->global || row == &stats->total) {
        cJSON_AddNumberToObject(json, "requests", (double)row->requests);
        cJSON_AddNumberToObject(json, "sectors", (double)row->sectors);
        cJSON_AddNumberToObject(json, "sectors_per_request", per_request(row));
        cJSON_AddNumberToObject(json, "least_sectors", (double)row->least);
    }
    return json;
}

bool stats_print_json(FILE *file, const struct stats *stats, struct error *error)
{
    static const char *const lists[] = {"stages", "stages", "stages", "lines", "arrays"};
    cJSON *json = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(json, lists[stats->by]);
    for (size_t i = 0; i < stats->rows; i++)
        cJSON_AddItemToArray(list, row_json(stats, &stats->row[i]));
    cJSON_AddItemToObject(json, "total", row_json(stats, &stats->total));
    return print_json(file, json, error);
}

/* ---- one row per warp access ------------------------------------------------------------------- */

static bool rows_header(void *context, const struct trace_header *header, struct error *error)
{
    struct access_rows *rows = context;
    (void)error;
    header_copy(&rows->header, header);
    fprintf(rows->file,
            "kernel,stage,round,slot,block,warp,op,bytes,lanes,ways,passes,conflicts,"
            "array,file,line%s\n",
            header->global ? ",space,sectors,least" : "");
    return true;
}

static bool rows_access(void *context, const struct warp_access *access, struct error *error)
{
    const struct access_rows *rows = context;
    const struct trace_header *header = &rows->header;
    struct bank_cost cost;
    bank_model_cost(header, access, &cost);
    text_put(rows->file, TEXT_CELL, header->kernel);
    fputc(',', rows->file);
    text_put(rows->file, TEXT_CELL, header->stage[access->stage]);
    fprintf(rows->file, ",%d,%d,%d,%d,%s,%d,%d,%d,%d,%d,", access->round, access->slot,
            access->block, access->warp, op_name(access->op), access->bytes, access->lanes,
            cost.ways, cost.passes, cost.conflicts);
    const int array = access->global ? -1 : header_array(header, access->addr[0]);
    text_put(rows->file, TEXT_CELL,
             array >= 0 ? header->array[array].name : header_global_array(header, access));
    fputc(',', rows->file);
    if (header->sites && access->site >= 0) {
        text_put(rows->file, TEXT_CELL, header->site[access->site].file);
        fprintf(rows->file, ",%d", header->site[access->site].line);
    } else {
        fputc(',', rows->file);
    }
    if (access->global) {
        struct sector_cost sectors;
        sector_model_cost(access, &sectors);
        fprintf(rows->file, ",global,%d,%d", sectors.sectors, sectors.least);
    } else if (header->global) {
        fputs(",shared,,", rows->file);
    }
    fputc('\n', rows->file);
    return !ferror(rows->file) || error_set(error, "cannot write the rows: %s", strerror(errno));
}

static bool rows_end(void *context, const struct trace_end *end, struct error *error)
{
    struct access_rows *rows = context;
    rows->end = *end;
    header_free(&rows->header);
    return fflush(rows->file) == 0 ||
           error_set(error, "cannot write the rows: %s", strerror(errno));
}

struct trace_sink access_rows_sink(struct access_rows *rows)
{
    return (struct trace_sink){rows_header, rows_access, rows_end, rows};
}
