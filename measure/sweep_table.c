/* sweep_table.c - a sweep's points as a table, CSV or JSON: a row for each, in their order. */
#include "base/tabular.h"
#include "measure/sweep.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool sweep_in_share(const struct sweep *sweep, size_t point)
{
    return point % sweep->step == sweep->first;
}

/* The axes' values, and what was counted there. */
static const struct tabular_column columns[] = {
    {TABULAR_COUNT, TABULAR_ALL, .name = "warp_accesses", .title = "warp_accesses", .gap = 1,
     .width = 13},
    {TABULAR_COUNT, TABULAR_ALL, .name = "accesses", .gap = 1, .width = 13},
    {TABULAR_COUNT, TABULAR_ALL, .name = "passes", .gap = 1, .width = 13},
    {TABULAR_COUNT, TABULAR_ALL, .name = "conflicts", .gap = 1, .width = 13},
    {TABULAR_COUNT, TABULAR_ALL, .name = "max_ways", .title = "max_ways", .gap = 1, .width = 13},
    {TABULAR_TEXT, TABULAR_PRINT, .name = "", .gap = 2}, /* why there are no counts */
    {TABULAR_TEXT, TABULAR_JSON, .name = "refused"},
};
enum { COUNTS = 5, COLUMNS = sizeof columns / sizeof *columns };

static void put_point(struct tabular *tabular, const struct sweep *sweep, size_t k)
{
    const struct sweep_point *point = &sweep->point[k];
    tabular_row(tabular);
    for (int i = 0; i < sweep->axes; i++)
        tabular_text(tabular, sweep_value(sweep, k, i));
    if (point->state == SWEEP_DONE) {
        tabular_count(tabular, point->warp_accesses);
        tabular_count(tabular, point->accesses);
        tabular_count(tabular, point->passes);
        tabular_count(tabular, point->conflicts);
        tabular_count(tabular, (uint64_t)point->max_ways);
        return;
    }
    tabular_blank(tabular, COUNTS);
    tabular_text(tabular, point->state == SWEEP_REFUSED ? "refused" : "missing");
    tabular_text(tabular, point->state == SWEEP_REFUSED ? point->why : "missing");
}

static void put_points(struct tabular *tabular, const struct sweep *sweep)
{
    tabular_init(tabular, NULL, 0);
    for (int i = 0; i < sweep->axes; i++)
        tabular_add_columns(tabular,
                            &(struct tabular_column){TABULAR_WORD, TABULAR_ALL,
                                                     .name = sweep->axis[i].name, .gap = i ? 2 : 0},
                            1);
    tabular_add_columns(tabular, columns, COLUMNS);
    for (size_t k = 0; k < sweep->points; k++)
        if (sweep_in_share(sweep, k))
            put_point(tabular, sweep, k);
}

/* The first share has the names, so that the shares' tables are one, one after the other. */
void sweep_print(const struct sweep *sweep)
{
    struct tabular tabular;
    put_points(&tabular, sweep);
    (sweep->first == 0 ? tabular_print : tabular_print_rows)(stdout, &tabular);
    tabular_free(&tabular);
}

static bool write_csv(const struct sweep *sweep, FILE *file, struct error *error)
{
    struct tabular tabular;
    (void)error;
    put_points(&tabular, sweep);
    if (sweep->first == 0)
        tabular_print_csv_names(file, &tabular);
    tabular_print_csv_rows(file, &tabular, "");
    tabular_free(&tabular);
    return true;
}

/* A list of objects: one per point. */
static bool write_json(const struct sweep *sweep, FILE *file, struct error *error)
{
    struct tabular tabular;
    char *text = NULL;
    put_points(&tabular, sweep);
    fputs("[", file);
    for (size_t i = 0; i < tabular.rows; i++) {
        cJSON *object = tabular_json_row(&tabular, i);
        text = cJSON_PrintUnformatted(object);
        cJSON_Delete(object);
        if (!text)
            break;
        fprintf(file, "%s\n%s", i ? "," : "", text_clean(text));
        cJSON_free(text);
    }
    fputs("\n]\n", file);
    tabular_free(&tabular);
    return !sweep->points || text || error_set(error, "out of memory");
}

sweep_writer sweep_writer_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return strcmp(path, "-") == 0 || (dot && !strcasecmp(dot, ".csv")) ? write_csv
           : dot && !strcasecmp(dot, ".json")                          ? write_json
                                                                       : NULL;
}

/* ---- numbers of a point, for charts ---- */

static double per(const struct sweep_point *point, uint64_t count)
{
    return (double)count / (double)point->per;
}
static double conflicts_of(const struct sweep_point *point)
{
    return per(point, point->conflicts);
}
static double passes_of(const struct sweep_point *point)
{
    return per(point, point->passes);
}
static double ways_of(const struct sweep_point *point)
{
    return point->max_ways;
}
static double passes_per_access(const struct sweep_point *point)
{
    return (double)point->passes / (double)(point->warp_accesses ? point->warp_accesses : 1);
}
const struct sweep_measure sweep_measures[] = {
    {"conflicts", "bank conflicts", conflicts_of, true},
    {"passes", "passes", passes_of, true},
    {"ways", "most ways", ways_of, false},
    {"per-access", "passes per warp access", passes_per_access, false},
    {NULL, NULL, NULL, false},
};
