/* table_lines.c - the rows of a launch, gathered by source line, call or array. */
#include "program/report/table_lines.h"

#include <stdlib.h>
#include <string.h>

void tally_add(struct tally *to, const struct tally *from)
{
    to->instructions += from->instructions;
    to->accesses += from->accesses;
    to->passes += from->passes;
    to->conflicts += from->conflicts;
    to->estimates += from->estimates;
    to->chances += from->chances;
    if (to->max_ways < from->max_ways)
        to->max_ways = from->max_ways;
}

/* "tile (float[32][33])", "tile (4224 bytes)" where the type is not known; of global memory "in (float[])", "in". */
static void describe_array(const struct program_table *table, const struct table_row *row,
                           char *text, size_t room)
{
    size_t count;
    const struct source_array *array = lines_arrays(table->lines, &count);
    if (row->array < 0) {
        snprintf(text, room, "%s",
                 row->space == SPACE_GLOBAL  ? "global memory"
                 : row->space == SPACE_LOCAL ? "local memory"
                                             : "?");
        return;
    }
    array += row->array;
    if (!*array->type) {
        if (array->global)
            snprintf(text, room, "%s", array->name);
        else if (array->dynamic)
            snprintf(text, room, "%s (dynamic)", array->name);
        else
            snprintf(text, room, "%s (%u bytes)", array->name, array->bytes);
        return;
    }
    int used = snprintf(text, room, "%s (%s%s", array->name, array->type,
                        array->dynamic || array->pointer ? "[]" : "");
    for (int i = 0; i < array->dims && used > 0 && (size_t)used < room; i++)
        used += snprintf(text + used, room - (size_t)used, "[%d]", array->dim[i]);
    if (used > 0 && (size_t)used < room)
        snprintf(text + used, room - (size_t)used, ")");
}

bool table_line_same(const struct table_line *a, const struct table_line *b)
{
    if (a->op != b->op || a->space != b->space)
        return false;
    if (!a->place)
        return !strcmp(a->array, b->array);
    if (a->calls != b->calls || a->place->line != b->place->line ||
        strcmp(a->place->file, b->place->file))
        return false;
    for (int i = 0; i < a->calls; i++)
        if (a->call[i].line != b->call[i].line || strcmp(a->call[i].file, b->call[i].file))
            return false;
    return true;
}

static void add_call(struct table_line *line, const char *file, int number)
{
    if (number && line->calls < CALL_DEPTH)
        line->call[line->calls++] = (struct source_call){file, number};
}

static void add_inlined(struct table_line *line, const struct source_place *place)
{
    for (int i = 0; i < place->calls; i++)
        add_call(line, place->call[i].file, place->call[i].line);
}

void table_line_of(const struct program_table *table, const struct table_row *row, enum table_by by,
                   struct table_line *line)
{
    *line = (struct table_line){.op = row->op, .space = row->space, .tally = row->tally};
    if (by != TABLE_BY_ARRAY)
        line->place = lines_place(table->lines, row->pc);
    if (by == TABLE_BY_CALL)
        add_inlined(line, line->place);
    if (by == TABLE_BY_ARRAY)
        describe_array(table, row, line->array, sizeof line->array);
}

void table_lines_add(struct table_lines *lines, const struct program_table *table,
                     const struct launch_table *launch, enum table_by by, enum program_space space)
{
    struct error ignored = {{0}};
    for (size_t i = 0; i < launch->rows; i++) {
        struct table_line line;
        if ((launch->row[i].space == SPACE_SHARED) != (space == SPACE_SHARED))
            continue;
        table_line_of(table, &launch->row[i], by, &line);
        size_t k = 0;
        while (k < lines->count && !table_line_same(&lines->line[k], &line))
            k++;
        if (k < lines->count) {
            tally_add(&lines->line[k].tally, &line.tally);
            continue;
        }
        if (!memory_grow(&lines->line, &lines->room, lines->count + 1, sizeof *lines->line, "lines",
                         &ignored))
            return;
        lines->line[lines->count++] = line;
    }
}

static int by_place(const void *a, const void *b)
{
    const struct table_line *x = a, *y = b;
    int order =
        x->place && y->place ? strcmp(x->place->file, y->place->file) : strcmp(x->array, y->array);
    if (!order && x->place && y->place)
        order = (x->place->line > y->place->line) - (x->place->line < y->place->line);
    for (int i = 1; !order && i <= x->calls && i <= y->calls; i++) { /* the outermost first */
        const struct source_call *a = &x->call[x->calls - i], *b = &y->call[y->calls - i];
        order = strcmp(a->file, b->file);
        order = order ? order : (a->line > b->line) - (a->line < b->line);
    }
    order = order ? order : x->calls - y->calls;
    order = order ? order : (int)x->space - (int)y->space;
    return order ? order : (int)x->op - (int)y->op;
}

void table_lines_sort(struct table_lines *lines)
{
    if (lines->count)
        qsort(lines->line, lines->count, sizeof *lines->line, by_place);
}

struct tally table_lines_total(const struct table_lines *lines, enum op op)
{
    struct tally sum = {0};
    for (size_t i = 0; i < lines->count; i++) {
        enum op of = lines->line[i].op;
        of = of == OP_MATRIX_LOAD                            ? OP_LOAD
             : of == OP_MATRIX_STORE || of == OP_ASYNC_STORE ? OP_STORE
             : op_is_atomic(of)                              ? OP_ATOMIC
                                                             : of;
        if (op == OPS || op == of)
            tally_add(&sum, &lines->line[i].tally);
    }
    return sum;
}

/* Estimates, each once. */
struct estimates {
    struct source_estimate *of;
    size_t count, room;
};

static void add_estimate(struct estimates *estimates, const struct source_estimate *one)
{
    struct error ignored = {{0}};
    for (size_t i = 0; i < estimates->count; i++) {
        const struct source_estimate *other = &estimates->of[i];
        if (other->line == one->line && other->op == one->op && other->global == one->global &&
            !other->accesses == !one->accesses && other->chance == one->chance &&
            !strcmp(other->file, one->file))
            return;
    }
    if (memory_grow(&estimates->of, &estimates->room, estimates->count + 1, sizeof *one, "lines",
                    &ignored))
        estimates->of[estimates->count++] = *one;
}

/* Whether an access is at the line of an estimate; of a file that is not the user's, with the code itself. */
static bool is_there(const struct source_place *place, const struct source_estimate *estimate)
{
    if (estimate->file)
        return place->line == estimate->line && !strcmp(place->file, estimate->file);
    return place->inner
               ? place->inner_line == estimate->line && !strcmp(place->inner, estimate->inner)
               : !*estimate->inner && !place->line;
}

/* The accesses of all launches, each once. */
struct accesses {
    struct table_line *of;
    size_t count, room;
};

static void add_accesses(struct accesses *accesses, const struct program_table *table,
                         const struct launch_table *launch)
{
    struct error ignored = {{0}};
    size_t at = 0; /* launches of a kernel have them in one order */
    for (size_t i = 0; i < launch->rows; i++) {
        struct table_line line;
        size_t tried = 0;
        table_line_of(table, &launch->row[i], TABLE_BY_LINE, &line);
        for (; tried < accesses->count; tried++, at++) {
            const struct table_line *other = &accesses->of[at %= accesses->count];
            if (other->place == line.place && other->op == line.op && other->space == line.space)
                break;
        }
        if (tried == accesses->count &&
            memory_grow(&accesses->of, &accesses->room, accesses->count + 1, sizeof line, "lines",
                        &ignored))
            accesses->of[accesses->count++] = line;
    }
}

size_t table_estimates(const struct program_table *table, struct source_estimate **estimate)
{
    struct table_lines lines = {0};
    struct accesses accesses = {0};
    struct estimates estimates = {0};
    struct source_estimate one;
    for (size_t i = 0; i < table->launches; i++) {
        table_lines_add(&lines, table, &table->launch[i], TABLE_BY_LINE, SPACE_SHARED);
        table_lines_add(&lines, table, &table->launch[i], TABLE_BY_LINE, SPACE_GLOBAL);
        add_accesses(&accesses, table, &table->launch[i]);
    }
    for (size_t i = 0; lines_estimate(table->lines, i, &one); i++)
        for (size_t k = 0; k < accesses.count; k++) {
            const struct table_line *line = &accesses.of[k];
            if (line->op == one.op && line->space == (one.global ? SPACE_GLOBAL : SPACE_SHARED) &&
                is_there(line->place, &one))
                add_estimate(&estimates, &(struct source_estimate){.file = line->place->file,
                                                                   .line = line->place->line,
                                                                   .op = line->op,
                                                                   .global = one.global});
        }
    for (size_t i = 0; i < lines.count; i++) {
        const struct table_line *line = &lines.line[i];
        one = (struct source_estimate){.file = line->place->file,
                                       .line = line->place->line,
                                       .op = line->op,
                                       .global = line->space == SPACE_GLOBAL,
                                       .accesses = line->tally.estimates};
        if (one.accesses)
            add_estimate(&estimates, &one);
        one.chance = true;
        one.accesses = line->tally.chances;
        if (one.accesses)
            add_estimate(&estimates, &one);
    }
    free(lines.line);
    free(accesses.of);
    *estimate = estimates.of;
    return estimates.count;
}

bool launch_is_stopped(const struct launch_table *launch)
{
    return !launch->ended || launch->end.reason == RECORD_FAULTED;
}

double work_most_gain(const struct kernel_work *work, uint64_t conflicts)
{
    enum { SCHEDULERS = 4 /* of a multiprocessor */ };
    const double starts = (double)work->instructions / SCHEDULERS,
                 served = (double)work_memory_passes(work);
    if (!work->instructions)
        return -1;
    return (double)conflicts / (starts > served ? starts : served);
}

uint64_t work_memory_passes(const struct kernel_work *work)
{
    enum { SECTORS = 4 /* of a pass */ };
    const uint64_t full = (work->sectors + SECTORS - 1) / SECTORS;
    return work->passes + (work->requests > full ? work->requests : full);
}
