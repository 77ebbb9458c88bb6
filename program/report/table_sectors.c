/* table_sectors.c - the part of a report that is about global memory: requests and sectors. */
#include "program/report/table_lines.h"

#include <inttypes.h>
#include <string.h>

/* The names of the counters' operations: ld, st, red, atom. */
static const enum op ops[] = {OP_LOAD, OP_STORE, OP_REDUCTION, OP_ATOMIC};

static double per_request(const struct tally *tally)
{
    return tally->instructions ? (double)tally->passes / (double)tally->instructions : 0;
}

static uint64_t least_of(const struct tally *tally)
{
    return tally->passes - tally->conflicts;
}

/* The sum over an operation on global memory; OPS: all. What asynchronous copies read is loaded. */
static struct tally sum_of(const struct table_lines *lines, enum op op)
{
    struct tally sum = {0};
    for (size_t i = 0; i < lines->count; i++) {
        const enum op of = lines->line[i].op,
                      is = of == OP_ASYNC_LOAD || of == OP_ASYNC_LOAD_CG ? OP_LOAD : of;
        if (lines->line[i].space == SPACE_GLOBAL && (op == OPS || op == is))
            tally_add(&sum, &lines->line[i].tally);
    }
    return sum;
}

struct tally sectors_total(const struct table_lines *lines)
{
    return sum_of(lines, OPS);
}

/* "load", "local load" */
static void name_op(const struct table_line *line, char *text, size_t room)
{
    snprintf(text, room, "%s%s", line->space == SPACE_LOCAL ? "local " : "", op_name(line->op));
}

static void put_tally(struct tabular *tabular, const struct tally *tally)
{
    tabular_count(tabular, tally->instructions);
    tabular_count(tabular, tally->passes);
    tabular_real(tabular, per_request(tally));
    tabular_count(tabular, least_of(tally));
}

void sectors_print(FILE *file, const struct program_table *table, const struct table_lines *lines,
                   enum table_by by)
{
    static const struct tabular_column columns[] = {
        {TABULAR_TEXT, TABULAR_PRINT, .name = "global", .gap = 2, .width = 9},
        {TABULAR_COUNT, TABULAR_PRINT, .name = "requests", .gap = 1, .width = 12},
        {TABULAR_COUNT, TABULAR_PRINT, .name = "sectors", .gap = 1, .width = 12},
        {TABULAR_REAL, TABULAR_PRINT, .name = "per request", .gap = 1, .width = 12, .digits = 2},
        {TABULAR_COUNT, TABULAR_PRINT, .name = "least", .gap = 1, .width = 12},
        {TABULAR_REAL, TABULAR_PRINT, .name = "share", .gap = 1, .width = 6, .digits = 1,
         .unit = "%"},
    };
    enum { OF_SECTORS = 4 }; /* columns, of which local memory has no numbers */
    const struct tally sum = sum_of(lines, OPS);
    struct tabular tabular;
    bool local = false;
    lines_begin(&tabular, by, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < lines->count; i++) {
        const struct table_line *line = &lines->line[i];
        const double passes = (double)line->tally.passes;
        char op[40];
        lines_put_place(&tabular, line);
        name_op(line, op, sizeof op);
        tabular_text(&tabular, op);
        if (line->space == SPACE_LOCAL) {
            tabular_count(&tabular, line->tally.instructions);
            tabular_blank(&tabular, OF_SECTORS);
            local = true;
        } else {
            put_tally(&tabular, &line->tally);
            tabular_real(&tabular, sum.passes ? 100.0 * passes / (double)sum.passes : 0.0);
        }
        lines_put_source(&tabular, table, line);
    }
    lines_put_total(&tabular);
    put_tally(&tabular, &sum);
    tabular_print(file, &tabular);
    tabular_free(&tabular);
    if (local)
        fputs("local: in memory of each thread's own, where arrays with computed indices are; "
              "their sectors are not counted\n",
              file);
}

static void json_sectors(cJSON *to, const struct tally *tally)
{
    cJSON_AddNumberToObject(to, "requests", (double)tally->instructions);
    cJSON_AddNumberToObject(to, "sectors", (double)tally->passes);
    cJSON_AddNumberToObject(to, "sectors_per_request", per_request(tally));
    cJSON_AddNumberToObject(to, "least_sectors", (double)least_of(tally));
}

static void json_line_sectors(cJSON *to, const struct tally *tally)
{
    json_sectors(to, tally);
    cJSON_AddNumberToObject(to, "max_sectors", tally->max_ways);
}

cJSON *sectors_json(const struct program_table *table, const struct launch_table *launch,
                    const struct table_lines *lines, enum table_by by)
{
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        const struct tally sum = sum_of(lines, ops[i]);
        json_sectors(cJSON_AddObjectToObject(object, op_name(ops[i])), &sum);
    }
    cJSON *global = cJSON_AddArrayToObject(object, "lines");
    cJSON *local = cJSON_AddArrayToObject(object, "local");
    for (size_t i = 0; i < lines->count; i++) {
        const struct table_line *line = &lines->line[i];
        cJSON *item = cJSON_CreateObject();
        line_json(item, line, by);
        cJSON_AddStringToObject(item, "op", op_name(line->op));
        if (line->space == SPACE_GLOBAL) {
            json_line_sectors(item, &line->tally);
            line_json_arrays(item, table, launch, line, by, json_line_sectors);
        } else {
            cJSON_AddNumberToObject(item, "instructions", (double)line->tally.instructions);
        }
        cJSON_AddItemToArray(line->space == SPACE_GLOBAL ? global : local, item);
    }
    return object;
}
