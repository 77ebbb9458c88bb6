/* sweep_table.c - a sweep's points as a table, CSV or JSON: a row for each, in their order. */
#include "measure/sweep.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What a table shows of a point, behind the axes' values. */
static const char *const columns[] = {"warp_accesses", "accesses", "passes", "conflicts",
                                      "max_ways"};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void values_of(const struct sweep_point *point, uint64_t value[COLUMNS])
{
    const uint64_t all[COLUMNS] = {point->warp_accesses, point->accesses, point->passes,
                                   point->conflicts, (uint64_t)point->max_ways};
    memcpy(value, all, sizeof all);
}

bool sweep_in_share(const struct sweep *sweep, size_t point)
{
    return point % sweep->step == sweep->first;
}

static int axis_width(const struct sweep_axis *axis)
{
    size_t width = strlen(axis->name);
    for (int i = 0; i < axis->count; i++)
        if (strlen(axis->value[i]) > width)
            width = strlen(axis->value[i]);
    return (int)width;
}

void sweep_print(const struct sweep *sweep)
{
    for (int i = 0; i < sweep->axes && sweep->first == 0; i++)
        printf("%*s  ", axis_width(&sweep->axis[i]), sweep->axis[i].name);
    for (int i = 0; i < COLUMNS && sweep->first == 0; i++)
        printf("%14s%s", columns[i], i + 1 < COLUMNS ? "" : "\n");
    for (size_t k = 0; k < sweep->points; k++) {
        const struct sweep_point *point = &sweep->point[k];
        uint64_t value[COLUMNS];
        if (!sweep_in_share(sweep, k))
            continue;
        for (int i = 0; i < sweep->axes; i++)
            printf("%*s  ", axis_width(&sweep->axis[i]), sweep_value(sweep, k, i));
        values_of(point, value);
        for (int i = 0; i < COLUMNS && point->state == SWEEP_DONE; i++)
            printf("%14" PRIu64, value[i]);
        puts(point->state == SWEEP_DONE      ? ""
             : point->state == SWEEP_REFUSED ? "  refused"
                                             : "  missing");
    }
}

static bool write_csv(const struct sweep *sweep, FILE *file, struct error *error)
{
    (void)error;
    for (int i = 0; i < sweep->axes && sweep->first == 0; i++)
        text_put(file, TEXT_CELL, sweep->axis[i].name), fputc(',', file);
    for (int i = 0; i < COLUMNS && sweep->first == 0; i++)
        fprintf(file, "%s%c", columns[i], i + 1 < COLUMNS ? ',' : '\n');
    for (size_t k = 0; k < sweep->points; k++) {
        uint64_t value[COLUMNS];
        if (!sweep_in_share(sweep, k))
            continue;
        for (int i = 0; i < sweep->axes; i++)
            text_put(file, TEXT_CELL, sweep_value(sweep, k, i)), fputc(',', file);
        values_of(&sweep->point[k], value);
        for (int i = 0; i < COLUMNS; i++) {
            if (sweep->point[k].state == SWEEP_DONE)
                fprintf(file, "%" PRIu64, value[i]);
            fputc(i + 1 < COLUMNS ? ',' : '\n', file);
        }
    }
    return true;
}

static cJSON *point_object(const struct sweep *sweep, size_t k)
{
    const struct sweep_point *point = &sweep->point[k];
    cJSON *object = cJSON_CreateObject();
    uint64_t value[COLUMNS];
    for (int i = 0; i < sweep->axes; i++) {
        const char *text = sweep_value(sweep, k, i);
        char *end;
        double number = strtod(text, &end);
        if (*end)
            cJSON_AddStringToObject(object, sweep->axis[i].name, text);
        else
            cJSON_AddNumberToObject(object, sweep->axis[i].name, number);
    }
    values_of(point, value);
    for (int i = 0; i < COLUMNS && point->state == SWEEP_DONE; i++)
        cJSON_AddNumberToObject(object, columns[i], (double)value[i]);
    if (point->state != SWEEP_DONE)
        cJSON_AddStringToObject(object, "refused",
                                point->state == SWEEP_REFUSED ? point->why : "missing");
    return object;
}

/* A list of objects: one per point. */
static bool write_json(const struct sweep *sweep, FILE *file, struct error *error)
{
    fputs("[", file);
    const char *between = "\n";
    for (size_t k = 0; k < sweep->points; k++) {
        if (!sweep_in_share(sweep, k))
            continue;
        cJSON *object = point_object(sweep, k);
        char *text = cJSON_PrintUnformatted(object);
        cJSON_Delete(object);
        if (!text)
            return error_set(error, "out of memory");
        fprintf(file, "%s%s", between, text_clean(text));
        between = ",\n";
        cJSON_free(text);
    }
    fputs("\n]\n", file);
    return true;
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
