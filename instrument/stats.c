/* stats.c - totals over a trace, as they stream by: the table and the JSON of `stats`. */
#include "instrument/instrument.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void stats_init(struct stats *stats, enum stats_by by)
{
    memset(stats, 0, sizeof *stats);
    stats->by = by;
    stats->total.stage = stats->total.round = stats->total.block = stats->total.warp = -1;
}

void stats_free(struct stats *stats)
{
    header_free(&stats->header);
    free(stats->row);
    free(stats->index);
    memset(stats, 0, sizeof *stats);
}

static int compare_rows(const void *left, const void *right)
{
    const struct stats_row *a = left, *b = right;
    const int keys[][2] = {{a->stage, b->stage},
                           {a->round, b->round},
                           {a->block, b->block},
                           {a->warp, b->warp},
                           {(int)a->op, (int)b->op}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static size_t row_hash(const struct stats_row *key)
{
    uint64_t hash = (uint64_t)key->stage;
    hash = hash * 0x9E3779B97F4A7C15u + (uint64_t)(key->round + 1);
    hash = hash * 0x9E3779B97F4A7C15u + (uint64_t)(key->block + 1);
    hash = hash * 0x9E3779B97F4A7C15u + (uint64_t)(key->warp + 1);
    hash = hash * 0x9E3779B97F4A7C15u + (uint64_t)key->op;
    return (size_t)(hash ^ (hash >> 29));
}

/* Where in the index the row with this key is, or would be. Index entries are row numbers + 1. */
static size_t index_place(const struct stats *stats, const struct stats_row *key)
{
    size_t place = row_hash(key) & (stats->index_size - 1);
    while (stats->index[place] && compare_rows(&stats->row[stats->index[place] - 1], key))
        place = (place + 1) & (stats->index_size - 1);
    return place;
}

/* The row with key's stage, round, block, warp and op, new if need be; NULL: out of memory. */
static struct stats_row *row_of(struct stats *stats, const struct stats_row *key,
                                struct error *error)
{
    if (2 * (stats->rows + 1) > stats->index_size) {
        size_t size = stats->index_size ? 2 * stats->index_size : 64;
        uint32_t *index = memory_array(size, sizeof *index, "rows of statistics", error);
        if (!index)
            return NULL;
        free(stats->index);
        stats->index = index;
        stats->index_size = size;
        for (size_t i = 0; i < stats->rows; i++)
            stats->index[index_place(stats, &stats->row[i])] = (uint32_t)i + 1;
    }
    size_t place = index_place(stats, key);
    if (stats->index[place])
        return &stats->row[stats->index[place] - 1];
    if (!memory_grow(&stats->row, &stats->room, stats->rows + 1, sizeof *stats->row,
                     "rows of statistics", error))
        return NULL;
    stats->row[stats->rows] = *key;
    stats->index[place] = (uint32_t)++stats->rows;
    return &stats->row[stats->rows - 1];
}

static void row_add(struct stats_row *row, const struct warp_access *access,
                    const struct bank_cost *cost)
{
    row->warp_accesses++;
    row->accesses += (uint64_t)access->lanes;
    row->passes += (uint64_t)cost->passes;
    row->conflicts += (uint64_t)cost->conflicts;
    if (cost->ways > row->max_ways)
        row->max_ways = cost->ways;
}

static bool stats_header(void *context, const struct trace_header *header, struct error *error)
{
    (void)error;
    struct stats *stats = context;
    header_copy(&stats->header, header);
    return true;
}

static bool stats_access(void *context, const struct warp_access *access, struct error *error)
{
    struct stats *stats = context;
    const struct trace_header *header = &stats->header;
    struct stats_row key = {.stage = access->stage,
                            .round = stats->by == STATS_BY_ROUND ? access->round : -1,
                            .block = stats->by == STATS_BY_WARP ? access->block : -1,
                            .warp = stats->by == STATS_BY_WARP ? access->warp : -1,
                            .op = access->op};
    struct bank_cost cost;
    bank_model_cost(header, access, &cost);
    struct stats_row *row = row_of(stats, &key, error);
    if (!row)
        return false;
    row_add(row, access, &cost);
    row_add(&stats->total, access, &cost);
    return true;
}

static bool stats_end(void *context, const struct trace_end *end, struct error *error)
{
    (void)error;
    struct stats *stats = context;
    stats->end = *end;
    if (stats->rows)
        qsort(stats->row, stats->rows, sizeof *stats->row, compare_rows);
    free(stats->index); /* the numbers in it are stale now */
    stats->index = NULL;
    stats->index_size = 0;
    return true;
}

struct trace_sink stats_sink(struct stats *stats)
{
    return (struct trace_sink){stats_header, stats_access, stats_end, stats};
}

/* One cell of text per column of the table; the last row is the total. */
static void print_row(FILE *file, const struct stats *stats, const struct stats_row *row,
                      int stage_width, int op_width)
{
    bool total = row == &stats->total;
    fprintf(file, "%-*s", stage_width, total ? "total" : stats->header.stage[row->stage]);
    if (stats->by == STATS_BY_ROUND)
        total ? fprintf(file, " %6s", "") : fprintf(file, " %6d", row->round);
    if (stats->by == STATS_BY_WARP)
        total ? fprintf(file, " %6s %5s", "", "")
              : fprintf(file, " %6d %5d", row->block, row->warp);
    fprintf(file, "  %-*s %13" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %8d\n", op_width,
            total ? "" : op_name(row->op), row->warp_accesses, row->accesses, row->passes,
            row->conflicts, row->max_ways);
}

void stats_print(FILE *file, const struct stats *stats, const char *title)
{
    int width = 5;    /* "stage", "total" */
    int op_width = 5; /* "store" */
    for (size_t i = 0; i < stats->rows; i++) {
        int length = (int)strlen(stats->header.stage[stats->row[i].stage]);
        width = length > width ? length : width;
        length = (int)strlen(op_name(stats->row[i].op));
        op_width = length > op_width ? length : op_width;
    }
    if (title)
        fprintf(file, "%s\n", title);
    fprintf(file, "%-*s", width, "stage");
    if (stats->by == STATS_BY_ROUND)
        fprintf(file, " %6s", "round");
    if (stats->by == STATS_BY_WARP)
        fprintf(file, " %6s %5s", "block", "warp");
    fprintf(file, "  %-*s %13s %12s %12s %12s %8s\n", op_width, "op", "warp accesses", "accesses",
            "passes", "conflicts", "max ways");
    for (size_t i = 0; i < stats->rows; i++)
        print_row(file, stats, &stats->row[i], width, op_width);
    print_row(file, stats, &stats->total, width, op_width);
}

static cJSON *row_json(const struct stats *stats, const struct stats_row *row)
{
    cJSON *json = cJSON_CreateObject();
    if (row != &stats->total) {
        cJSON_AddStringToObject(json, "stage", stats->header.stage[row->stage]);
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
    return json;
}

bool stats_print_json(FILE *file, const struct stats *stats, struct error *error)
{
    cJSON *json = cJSON_CreateObject();
    cJSON *stages = cJSON_AddArrayToObject(json, "stages");
    for (size_t i = 0; i < stats->rows; i++)
        cJSON_AddItemToArray(stages, row_json(stats, &stats->row[i]));
    cJSON_AddItemToObject(json, "total", row_json(stats, &stats->total));
    char *text = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
    if (!text)
        return error_set(error, "out of memory for the statistics");
    bool written = fprintf(file, "%s\n", text) > 0;
    cJSON_free(text);
    return written || error_set(error, "cannot write the statistics");
}
