/* table_sectors.c - the part of a report that is about global memory: requests and sectors. */
#include "program/table_lines.h"

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

static void print_line(FILE *file, const struct table_line *line, uint64_t all)
{
    const struct tally *tally = &line->tally;
    fprintf(file, " %12" PRIu64, tally->instructions);
    if (line->space == SPACE_LOCAL)
        fprintf(file, " %12s %12s %12s %6s", "-", "-", "-", "-");
    else
        fprintf(file, " %12" PRIu64 " %12.2f %12" PRIu64 " %5.1f%%", tally->passes,
                per_request(tally), least_of(tally),
                all ? 100.0 * (double)tally->passes / (double)all : 0.0);
}

void sectors_print(FILE *file, const struct program_table *table, const struct table_lines *lines,
                   enum table_by by)
{
    const struct tally sum = sum_of(lines, OPS);
    const int width = lines_width(lines);
    int op_width = 9;
    char text[1000], op[40];
    bool local = false;
    for (size_t i = 0; i < lines->count; i++) {
        name_op(&lines->line[i], op, sizeof op);
        op_width = op_width < (int)strlen(op) ? (int)strlen(op) : op_width;
        local |= lines->line[i].space == SPACE_LOCAL;
    }
    fprintf(file, "%-*s  %-*s %12s %12s %12s %12s %6s%s\n", width, lines_heading(by), op_width,
            "global", "requests", "sectors", "per request", "least", "share",
            by == TABLE_BY_ARRAY ? "" : "  source");
    for (size_t i = 0; i < lines->count; i++) {
        const struct table_line *line = &lines->line[i];
        line_where(line, text, sizeof text);
        name_op(line, op, sizeof op);
        fprintf(file, "%-*s  %-*s", width, text, op_width, op);
        print_line(file, line, sum.passes);
        line_end_row(file, table, line);
    }
    fprintf(file, "%-*s  %-*s %12" PRIu64 " %12" PRIu64 " %12.2f %12" PRIu64 "\n", width, "total",
            op_width, "", sum.instructions, sum.passes, per_request(&sum), least_of(&sum));
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
