/* table_json.c - what was recorded, as the object of `run --json`. */
#include "program/excuse.h"
#include "program/report/table_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void json_tally(cJSON *to, const struct tally *tally)
{
    cJSON_AddNumberToObject(to, "instructions", (double)tally->instructions);
    cJSON_AddNumberToObject(to, "passes", (double)tally->passes);
    cJSON_AddNumberToObject(to, "conflicts", (double)tally->conflicts);
}

static void json_line_tally(cJSON *to, const struct tally *tally)
{
    json_tally(to, tally);
    cJSON_AddNumberToObject(to, "max_ways", tally->max_ways);
}

static void json_shape(cJSON *to, const char *name, const uint32_t size[3])
{
    cJSON *array = cJSON_AddArrayToObject(to, name);
    for (int i = 0; i < 3; i++)
        cJSON_AddItemToArray(array, cJSON_CreateNumber(size[i]));
}

void line_json_arrays(cJSON *to, const struct program_table *table,
                      const struct launch_table *launch, const struct table_line *line,
                      enum table_by by, void (*put)(cJSON *to, const struct tally *tally))
{
    enum { MOST = 32 };
    struct part {
        int array, column;
        uint64_t most; /* conflicts of one instruction */
        struct tally tally;
    } part[MOST];
    int parts = 0, k;
    size_t count;
    const struct source_array *arrays = lines_arrays(table->lines, &count);
    for (size_t i = 0; i < launch->rows; i++) {
        const struct table_row *row = &launch->row[i];
        struct table_line of;
        table_line_of(table, row, by, &of);
        if (!table_line_same(&of, line))
            continue;
        for (k = 0; k < parts && part[k].array != row->array; k++)
            ;
        if (k == MOST)
            continue;
        if (k == parts)
            part[parts++] = (struct part){.array = row->array, .column = of.place->column};
        if (row->tally.conflicts > part[k].most) {
            part[k].most = row->tally.conflicts;
            part[k].column = of.place->column;
        }
        tally_add(&part[k].tally, &row->tally);
    }
    cJSON *list = cJSON_AddArrayToObject(to, "arrays");
    for (k = 0; k < parts; k++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", part[k].array < 0 ? "" : arrays[part[k].array].name);
        if (part[k].column)
            cJSON_AddNumberToObject(item, "column", part[k].column);
        put(item, &part[k].tally);
        cJSON_AddItemToArray(list, item);
    }
}

void line_json(cJSON *to, const struct table_line *line, enum table_by by)
{
    cJSON_AddStringToObject(to, "file", line->place->file);
    cJSON_AddNumberToObject(to, "line", line->place->line);
    cJSON *calls = by == TABLE_BY_CALL ? cJSON_AddArrayToObject(to, "calls") : NULL;
    for (int k = 0; k < line->calls; k++) {
        cJSON *call = cJSON_CreateObject();
        cJSON_AddStringToObject(call, "file", line->call[k].file);
        cJSON_AddNumberToObject(call, "line", line->call[k].line);
        cJSON_AddItemToArray(calls, call);
    }
}

/* By array, too, its lines are source lines. */
static cJSON *json_launch(const struct program_table *table, const struct launch_table *launch,
                          enum table_by by)
{
    struct table_lines lines = {0}, global = {0};
    cJSON *object = cJSON_CreateObject();
    by = by == TABLE_BY_CALL ? by : TABLE_BY_LINE;
    table_lines_add(&lines, table, launch, by, SPACE_SHARED);
    table_lines_add(&global, table, launch, by, SPACE_GLOBAL);
    table_lines_sort(&lines);
    table_lines_sort(&global);
    cJSON_AddStringToObject(object, "kernel", launch->name);
    cJSON_AddNumberToObject(object, "launch", (double)launch->number);
    cJSON_AddNumberToObject(object, "launches", (double)launch->launches);
    cJSON_AddNumberToObject(object, "process", (double)launch->process);
    if (launch->parent) { /* a kernel launched it */
        const struct source_place *place =
            launch->parent_pc ? lines_place(table->lines, launch->parent_pc) : NULL;
        cJSON *by_kernel = cJSON_AddObjectToObject(object, "launched_by");
        cJSON_AddStringToObject(by_kernel, "kernel", launch->parent);
        if (place && place->line) {
            cJSON_AddStringToObject(by_kernel, "file", place->file);
            cJSON_AddNumberToObject(by_kernel, "line", place->line);
        }
    }
    json_shape(object, "grid", launch->grid);
    json_shape(object, "block", launch->block);
    cJSON_AddNumberToObject(object, "warp", launch->warp);
    cJSON_AddStringToObject(object, "code", lines_told(table->lines));
    cJSON_AddNumberToObject(object, "blocks", (double)launch->end.blocks);
    cJSON_AddNumberToObject(object, "recorded_blocks", (double)launch->end.recorded_blocks);
    if (launch->end.instructions)
        cJSON_AddNumberToObject(object, "instructions", (double)launch->end.instructions);
    if (launch_is_stopped(launch))
        cJSON_AddBoolToObject(object, "stopped", true);
    if (launch->end.repeated)
        cJSON_AddNumberToObject(object, "repeated", (double)launch->end.repeated);
    if (launch->end.partly_checked)
        cJSON_AddBoolToObject(object, "partly_checked", true);
    static const enum op ops[] = {OP_LOAD, OP_STORE, OP_ATOMIC};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct tally sum = table_lines_total(&lines, ops[i]);
        json_tally(cJSON_AddObjectToObject(object, op_name(ops[i])), &sum);
    }
    cJSON *list = cJSON_AddArrayToObject(object, "lines");
    for (size_t i = 0; i < lines.count; i++) {
        const struct table_line *line = &lines.line[i];
        cJSON *item = cJSON_CreateObject();
        line_json(item, line, by);
        cJSON_AddStringToObject(item, "op", op_name(line->op));
        json_line_tally(item, &line->tally);
        line_json_arrays(item, table, launch, line, by, json_line_tally);
        cJSON_AddStringToObject(item, "source",
                                lines_text(table->lines, line->place->file, line->place->line));
        cJSON_AddItemToArray(list, item);
    }
    if (table->memory != MEMORY_SHARED)
        cJSON_AddItemToObject(object, "global", sectors_json(table, launch, &global, by));
    if (launch->end.dropped)
        cJSON_AddNumberToObject(object, "dropped", (double)launch->end.dropped);
    free(lines.line);
    free(global.line);
    return object;
}

static void json_estimates(cJSON *to, const struct program_table *table)
{
    struct source_estimate *estimate;
    const size_t count = table_estimates(table, &estimate);
    cJSON *list = cJSON_AddArrayToObject(to, "estimates");
    for (size_t i = 0; i < count; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "file", estimate[i].file);
        cJSON_AddNumberToObject(item, "line", estimate[i].line);
        cJSON_AddStringToObject(item, "op", op_name(estimate[i].op));
        cJSON_AddStringToObject(item, "space", estimate[i].global ? "global" : "shared");
        if (estimate[i].accesses)
            cJSON_AddNumberToObject(
                item, estimate[i].global && !estimate[i].chance ? "requests" : "turns",
                (double)estimate[i].accesses);
        cJSON_AddItemToArray(list, item);
    }
    free(estimate);
}

static cJSON *json_fault(const struct table_fault *fault)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "kind", fault->kind);
    if (fault->place && fault->place->line) {
        cJSON_AddStringToObject(object, "file", fault->place->file);
        cJSON_AddNumberToObject(object, "line", fault->place->line);
        if (fault->place->column)
            cJSON_AddNumberToObject(object, "column", fault->place->column);
    }
    cJSON_AddNumberToObject(object, "count", (double)fault->count);
    cJSON_AddBoolToObject(object, "error", fault->error);
    cJSON_AddStringToObject(object, "text", fault->text);
    return object;
}

/* What the numbers depend on beside the program, for whoever compares two reports. */
static void json_about(cJSON *to, const struct table_about *about)
{
    cJSON_AddStringToObject(to, "bankscope", about->bankscope ? about->bankscope : "");
    cJSON_AddStringToObject(to, "compiler", about->compiler ? about->compiler : "");
    cJSON_AddNumberToObject(to, "capability", about->capability);
    cJSON_AddStringToObject(to, "device", about->device ? about->device : "");
    cJSON *flags = cJSON_AddArrayToObject(to, "flags");
    for (int i = 0; i < about->words; i++)
        cJSON_AddItemToArray(flags, cJSON_CreateString(about->word[i]));
}

/* Prints an object without the brace that it begins with, and deletes it. false: out of memory, or it is not written. */
static bool print_object(FILE *file, cJSON *object)
{
    char *text = cJSON_PrintUnformatted(object);
    const bool good = text && fputs(text_clean(text) + 1, file) >= 0;
    cJSON_free(text);
    cJSON_Delete(object);
    return good;
}

/* One launch after another: there may be many. */
bool table_print_json(FILE *file, const struct program_table *table, enum table_by by,
                      struct error *error)
{
    bool good = fputs("{\"launches\":[", file) >= 0;
    for (size_t i = 0; i < table->launches && good; i++)
        good = fputs(i ? ",{" : "{", file) >= 0 &&
               print_object(file, json_launch(table, &table->launch[i], by));
    cJSON *object = cJSON_CreateObject();
    cJSON *faults = cJSON_AddArrayToObject(object, "faults");
    for (size_t i = 0; i < table->faults; i++)
        cJSON_AddItemToArray(faults, json_fault(&table->fault[i]));
    excuses_json(object, table->excuses);
    json_estimates(object, table);
    json_about(object, &table->about);
    good = good && fputs("],", file) >= 0 && print_object(file, object) && fputc('\n', file) >= 0;
    return good || error_set(error, "cannot write the JSON of %zu launches", table->launches);
}
