/* table.c - gathers what was recorded, by launch, source line and array. */
#include "program/report/table_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The row of an instruction and an array, made when there is none; NULL: out of memory. */
static struct table_row *row_of(struct launch_table *launch, uint64_t pc, enum program_space space,
                                enum op op, int array, struct error *error)
{
    const uint32_t hash = (uint32_t)hash_mix(
        hash_mix(0, pc), (uint64_t)space << 40 | (uint64_t)op << 32 | (uint32_t)array);
    size_t at = 0;
    for (uint32_t i; (i = hash_index_next(&launch->index, hash, &at)) != HASH_INDEX_NONE;) {
        struct table_row *row = &launch->row[i];
        if (row->pc == pc && row->space == space && row->op == op && row->array == array)
            return row;
    }
    if (!memory_grow(&launch->row, &launch->room, launch->rows + 1, sizeof *launch->row, "rows",
                     error) ||
        !hash_index_add(&launch->index, hash, (uint32_t)launch->rows, "rows", error))
        return NULL;
    struct table_row *row = &launch->row[launch->rows++];
    *row = (struct table_row){.pc = pc, .op = op, .space = space, .array = array};
    return row;
}

static bool on_launch(void *context, const struct program_launch *from, struct error *error)
{
    struct program_table *table = context;
    if (!memory_grow(&table->launch, &table->room, table->launches + 1, sizeof *table->launch,
                     "launches", error))
        return false;
    struct launch_table *launch = &table->launch[table->launches++];
    *launch = (struct launch_table){.name = memory_copy(from->name),
                                    .number = from->number,
                                    .launches = from->launches,
                                    .process = from->process,
                                    .parent = from->parent ? memory_copy(from->parent) : NULL,
                                    .parent_pc = from->parent_pc};
    memcpy(launch->grid, from->grid, sizeof launch->grid);
    memcpy(launch->block, from->block, sizeof launch->block);
    launch->end.blocks = (uint64_t)from->grid[0] * from->grid[1] * from->grid[2] * from->launches;
    launch->warp = from->warp;
    launch->banks = from->banks;
    return true;
}

static bool on_block_end(void *context, struct error *error)
{
    struct program_table *table = context;
    (void)error;
    table->launch[table->launches - 1].end.recorded_blocks++;
    return true;
}

static bool add_access(struct launch_table *launch, uint64_t pc, enum program_space space,
                       enum op op, int array, const struct tally *tally, struct error *error)
{
    struct table_row *row = row_of(launch, pc, space, op, array, error);
    if (row)
        tally_add(&row->tally, tally);
    return row;
}

static bool on_count(void *context, const struct program_count *count, struct error *error)
{
    struct program_table *table = context;
    struct launch_table *launch = &table->launch[table->launches - 1];
    launch->counted = true;
    return !count->tally.instructions || add_access(launch, count->pc, count->space, count->op,
                                                    count->array, &count->tally, error);
}

static bool on_access(void *context, const struct program_access *access, struct error *error)
{
    struct program_table *table = context;
    struct launch_table *launch = &table->launch[table->launches - 1];
    const struct trace_header gpu = {.banks = launch->banks, .bank_bytes = 4, .warp = launch->warp};
    struct bank_cost cost;
    struct warp_access view = {.op = lines_operation(table->lines, access->pc, access->op),
                               .bytes = access->bytes,
                               .lanes = access->lanes,
                               .lane = access->lane,
                               .addr = access->addr,
                               .global = access->global};
    if (launch->counted)
        return true;
    if (access->global) {
        struct sector_cost sectors;
        sector_model_cost(&view, &sectors);
        const struct tally one = {.instructions = 1,
                                  .accesses = (uint64_t)access->lanes,
                                  .passes = (uint64_t)sectors.sectors,
                                  .conflicts = (uint64_t)(sectors.sectors - sectors.least),
                                  .max_ways = sectors.sectors,
                                  .estimates = sectors.estimate};
        return add_access(launch, access->pc, SPACE_GLOBAL, view.op, ARRAY_UNKNOWN, &one, error);
    }
    bank_model_cost(&gpu, &view, &cost);
    const struct tally one = {.instructions = 1,
                              .accesses = (uint64_t)access->lanes,
                              .passes = (uint64_t)cost.passes,
                              .conflicts = (uint64_t)cost.conflicts,
                              .max_ways = cost.ways};
    return add_access(launch, access->pc, SPACE_SHARED, view.op,
                      lines_array(table->lines, access->addr[0]), &one, error);
}

/* Gives back what only a launch that goes on needs: there may be many of a few rows. */
static void shrink(struct launch_table *launch)
{
    struct table_row *row =
        launch->rows ? realloc(launch->row, launch->rows * sizeof *launch->row) : NULL;
    if (row) {
        launch->row = row;
        launch->room = launch->rows;
    }
    hash_index_free(&launch->index);
}

static bool on_launch_end(void *context, const struct program_end *end, struct error *error)
{
    struct program_table *table = context;
    struct launch_table *launch = &table->launch[table->launches - 1];
    (void)error;
    launch->end = *end;
    launch->ended = true;
    shrink(launch);
    return true;
}

/* "t.cu:23", or nothing */
static void describe_place(struct source_lines *lines, uint64_t pc, char *text, size_t room)
{
    const struct source_place *place = pc ? lines_place(lines, pc) : NULL;
    *text = '\0';
    if (place && place->line)
        snprintf(text, room, "%s:%d", place->file, place->line);
}

/* "t.cu:12: race: ... (thread (0, 0, 0) of block (1, 0, 0); the other access is at t.cu:13; 5 times)" */
static char *describe_fault(struct source_lines *lines, const struct program_fault *fault)
{
    char here[300] = "", other[300] = "", there[340] = "", who[120] = "", times[40] = "",
         text[1600];
    if (fault->pc)
        describe_place(lines, fault->pc, here, sizeof here);
    if (fault->other_pc)
        describe_place(lines, fault->other_pc, other, sizeof other);
    if (*other)
        snprintf(there, sizeof there, "; the other place is %s", other);
    if (fault->has_thread)
        snprintf(who, sizeof who, "thread (%u, %u, %u) of block (%u, %u, %u)", fault->thread[0],
                 fault->thread[1], fault->thread[2], fault->block[0], fault->block[1],
                 fault->block[2]);
    if (fault->count > 1)
        snprintf(times, sizeof times, "%s%" PRIu64 " times", *who || *there ? "; " : "",
                 fault->count);
    const char *aside = *who ? who : *there ? there + 2 : times;
    snprintf(text, sizeof text, "%s%s%s: %.600s%s%s%s%s%s", here, *here ? ": " : "", fault->kind,
             fault->text, *aside ? " (" : "", aside, *who ? there : "", *who || *there ? times : "",
             *aside ? ")" : "");
    return text_clean(memory_copy(text));
}

/* The fault of which the same would be said: a macro, a loop that was unrolled or a library's function has several
 * instructions on a line. NULL: none. */
static struct table_fault *same_fault(const struct program_table *table,
                                      const struct program_fault *from,
                                      const struct source_place *place)
{
    for (size_t i = 0; place && i < table->faults; i++) {
        struct table_fault *fault = &table->fault[i];
        struct program_fault as_often = *from;
        if (fault->launch != from->launch || !fault->place || fault->place->line != place->line)
            continue;
        as_often.count = fault->count;
        char *text = describe_fault(table->lines, &as_often);
        const bool same = !strcmp(text, fault->text);
        free(text);
        if (same)
            return fault;
    }
    return NULL;
}

static bool on_fault(void *context, const struct program_fault *from, struct error *error)
{
    struct program_table *table = context;
    const struct source_place *place = from->pc ? lines_place(table->lines, from->pc) : NULL;
    struct table_fault *same = same_fault(table, from, place);
    if (same) {
        struct program_fault both = *from;
        both.count = same->count += from->count;
        same->error |= from->error;
        free(same->text);
        same->text = describe_fault(table->lines, &both);
        return true;
    }
    if (!memory_grow(&table->fault, &table->fault_room, table->faults + 1, sizeof *table->fault,
                     "faults", error))
        return false;
    table->fault[table->faults++] = (struct table_fault){.kind = from->kind,
                                                         .place = place,
                                                         .text = describe_fault(table->lines, from),
                                                         .launch = from->launch,
                                                         .count = from->count,
                                                         .error = from->error};
    return true;
}

static int by_number(const void *a, const void *b)
{
    const struct launch_table *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static bool on_exit_of(void *context, const struct program_exit *end, struct error *error)
{
    struct program_table *table = context;
    (void)error;
    table->end = *end;
    if (lines_on_gpu(table->lines) &&
        table->launches) /* processes tell of theirs when they have ended */
        qsort(table->launch, table->launches, sizeof *table->launch, by_number);
    return true;
}

void table_init(struct program_table *table, struct source_lines *lines)
{
    *table = (struct program_table){.lines = lines};
}

void table_free(struct program_table *table)
{
    for (size_t i = 0; i < table->launches; i++) {
        free(table->launch[i].name);
        free(table->launch[i].parent);
        free(table->launch[i].row);
        hash_index_free(&table->launch[i].index);
    }
    for (size_t i = 0; i < table->faults; i++)
        free(table->fault[i].text);
    free(table->launch);
    free(table->fault);
    *table = (struct program_table){.lines = NULL};
}

struct program_sink table_sink(struct program_table *table)
{
    return (struct program_sink){.launch = on_launch,
                                 .count = on_count,
                                 .access = on_access,
                                 .block_end = on_block_end,
                                 .launch_end = on_launch_end,
                                 .fault = on_fault,
                                 .exit = on_exit_of,
                                 .context = table};
}
