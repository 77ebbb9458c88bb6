/* advice_table.c - see advice_table.h. */
#include "measure/advice_table.h"
#include "base/tabular.h"

#include <inttypes.h>

static const struct tabular_column columns[] = {
    {TABULAR_TEXT, TABULAR_CSV, .name = "kernel"},
    {TABULAR_TEXT, TABULAR_CSV, .name = "array"},
    {TABULAR_TEXT, TABULAR_PRINT | TABULAR_CSV, .name = "layout", .gap = 2, .width = 44},
    {TABULAR_COUNT, TABULAR_CSV, .name = "warp_accesses"},
    {TABULAR_COUNT, TABULAR_PRINT | TABULAR_CSV, .name = "passes", .gap = 1, .width = 12},
    {TABULAR_COUNT, TABULAR_PRINT | TABULAR_CSV, .name = "conflicts", .gap = 1, .width = 12},
    {TABULAR_COUNT, TABULAR_CSV, .name = "irregular"},
    {TABULAR_COUNT, TABULAR_PRINT | TABULAR_CSV, .name = "extra_bytes", .gap = 1, .width = 12},
    {TABULAR_TEXT, TABULAR_CSV, .name = "declaration"},
    {TABULAR_TEXT, TABULAR_CSV, .name = "access"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void put_row(struct tabular *tabular, const char *kernel, const struct advice_array *array,
                    const struct advice_row *row)
{
    char layout[128], declaration[160] = "", access[160] = "";
    advice_describe(array, &row->layout, layout, sizeof layout);
    if (row != &array->today)
        advice_write(array, &row->layout, declaration, access, sizeof access);
    tabular_row(tabular);
    tabular_text(tabular, kernel);
    tabular_text(tabular, array->array.name);
    tabular_text(tabular, layout);
    tabular_count(tabular, array->warp_accesses);
    tabular_count(tabular, row->passes);
    tabular_count(tabular, row->conflicts);
    tabular_count(tabular, row->irregular);
    tabular_count(tabular, (uint64_t)row->extra_bytes);
    tabular_text(tabular, declaration);
    tabular_text(tabular, access);
}

static void put_array(struct tabular *tabular, const char *kernel, const struct advice_array *array)
{
    put_row(tabular, kernel, array, &array->today);
    for (int i = 0; i < array->rows; i++)
        put_row(tabular, kernel, array, &array->row[i]);
}

/* "float tile[32][32]"; the whole shared memory where arrays are not named. */
static void print_name(const struct trace_array *array)
{
    if (!*array->name) {
        printf("shared memory");
        return;
    }
    printf("%s%s%s", array->type, *array->type ? " " : "", array->name);
    for (int i = 0; i < array->dims; i++)
        printf("[%d]", array->dim[i]);
}

/* What layouts that take more memory cost: blocks on a multiprocessor. */
static void print_price(const struct trace_header *header, const struct advice_array *array)
{
    for (int i = 0; i < array->rows; i++) {
        const int64_t before = header->shared_bytes, after = before + array->row[i].extra_bytes;
        char layout[128];
        if (!array->row[i].extra_bytes)
            continue;
        advice_describe(array, &array->row[i].layout, layout, sizeof layout);
        printf("  price    %" PRId64 " -> %" PRId64
               " bytes of shared memory a block (%s)\n           blocks on a multiprocessor:",
               before, after, layout);
        for (int k = 0; k < MULTIPROCESSORS; k++) {
            const struct multiprocessor *of = &multiprocessors[k];
            const int today = multiprocessor_blocks(of, header->threads, before),
                      then = multiprocessor_blocks(of, header->threads, after);
            printf("%s %d", k ? "," : "", today);
            if (then != today)
                printf(" -> %d", then);
            printf(" of %d KB", of->kilobytes);
        }
        printf("\n");
    }
}

static void print_array(const struct trace_header *header, const struct advice_array *array)
{
    const struct advice_row *today = &array->today, *best = array->rows ? array->row : today;
    print_name(&array->array);
    printf(": %" PRIu64 " warp access%s, %" PRIu64 " conflict%s\n", array->warp_accesses,
           array->warp_accesses == 1 ? "" : "es", today->conflicts,
           today->conflicts == 1 ? "" : "s");
    if (today->conflicts == 0)
        return;
    struct tabular tabular;
    tabular_init(&tabular, columns, COLUMNS);
    put_array(&tabular, header->kernel, array);
    tabular_print(stdout, &tabular);
    tabular_free(&tabular);
    for (int i = 0; i < array->rows; i++) {
        char declaration[160], access[160];
        advice_write(array, &array->row[i].layout, declaration, access, sizeof access);
        printf("  %s %s; then %s\n", i ? "or write" : "write   ", declaration, access);
    }
    print_price(header, array);
    if (!array->rows)
        printf("  none of the layouts tried costs less\n");
    if (best->irregular == 0)
        return;
    char which[64];
    if (best->irregular == best->conflicts)
        snprintf(which, sizeof which, "all %" PRIu64, best->conflicts);
    else
        snprintf(which, sizeof which, "%" PRIu64 " of the %" PRIu64, best->irregular,
                 best->conflicts);
    printf("  %s conflicts left are in accesses whose lanes follow no pattern, as when data\n"
           "  decides what a lane reads: no fixed layout avoids these for all data\n",
           which);
}

void advice_print(const struct advice *advice)
{
    for (int i = 0; i < advice->arrays; i++)
        print_array(&advice->header, &advice->array[i]);
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static cJSON *row_json(const struct trace_header *header, const struct advice_array *array,
                       const struct advice_row *row)
{
    char layout[128], declaration[160], access[160];
    cJSON *object = cJSON_CreateObject();
    advice_describe(array, &row->layout, layout, sizeof layout);
    cJSON_AddStringToObject(object, "layout", layout);
    cJSON_AddNumberToObject(object, "passes", (double)row->passes);
    cJSON_AddNumberToObject(object, "conflicts", (double)row->conflicts);
    cJSON_AddNumberToObject(object, "irregular", (double)row->irregular);
    cJSON_AddNumberToObject(object, "extra_bytes", (double)row->extra_bytes);
    const int64_t shared = header->shared_bytes + row->extra_bytes;
    cJSON_AddNumberToObject(object, "shared_bytes", (double)shared);
    cJSON *blocks = cJSON_AddArrayToObject(object, "blocks");
    for (int i = 0; i < MULTIPROCESSORS; i++) {
        const struct multiprocessor *of = &multiprocessors[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "kilobytes", of->kilobytes);
        cJSON_AddNumberToObject(item, "blocks", multiprocessor_blocks(of, header->threads, shared));
        cJSON_AddItemToArray(blocks, item);
    }
    if (row != &array->today) {
        advice_write(array, &row->layout, declaration, access, sizeof access);
        cJSON_AddStringToObject(object, "declaration", declaration);
        cJSON_AddStringToObject(object, "access", access);
    }
    return object;
}

cJSON *advice_add_json(cJSON *to, const struct advice *advice)
{
    cJSON *arrays = cJSON_AddArrayToObject(to, "arrays");
    for (int i = 0; i < advice->arrays; i++) {
        const struct advice_array *array = &advice->array[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddItemToArray(arrays, object);
        cJSON_AddStringToObject(object, "name", array->array.name);
        cJSON_AddNumberToObject(object, "warp_accesses", (double)array->warp_accesses);
        cJSON_AddItemToObject(object, "today", row_json(&advice->header, array, &array->today));
        cJSON *layouts = cJSON_AddArrayToObject(object, "layouts");
        for (int k = 0; k < array->rows; k++)
            cJSON_AddItemToArray(layouts, row_json(&advice->header, array, &array->row[k]));
    }
    return to;
}

/* ---- CSV ----------------------------------------------------------------------------------------- */

void advice_csv_head(void)
{
    struct tabular tabular;
    tabular_init(&tabular, columns, COLUMNS);
    tabular_print_csv_names(stdout, &tabular);
}

void advice_csv_rows(const char *kernel, const struct advice *advice)
{
    struct tabular tabular;
    tabular_init(&tabular, columns, COLUMNS);
    for (int i = 0; i < advice->arrays; i++)
        put_array(&tabular, kernel, &advice->array[i]);
    tabular_print_csv_rows(stdout, &tabular, "");
    tabular_free(&tabular);
}
