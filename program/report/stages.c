/* stages.c - what a CUDA program's launches cost by stage or round, as a table, CSV or JSON. */
#include "program/report/stages.h"

#include <cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool same_stages(const struct trace_header *a, const struct trace_header *b)
{
    bool same = !strcmp(a->kernel, b->kernel) && a->stages == b->stages &&
                !memcmp(a->grid_dim, b->grid_dim, sizeof a->grid_dim) &&
                !memcmp(a->block_dim, b->block_dim, sizeof a->block_dim);
    for (int i = 0; same && i < a->stages; i++)
        same = !strcmp(a->stage[i], b->stage[i]);
    return same;
}

static bool stages_header(void *context, const struct trace_header *header, struct error *error)
{
    struct stage_tables *tables = context;
    size_t i = 0;
    while (i < tables->tables && !same_stages(&tables->table[i].stats.header, header))
        i++;
    if (i < tables->tables) {
        tables->table[i].launches++;
        tables->to = stats_sink(&tables->table[i].stats);
        return true;
    }
    if (!memory_grow(&tables->table, &tables->room, i + 1, sizeof *tables->table, "launches",
                     error))
        return false;
    struct stage_table *table = &tables->table[tables->tables++];
    *table = (struct stage_table){.first = tables->number, .launches = 1};
    stats_init(&table->stats, tables->by);
    tables->to = stats_sink(&table->stats);
    return tables->to.header(tables->to.context, header, error);
}

static bool stages_access(void *context, const struct warp_access *access, struct error *error)
{
    struct stage_tables *tables = context;
    return tables->to.access(tables->to.context, access, error);
}

static bool stages_end(void *context, const struct trace_end *end, struct error *error)
{
    struct stage_tables *tables = context;
    return tables->to.end(tables->to.context, end, error);
}

bool stages_begin(void *context, const struct program_launch *launch, struct trace_sink *sink,
                  struct error *error)
{
    struct stage_tables *tables = context;
    (void)error;
    tables->number = launch->number;
    *sink = (struct trace_sink){stages_header, stages_access, stages_end, tables};
    return true;
}

bool stages_close(void *context, struct error *error)
{
    (void)context, (void)error;
    return true;
}

void stages_print(FILE *file, const struct stage_tables *tables)
{
    for (size_t i = 0; i < tables->tables; i++) {
        const struct stage_table *table = &tables->table[i];
        fprintf(file, "%s%s: ", i ? "\n" : "", table->stats.header.kernel);
        if (table->launches > 1)
            fprintf(file, "%" PRIu64 " launches from %" PRIu64 "\n", table->launches, table->first);
        else
            fprintf(file, "launch %" PRIu64 "\n", table->first);
        stats_print(file, &table->stats);
    }
    if (!tables->tables)
        fprintf(file, "no access to shared memory\n");
}

bool stages_print_csv(FILE *file, const struct stage_tables *tables, struct error *error)
{
    for (size_t i = 0; i < tables->tables; i++) {
        const struct stage_table *table = &tables->table[i];
        char *cells = NULL;
        size_t length;
        FILE *text = open_memstream(&cells, &length);
        if (!text)
            return error_set(error, "out of memory for the table");
        text_put(text, TEXT_CELL, table->stats.header.kernel);
        fprintf(text, ",%" PRIu64 ",%" PRIu64 ",", table->first, table->launches);
        if (fclose(text) == 0)
            stats_print_csv(file, &table->stats, i ? NULL : "kernel,launch,launches,", cells);
        free(cells);
    }
    return true;
}

bool stages_print_json(FILE *file, const struct stage_tables *tables, struct error *error)
{
    cJSON *root = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(root, "launches");
    bool good = list;
    for (size_t i = 0; good && i < tables->tables; i++) {
        const struct stage_table *table = &tables->table[i];
        char *text = NULL;
        size_t length;
        FILE *stream = open_memstream(&text, &length);
        good = stream && stats_print_json(stream, &table->stats, error);
        if (stream)
            fclose(stream);
        cJSON *object = good ? cJSON_Parse(text) : NULL;
        free(text);
        good = object;
        cJSON_AddNumberToObject(object, "launches", (double)table->launches);
        cJSON_AddNumberToObject(object, "launch", (double)table->first);
        cJSON_AddStringToObject(object, "kernel", table->stats.header.kernel);
        cJSON_AddItemToArray(list, object);
    }
    char *text = good ? cJSON_PrintUnformatted(root) : NULL;
    cJSON_Delete(root);
    if (text)
        fprintf(file, "%s\n", text_clean(text));
    cJSON_free(text);
    return text || error_set(error, "out of memory for the table");
}

void stages_free(struct stage_tables *tables)
{
    for (size_t i = 0; i < tables->tables; i++)
        stats_free(&tables->table[i].stats);
    free(tables->table);
}
