/* stats.c - totals over a trace, computed as it streams by. */
#include "instrument/model.h"

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

struct stats_row *stats_find(const struct stats *stats, const struct stats_row *key)
{
    size_t at = 0;
    for (uint32_t i; (i = hash_index_next(&stats->index, row_hash(key), &at)) != HASH_INDEX_NONE;)
        if (!compare_rows(&stats->row[i], key))
            return &stats->row[i];
    return NULL;
}

/* The row with the key's stage, round, block, warp and op; a new one if necessary. NULL: out of
 * memory. */
static struct stats_row *row_of(struct stats *stats, const struct stats_row *key,
                                struct error *error)
{
    static const char what[] = "rows of statistics";
    const uint32_t hash = row_hash(key);
    struct stats_row *row = stats_find(stats, key);
    if (row)
        return row;
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
