/* table.c - what was recorded, by launch, source line and array. */
#include "hostcuda/driver.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- gathering ------------------------------------------------------------------------------- */

static void tally_add(struct tally *to, const struct tally *from)
{
    to->instructions += from->instructions;
    to->accesses += from->accesses;
    to->passes += from->passes;
    to->conflicts += from->conflicts;
    if (to->max_ways < from->max_ways)
        to->max_ways = from->max_ways;
}

static uint64_t hash_of(uint64_t pc, const uint32_t caller[RECORD_CALLERS], int op, int array)
{
    uint64_t hash = pc * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < RECORD_CALLERS; i++)
        hash = (hash ^ caller[i]) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= ((uint64_t)op << 32 | (uint32_t)array) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash >> 20;
}

/* The row of an instruction and an array, made when there is none; NULL: out of memory. */
static struct table_row *row_of(struct launch_table *launch, uint64_t pc,
                                const uint32_t caller[RECORD_CALLERS], enum op op, int array,
                                struct error *error)
{
    if (2 * launch->rows >= launch->index_size) {
        size_t size = launch->index_size ? 2 * launch->index_size : 32;
        uint32_t *index = memory_array(size, sizeof *index, "rows", error);
        if (!index)
            return NULL;
        for (size_t i = 0; i < launch->rows; i++) {
            const struct table_row *row = &launch->row[i];
            size_t at = hash_of(row->pc, row->caller, row->op, row->array) % size;
            while (index[at])
                at = (at + 1) % size;
            index[at] = (uint32_t)i + 1;
        }
        free(launch->index);
        launch->index = index;
        launch->index_size = size;
    }
    size_t at = hash_of(pc, caller, op, array) % launch->index_size;
    for (; launch->index[at]; at = (at + 1) % launch->index_size) {
        struct table_row *row = &launch->row[launch->index[at] - 1];
        if (row->pc == pc && row->op == op && row->array == array &&
            !memcmp(row->caller, caller, sizeof row->caller))
            return row;
    }
    if (!memory_grow(&launch->row, &launch->room, launch->rows + 1, sizeof *launch->row, "rows",
                     error))
        return NULL;
    launch->index[at] = (uint32_t)launch->rows + 1;
    struct table_row *row = &launch->row[launch->rows++];
    *row = (struct table_row){.pc = pc, .op = op, .array = array};
    memcpy(row->caller, caller, sizeof row->caller);
    return row;
}

static bool on_launch(void *context, const struct record_launch *from, struct error *error)
{
    struct program_table *table = context;
    if (!memory_grow(&table->launch, &table->room, table->launches + 1, sizeof *table->launch,
                     "launches", error))
        return false;
    struct launch_table *launch = &table->launch[table->launches++];
    *launch = (struct launch_table){.name = memory_copy(from->name),
                                    .number = from->number,
                                    .dynamic_bytes = from->dynamic_bytes};
    snprintf(launch->code, sizeof launch->code, "%s", machine_told(table->machine, table->lines));
    memcpy(launch->grid, from->grid, sizeof launch->grid);
    memcpy(launch->block, from->block, sizeof launch->block);
    launch->end.blocks = (uint64_t)from->grid[0] * from->grid[1] * from->grid[2];
    return true;
}

static bool on_block_end(void *context, struct error *error)
{
    struct program_table *table = context;
    (void)error;
    table->launch[table->launches - 1].end.recorded_blocks++;
    return true;
}

static bool on_access(void *context, const struct record_access *access, int lanes,
                      const uint8_t *lane, const int64_t *value, struct error *error)
{
    struct program_table *table = context;
    static const struct trace_header gpu = {.banks = 32, .bank_bytes = 4, .warp = RECORD_WARP};
    struct bank_cost cost;
    struct warp_access view = {.op = lines_operation(table->lines, access),
                               .bytes = access->bytes,
                               .lanes = lanes,
                               .lane = lane,
                               .addr = access->addr};
    (void)value;
    bank_model_cost(&gpu, &view, &cost);
    int array = access->addr[0] >= RECORD_DYNAMIC ? ARRAY_DYNAMIC
                                                  : lines_array(table->lines, access->addr[0]);
    struct table_row *row = row_of(&table->launch[table->launches - 1], access->pc, access->caller,
                                   view.op, array, error);
    if (!row)
        return false;
    struct tally one = {1, (uint64_t)lanes, (uint64_t)cost.passes, (uint64_t)cost.conflicts,
                        cost.ways};
    tally_add(&row->tally, &one);
    return true;
}

static bool on_launch_end(void *context, const struct record_launch_end *end, struct error *error)
{
    struct program_table *table = context;
    struct launch_table *launch = &table->launch[table->launches - 1];
    (void)error;
    launch->end = *end;
    launch->ended = true;
    return true;
}

static bool on_fault(void *context, const struct record_fault *fault, struct error *error)
{
    struct program_table *table = context;
    if (!memory_grow(&table->fault, &table->fault_room, table->faults + 1, sizeof *table->fault,
                     "faults", error))
        return false;
    struct record_fault *kept = &table->fault[table->faults++];
    *kept = *fault;
    kept->who.pc = kept->who.pc ? lines_user_pc(table->lines, kept->who.pc, kept->who.caller) : 0;
    kept->other.pc =
        kept->other.pc ? lines_user_pc(table->lines, kept->other.pc, kept->other.caller) : 0;
    return true;
}

static bool on_exit_of(void *context, const struct record_exit *end, struct error *error)
{
    struct program_table *table = context;
    (void)error;
    table->end = *end;
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
        free(table->launch[i].row);
        free(table->launch[i].index);
    }
    free(table->launch);
    free(table->fault);
    *table = (struct program_table){.lines = NULL};
}

struct record_sink table_sink(struct program_table *table)
{
    return (struct record_sink){.launch = on_launch,
                                .access = on_access,
                                .block_end = on_block_end,
                                .launch_end = on_launch_end,
                                .fault = on_fault,
                                .exit = on_exit_of,
                                .context = table};
}

/* ---- lines of a report ----------------------------------------------------------------------- */

/* A line of a report: a source line, with the calls by which it was reached if they are asked for, or an
 * array; and an operation. */
struct line {
    const struct source_place *place; /* by line or call */
    struct source_call call[CALL_DEPTH];
    int calls;       /* by call: the nearest first */
    char array[300]; /* by array: "tile (float[32][33])" */
    enum op op;
    struct tally tally;
};
struct lines_of {
    struct line *line;
    size_t count, room;
};

static void describe_array(const struct program_table *table, const struct table_row *row,
                           char *text, size_t room)
{
    size_t count;
    const struct source_array *array = lines_arrays(table->lines, &count);
    const char *name = "?", *type = NULL;
    if (row->array == ARRAY_DYNAMIC) {
        lines_dynamic(table->lines, lines_place(table->lines, row->pc), &name, &type);
        snprintf(text, room, "%s (%s[])", name, type ? type : "dynamic");
        return;
    }
    if (row->array < 0) {
        snprintf(text, room, "?");
        return;
    }
    array += row->array;
    int used = snprintf(text, room, "%s (%s", array->name, array->type);
    for (int i = 0; i < array->dims && used > 0 && (size_t)used < room; i++)
        used += snprintf(text + used, room - (size_t)used, "[%d]", array->dim[i]);
    if (used > 0 && (size_t)used < room)
        snprintf(text + used, room - (size_t)used, ")");
}

static bool same_line(const struct line *a, const struct line *b)
{
    if (a->op != b->op)
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

static void add_call(struct line *line, const char *file, int number)
{
    if (number && line->calls < CALL_DEPTH)
        line->call[line->calls++] = (struct source_call){file, number};
}

static void add_inlined(struct line *line, const struct source_place *place)
{
    for (int i = 0; i < place->calls; i++)
        add_call(line, place->call[i].file, place->call[i].line);
}

/* The calls by which a row's instruction was reached: inlined ones, and others with theirs. */
static void find_calls(const struct program_table *table, const struct table_row *row,
                       struct line *line)
{
    add_inlined(line, line->place);
    for (int i = 0; i < RECORD_CALLERS && row->caller[i]; i++) {
        const struct source_place *place = lines_place(table->lines, row->caller[i]);
        add_call(line, place->file, place->line);
        add_inlined(line, place);
    }
}

static void add_rows(struct lines_of *lines, const struct program_table *table,
                     const struct launch_table *launch, enum table_by by)
{
    struct error ignored = {{0}};
    for (size_t i = 0; i < launch->rows; i++) {
        const struct table_row *row = &launch->row[i];
        struct line line = {.op = row->op, .tally = row->tally};
        if (by != TABLE_BY_ARRAY)
            line.place = lines_place(table->lines, row->pc);
        if (by == TABLE_BY_CALL)
            find_calls(table, row, &line);
        if (by == TABLE_BY_ARRAY)
            describe_array(table, row, line.array, sizeof line.array);
        size_t k = 0;
        while (k < lines->count && !same_line(&lines->line[k], &line))
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
    const struct line *x = a, *y = b;
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
    return order ? order : (int)x->op - (int)y->op;
}

static void sort_lines(struct lines_of *lines)
{
    if (lines->count)
        qsort(lines->line, lines->count, sizeof *lines->line, by_place);
}

/* The sum over an operation; OPS: all. Stores of matrices and asynchronous copies are stores. */
static struct tally total(const struct lines_of *lines, enum op op)
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

/* ---- text ------------------------------------------------------------------------------------ */

/* "4x4", "2x3x4", "16" */
static const char *shape(const uint32_t size[3], char *text, size_t room)
{
    if (size[2] > 1)
        snprintf(text, room, "%ux%ux%u", size[0], size[1], size[2]);
    else if (size[1] > 1)
        snprintf(text, room, "%ux%u", size[0], size[1]);
    else
        snprintf(text, room, "%u", size[0]);
    return text;
}

static bool same_kernel(const struct launch_table *a, const struct launch_table *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->code, b->code) &&
           !memcmp(a->grid, b->grid, sizeof a->grid) &&
           !memcmp(a->block, b->block, sizeof a->block);
}

/* Where a line is, for a person: "t.cu:23", or the array; with calls "t.cu:23 < 40 < main.cu:7", where
 * line 23 was called by line 40 of the same file. */
static void where(const struct line *line, char *text, size_t room)
{
    size_t used = 0;
    if (!line->place)
        snprintf(text, room, "%s", line->array);
    else if (line->place->line)
        used = (size_t)snprintf(text, room, "%s:%d", line->place->file, line->place->line);
    else
        snprintf(text, room, "%s", *line->place->file ? line->place->file : "?");
    const char *file = line->place ? line->place->file : "";
    for (int i = 0; i < line->calls && used < room; i++) {
        bool same = !strcmp(file, line->call[i].file);
        file = line->call[i].file;
        used += (size_t)snprintf(text + used, room - used, " < %s%s%d", same ? "" : file,
                                 same ? "" : ":", line->call[i].line);
    }
    text_clean(text);
}

static void print_lines(FILE *file, const struct program_table *table, const struct lines_of *lines,
                        enum table_by by)
{
    struct tally sum = total(lines, OPS);
    enum { SOURCE_BYTES = 100 };
    int width = 5, op_width = 12;
    char text[1000];
    for (size_t i = 0; i < lines->count; i++) {
        where(&lines->line[i], text, sizeof text);
        int length = (int)strlen(text), op_length = (int)strlen(op_name(lines->line[i].op));
        width = width < length ? length : width;
        op_width = op_width < op_length ? op_length : op_width;
    }
    fprintf(file, "%-*s  %-*s %12s %12s %12s %8s %6s%s\n", width,
            by == TABLE_BY_ARRAY  ? "array"
            : by == TABLE_BY_CALL ? "line < called by"
                                  : "line",
            op_width, "op", "instructions", "passes", "conflicts", "max ways", "share",
            by == TABLE_BY_ARRAY ? "" : "  source");
    for (size_t i = 0; i < lines->count; i++) {
        const struct line *line = &lines->line[i];
        const struct source_call *outer = line->calls ? &line->call[line->calls - 1] : NULL;
        const char *source = !line->place ? ""
                             : outer
                                 ? lines_text(table->lines, outer->file, outer->line)
                                 : lines_text(table->lines, line->place->file, line->place->line);
        where(line, text, sizeof text);
        fprintf(file, "%-*s  %-*s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %8d %5.1f%%", width,
                text, op_width, op_name(line->op), line->tally.instructions, line->tally.passes,
                line->tally.conflicts, line->tally.max_ways,
                sum.passes ? 100.0 * (double)line->tally.passes / (double)sum.passes : 0.0);
        snprintf(text, sizeof text, "%s", source);
        fprintf(file, "%s%s\n", *source ? "  " : "", text_cut(text, SOURCE_BYTES));
    }
    fprintf(file, "%-*s  %-*s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %8d\n", width, "total",
            op_width, "", sum.instructions, sum.passes, sum.conflicts, sum.max_ways);
}

/* Whether it ended before its blocks did: its counts are those until then. */
static bool is_stopped(const struct launch_table *launch)
{
    return !launch->ended || launch->end.reason == RECORD_FAULTED;
}

void table_print(FILE *file, const struct program_table *table, enum table_by by)
{
    bool *done = memory_new(table->launches + 1, sizeof *done);
    bool first = true;
    for (size_t i = 0; i < table->launches; i++) {
        struct lines_of lines = {0};
        const struct launch_table *launch = &table->launch[i];
        uint64_t blocks = 0, recorded = 0, launches = 0, stopped = 0;
        char grid[40], block[40];
        if (done[i])
            continue;
        for (size_t k = i; k < table->launches; k++)
            if (!done[k] && same_kernel(launch, &table->launch[k])) {
                done[k] = true;
                launches++;
                blocks += table->launch[k].end.blocks;
                recorded += table->launch[k].end.recorded_blocks;
                stopped += is_stopped(&table->launch[k]);
                add_rows(&lines, table, &table->launch[k], by);
            }
        if (recorded || lines.count) {
            fprintf(file, "%s%s: ", first ? "" : "\n", launch->name);
            if (launches > 1)
                fprintf(file, "%" PRIu64 " launches from %" PRIu64 ", each ", launches,
                        launch->number);
            else
                fprintf(file, "launch %" PRIu64 ", ", launch->number);
            fprintf(file, "%s block%s of %s threads", shape(launch->grid, grid, sizeof grid),
                    blocks == launches ? "" : "s", shape(launch->block, block, sizeof block));
            if (recorded < blocks)
                fprintf(file, ", %" PRIu64 " of %" PRIu64 " blocks recorded", recorded, blocks);
            if (stopped && launches > 1)
                fprintf(file, ", %" PRIu64 " of the launches stopped early", stopped);
            else if (stopped)
                fprintf(file, ", stopped early");
            fprintf(file, ", %s%s\n",
                    !*launch->code               ? "as written"
                    : lines_on_gpu(table->lines) ? "recorded on "
                                                 : "as compiled by ",
                    launch->code);
            first = false;
            sort_lines(&lines);
            if (lines.count)
                print_lines(file, table, &lines, by);
            else
                fprintf(file, "no access to shared memory%s\n",
                        stopped ? " was recorded until then" : "");
        }
        free(lines.line);
    }
    free(done);
}

/* "t.cu:40 main.cu:7" */
static void csv_calls(FILE *file, const struct line *line)
{
    char text[1000] = "";
    size_t used = 0;
    for (int i = 0; i < line->calls && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s:%d", i ? " " : "",
                                 line->call[i].file, line->call[i].line);
    fputc(',', file);
    text_put(file, TEXT_CELL, text);
}

void table_print_csv(FILE *file, const struct program_table *table, enum table_by by)
{
    fprintf(file, "kernel,launch,%s,op,instructions,accesses,passes,conflicts,max_ways,code\n",
            by == TABLE_BY_ARRAY  ? "array"
            : by == TABLE_BY_CALL ? "file,line,calls"
                                  : "file,line");
    for (size_t i = 0; i < table->launches; i++) {
        struct lines_of lines = {0};
        add_rows(&lines, table, &table->launch[i], by);
        sort_lines(&lines);
        for (size_t k = 0; k < lines.count; k++) {
            const struct line *line = &lines.line[k];
            text_put(file, TEXT_CELL, table->launch[i].name);
            fprintf(file, ",%" PRIu64 ",", table->launch[i].number);
            text_put(file, TEXT_CELL, line->place ? line->place->file : line->array);
            if (line->place)
                fprintf(file, ",%d", line->place->line);
            if (by == TABLE_BY_CALL)
                csv_calls(file, line);
            fprintf(file, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%d,%s\n",
                    op_name(line->op), line->tally.instructions, line->tally.accesses,
                    line->tally.passes, line->tally.conflicts, line->tally.max_ways,
                    *table->launch[i].code ? table->launch[i].code : "as written");
        }
        free(lines.line);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_tally(cJSON *to, const struct tally *tally)
{
    cJSON_AddNumberToObject(to, "instructions", (double)tally->instructions);
    cJSON_AddNumberToObject(to, "passes", (double)tally->passes);
    cJSON_AddNumberToObject(to, "conflicts", (double)tally->conflicts);
}

static void json_shape(cJSON *to, const char *name, const uint32_t size[3])
{
    cJSON *array = cJSON_AddArrayToObject(to, name);
    for (int i = 0; i < 3; i++)
        cJSON_AddItemToArray(array, cJSON_CreateNumber(size[i]));
}

/* By array, too, its lines are source lines. */
static cJSON *json_launch(const struct program_table *table, const struct launch_table *launch,
                          enum table_by by)
{
    struct lines_of lines = {0};
    cJSON *object = cJSON_CreateObject();
    add_rows(&lines, table, launch, by == TABLE_BY_CALL ? by : TABLE_BY_LINE);
    sort_lines(&lines);
    cJSON_AddStringToObject(object, "kernel", launch->name);
    cJSON_AddNumberToObject(object, "launch", (double)launch->number);
    json_shape(object, "grid", launch->grid);
    json_shape(object, "block", launch->block);
    cJSON_AddStringToObject(object, "code", *launch->code ? launch->code : "as written");
    cJSON_AddNumberToObject(object, "recorded_blocks", (double)launch->end.recorded_blocks);
    if (is_stopped(launch))
        cJSON_AddBoolToObject(object, "stopped", true);
    static const enum op ops[] = {OP_LOAD, OP_STORE, OP_ATOMIC};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct tally sum = total(&lines, ops[i]);
        json_tally(cJSON_AddObjectToObject(object, op_name(ops[i])), &sum);
    }
    cJSON *list = cJSON_AddArrayToObject(object, "lines");
    for (size_t i = 0; i < lines.count; i++) {
        const struct line *line = &lines.line[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "file", line->place->file);
        cJSON_AddNumberToObject(item, "line", line->place->line);
        cJSON *calls = by == TABLE_BY_CALL ? cJSON_AddArrayToObject(item, "calls") : NULL;
        for (int k = 0; k < line->calls; k++) {
            cJSON *call = cJSON_CreateObject();
            cJSON_AddStringToObject(call, "file", line->call[k].file);
            cJSON_AddNumberToObject(call, "line", line->call[k].line);
            cJSON_AddItemToArray(calls, call);
        }
        cJSON_AddStringToObject(item, "op", op_name(line->op));
        json_tally(item, &line->tally);
        cJSON_AddNumberToObject(item, "max_ways", line->tally.max_ways);
        cJSON_AddItemToArray(list, item);
    }
    if (launch->end.dropped)
        cJSON_AddNumberToObject(object, "dropped", (double)launch->end.dropped);
    free(lines.line);
    return object;
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void describe_thread(const struct record_thread *who, char *text, size_t room)
{
    snprintf(text, room, "thread (%u, %u, %u) of block (%u, %u, %u)", who->thread[0],
             who->thread[1], who->thread[2], who->block[0], who->block[1], who->block[2]);
}

/* "t.cu:23", or "somewhere" */
static void describe_pc(const struct program_table *table, uint64_t pc, char *text, size_t room)
{
    const struct source_place *place = pc ? lines_place(table->lines, pc) : NULL;
    if (place && place->line)
        snprintf(text, room, "%s:%d", place->file, place->line);
    else
        snprintf(text, room, "somewhere");
}

/* "tile[3][17]", "byte 70 of dyn", "byte 400 of an allocation of 400 bytes" */
static void describe_memory(const struct program_table *table, const struct record_fault *fault,
                            char *text, size_t room)
{
    if (fault->space == SPACE_DYNAMIC || fault->space == SPACE_SHARED) {
        uint32_t addr = (uint32_t)fault->address;
        size_t count;
        const struct source_array *array = lines_arrays(table->lines, &count);
        int index = fault->space == SPACE_DYNAMIC ? -1 : lines_array(table->lines, addr);
        /* Behind an array is space that belongs to it. */
        for (uint32_t back = 4; index < 0 && fault->kind == FAULT_BOUNDS && back <= 256; back += 4)
            index = addr >= back ? lines_array(table->lines, addr - back) : -1;
        if (fault->space == SPACE_DYNAMIC) {
            const char *name, *type;
            lines_dynamic(table->lines, lines_place(table->lines, fault->who.pc), &name, &type);
            uint32_t offset = addr - RECORD_DYNAMIC;
            int element = type ? type_bytes(type) : 0;
            if (element)
                snprintf(text, room, "%s[%u]", name, offset / (uint32_t)element);
            else
                snprintf(text, room, "byte %u of %s", offset, name);
        } else if (index < 0) {
            snprintf(text, room, "%s",
                     fault->kind == FAULT_BOUNDS ? "a place in shared memory where no variable is"
                                                 : "shared memory");
        } else {
            array += index;
            uint32_t offset = (addr - array->from) / (uint32_t)array->element;
            uint32_t size = 1;
            int used = snprintf(text, room, "%s", array->name);
            for (int i = 0; i < array->dims; i++)
                size *= (uint32_t)array->dim[i];
            for (int i = 0; i < array->dims && used > 0 && (size_t)used < room; i++) {
                size /= (uint32_t)array->dim[i];
                used += snprintf(text + used, room - (size_t)used, "[%u]", offset / size);
                offset %= size;
            }
            if (fault->kind == FAULT_BOUNDS && used > 0 && (size_t)used < room) {
                used += snprintf(text + used, room - (size_t)used, ", outside %s %s", array->type,
                                 array->name);
                for (int i = 0; i < array->dims && used > 0 && (size_t)used < room; i++)
                    used += snprintf(text + used, room - (size_t)used, "[%d]", array->dim[i]);
            }
        }
    } else if (fault->length) {
        int64_t offset = (int64_t)(fault->address - fault->base);
        bool variable = fault->space == SPACE_VARIABLE;
        if (variable && offset == 0 && fault->size == fault->length)
            snprintf(text, room, "%.200s", fault->text);
        else if (variable && offset >= 0 && (uint64_t)offset < fault->length)
            snprintf(text, room, "byte %" PRId64 " of %.200s", offset, fault->text);
        else if (variable)
            snprintf(text, room, "byte %" PRId64 " of %.200s, which has %" PRIu64 " bytes", offset,
                     fault->text, fault->length);
        else if (offset < 0)
            snprintf(text, room, "%" PRId64 " bytes before an allocation of %" PRIu64 " bytes",
                     -offset, fault->length);
        else
            snprintf(text, room, "byte %" PRId64 " of an allocation of %" PRIu64 " bytes", offset,
                     fault->length);
    } else {
        snprintf(text, room, "address 0x%" PRIx64, fault->address);
    }
}

static const char *does(int operation)
{
    static const char *const names[OPS] = {"reads",  "writes",  "changes", "reads",  "writes",
                                           "writes", "changes", "changes", "changes"};
    return operation >= 0 && operation < OPS ? names[operation] : "uses";
}

static bool is_error(const struct record_fault *fault)
{
    return fault->kind != FAULT_LEAK;
}

static void describe_fault(const struct program_table *table, const struct record_fault *f,
                           char *text, size_t room)
{
    char here[300], there[300], who[120], other[120], memory[300];
    describe_pc(table, f->who.pc, here, sizeof here);
    describe_pc(table, f->other.pc, there, sizeof there);
    describe_thread(&f->who, who, sizeof who);
    describe_thread(&f->other, other, sizeof other);
    describe_memory(table, f, memory, sizeof memory);
    switch ((enum fault_kind)f->kind) {
    case FAULT_RACE:
        snprintf(text, room, "%s: race: %s %s %s, which %s %s at %s without a barrier between them",
                 here, who, does(f->who.operation), memory, other, does(f->other.operation), there);
        break;
    case FAULT_BOUNDS:
        snprintf(text, room, "%s: out of bounds: %s %s %" PRIu64 " byte%s at %s", here, who,
                 does(f->who.operation), f->size, f->size == 1 ? "" : "s", memory);
        break;
    case FAULT_UNWRITTEN:
        snprintf(text, room, "%s: unwritten: %s reads %s before it was written", here, who, memory);
        break;
    case FAULT_FREED:
        if (!f->who.known)
            snprintf(text, room, "use after free: %s uses %s, which is freed", f->text, memory);
        else
            snprintf(text, room, "%s: use after free: %s %s %s, which is freed", here, who,
                     does(f->who.operation), memory);
        break;
    case FAULT_DIVERGENCE:
        if (f->other.pc)
            snprintf(text, room,
                     "%s: barrier divergence: %s waits at this barrier, %s at the one at %s", here,
                     who, other, there);
        else
            snprintf(text, room,
                     "%s: barrier divergence: %" PRIu64 " of %" PRIu64
                     " threads of block (%u, %u, %u) wait at this barrier, thread (%u, %u, %u) "
                     "has returned without it",
                     here, f->count, f->size, f->who.block[0], f->who.block[1], f->who.block[2],
                     f->other.thread[0], f->other.thread[1], f->other.thread[2]);
        break;
    case FAULT_LANES:
        snprintf(text, room,
                 "%s: warp divergence: %s waits for lanes that its mask names but that do not come "
                 "(missing 0x%08" PRIx64 ")%s%s",
                 here, who, f->count, f->other.pc ? "; one waits at " : "",
                 f->other.pc ? there : "");
        break;
    case FAULT_DEADLOCK:
        snprintf(text, room, "%s: deadlock: %s waits for ever%s%s", here, who,
                 f->other.pc ? "; another thread waits at " : "", f->other.pc ? there : "");
        break;
    case FAULT_ENDLESS:
        snprintf(text, room,
                 "%s: endless: for %" PRIu64
                 " seconds no thread has ended or passed a barrier, %s among them; the kernel was "
                 "stopped (--seconds N waits longer)",
                 here, f->size, who);
        break;
    case FAULT_CRASH:
        if (f->count == SIGFPE)
            snprintf(
                text, room,
                "%s: crash: %s divides a whole number by zero, or the smallest one by -1; on a "
                "GPU the result is undefined",
                here, who);
        else
            snprintf(text, room, "%s: crash: %s: %s at address 0x%" PRIx64 ", which is no memory",
                     here, who, f->text, f->address);
        break;
    case FAULT_STACK:
        snprintf(text, room, "%s: stack overflow: %s calls too deeply or has too large arrays",
                 here, who);
        break;
    case FAULT_ASSERT:
        snprintf(text, room, "%s: assertion failed: %s: %s", here, who, f->text);
        break;
    case FAULT_TRAP:
        snprintf(text, room, "%s: trap: %s ended the kernel", here, who);
        break;
    case FAULT_EXIT:
        snprintf(text, room, "%s: exit: %s ended the program from inside a kernel", here, who);
        break;
    case FAULT_ARGUMENT:
        snprintf(text, room, "out of bounds: %s of %" PRIu64 " bytes at %s", f->text, f->size,
                 memory);
        break;
    case FAULT_MISALIGNED:
        snprintf(text, room, "%s: misaligned: %s %s %" PRIu64 " bytes at %s", here, who,
                 does(f->who.operation), f->size, memory);
        break;
    case FAULT_HOST_MEMORY:
        snprintf(text, room,
                 "%s: host memory: %s %s the host's memory at 0x%" PRIx64
                 "; a GPU cannot: copy it to the device",
                 here, who, does(f->who.operation), f->address);
        break;
    case FAULT_LEAK:
        snprintf(text, room,
                 "leak: %" PRIu64 " allocation%s%s of %" PRIu64 " bytes %s not freed at the end",
                 f->count, f->count == 1 ? "" : "s", f->text, f->size,
                 f->count == 1 ? "was" : "were");
        break;
    case FAULT_OTHER:
    case FAULT_KINDS:
        snprintf(text, room, "%s%s%s", f->who.pc ? here : "", f->who.pc ? ": " : "", f->text);
        break;
    }
}

/* Threads that wait at copies of one barrier (a function inlined twice) do not diverge. */
static bool is_no_fault(const struct program_table *table, const struct record_fault *fault)
{
    if (fault->kind != FAULT_DIVERGENCE || !fault->other.pc)
        return false;
    const struct source_place *a = lines_place(table->lines, fault->who.pc);
    const struct source_place *b = lines_place(table->lines, fault->other.pc);
    return a->line && a->line == b->line && !strcmp(a->file, b->file);
}

int table_print_faults(FILE *file, const struct program_table *table, const char *prefix)
{
    int errors = 0;
    for (size_t i = 0; i < table->faults; i++) {
        char text[1600];
        struct error line = {{0}};
        if (is_no_fault(table, &table->fault[i]))
            continue;
        describe_fault(table, &table->fault[i], text, sizeof text);
        error_set(&line, "%s", text); /* replaces control characters */
        fprintf(file, "%s%s\n", prefix, line.text);
        errors += is_error(&table->fault[i]);
    }
    return errors;
}

int table_print_cut(FILE *file, const struct program_table *table, const char *prefix)
{
    const struct launch_table *last = table->launches ? &table->launch[table->launches - 1] : NULL;
    bool said = !last || last->ended;
    for (size_t i = 0; i < table->faults; i++)
        said = said || table->fault[i].kind == FAULT_EXIT;
    if (said)
        return 0;
    struct error line = {{0}};
    error_set(&line,
              "the program ended inside kernel %s (launch %" PRIu64
              "); what was recorded before is kept",
              last->name, last->number);
    fprintf(file, "%s%s\n", prefix, line.text);
    return 1;
}

static cJSON *json_fault(const struct program_table *table, const struct record_fault *fault)
{
    static const char *const names[FAULT_KINDS] = {
        [FAULT_RACE] = "race",
        [FAULT_BOUNDS] = "out-of-bounds",
        [FAULT_UNWRITTEN] = "unwritten",
        [FAULT_FREED] = "use-after-free",
        [FAULT_DIVERGENCE] = "barrier-divergence",
        [FAULT_LANES] = "warp-divergence",
        [FAULT_DEADLOCK] = "deadlock",
        [FAULT_ENDLESS] = "endless",
        [FAULT_CRASH] = "crash",
        [FAULT_STACK] = "stack-overflow",
        [FAULT_ASSERT] = "assertion",
        [FAULT_TRAP] = "trap",
        [FAULT_EXIT] = "exit",
        [FAULT_ARGUMENT] = "argument",
        [FAULT_MISALIGNED] = "misaligned",
        [FAULT_HOST_MEMORY] = "host-memory",
        [FAULT_LEAK] = "leak",
        [FAULT_OTHER] = "other",
    };
    const struct source_place *place =
        fault->who.pc ? lines_place(table->lines, fault->who.pc) : NULL;
    char text[1600];
    cJSON *object = cJSON_CreateObject();
    describe_fault(table, fault, text, sizeof text);
    cJSON_AddStringToObject(object, "kind", names[fault->kind]);
    if (place && place->line) {
        cJSON_AddStringToObject(object, "file", place->file);
        cJSON_AddNumberToObject(object, "line", place->line);
    }
    cJSON_AddStringToObject(object, "text", text);
    return object;
}

/* Adds the lines whose accesses are told as written although there is machine code. */
static void json_as_written(cJSON *to, const struct machine *machine)
{
    enum { MOST_LINES = 1024 };
    struct machine_line *line = memory_new(MOST_LINES, sizeof *line);
    size_t lines = machine_undecided(machine, line, MOST_LINES);
    cJSON *list = cJSON_AddArrayToObject(to, "as_written");
    for (size_t i = 0; i < lines && i < MOST_LINES; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "file", line[i].file);
        cJSON_AddNumberToObject(item, "line", line[i].line);
        cJSON_AddStringToObject(item, "op", op_name(line[i].op));
        cJSON_AddItemToArray(list, item);
    }
    free(line);
}

bool table_print_json(FILE *file, const struct program_table *table, enum table_by by,
                      struct error *error)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *launches = cJSON_AddArrayToObject(object, "launches");
    for (size_t i = 0; i < table->launches; i++)
        cJSON_AddItemToArray(launches, json_launch(table, &table->launch[i], by));
    cJSON *faults = cJSON_AddArrayToObject(object, "faults");
    for (size_t i = 0; i < table->faults; i++)
        if (!is_no_fault(table, &table->fault[i]))
            cJSON_AddItemToArray(faults, json_fault(table, &table->fault[i]));
    if (table->machine)
        json_as_written(object, table->machine);
    char *text = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    if (!text)
        return error_set(error, "out of memory for the JSON of %zu launches", table->launches);
    bool good = fprintf(file, "%s\n", text_clean(text)) > 0;
    cJSON_free(text);
    return good || error_set(error, "cannot write the JSON");
}

/* ---- notes ----------------------------------------------------------------------------------- */

void table_print_notes(FILE *file, const struct program_table *table, const char *prefix)
{
    uint64_t budget_blocks = 0, budget_launches = 0, late = 0, dropped = 0, nodes = 0;
    for (size_t i = 0; i < table->launches; i++) {
        const struct launch_table *launch = &table->launch[i];
        dropped += launch->end.dropped;
        if (launch->end.reason == RECORD_BUDGET) {
            budget_launches++;
            budget_blocks += launch->end.blocks - launch->end.recorded_blocks;
        }
        late += launch->end.reason == RECORD_LAUNCHES;
        nodes += launch->end.reason == RECORD_GRAPH;
    }
    /* On a GPU, those that were not asked for are counted, and nothing else is said of them. */
    if (table->end.launches > table->launches && !lines_on_gpu(table->lines))
        late += table->end.launches - table->launches;
    if (budget_launches)
        fprintf(file,
                "%s%" PRIu64 " blocks of %" PRIu64
                " launch%s ran without being recorded, for that would take long; --blocks A-B "
                "chooses which are\n",
                prefix, budget_blocks, budget_launches, budget_launches == 1 ? "" : "es");
    if (late)
        fprintf(file,
                "%s%" PRIu64
                " launch%s ran without being recorded, after enough others; --launch N or --kernel "
                "REGEX chooses\n",
                prefix, late, late == 1 ? "" : "es");
    if (nodes)
        fprintf(file,
                "%s%" PRIu64
                " launch%s in CUDA graphs ran without being recorded; graphs cannot be\n",
                prefix, nodes, nodes == 1 ? "" : "es");
    if (table->end.unwatched)
        fprintf(file,
                "%sin %" PRIu64 " launch%s the blocks that are not recorded ran unchecked, to save "
                "time; reads before the first write are no longer reported\n",
                prefix, table->end.unwatched, table->end.unwatched == 1 ? "" : "es");
    if (dropped && lines_on_gpu(table->lines))
        fprintf(file,
                "%s%" PRIu64 " records found no room or were not understood, and are not counted; "
                "--blocks A-B records fewer "
                "blocks, " RECORDS_MOST "=N makes room for N\n",
                prefix, dropped);
    else if (dropped)
        fprintf(file, "%s%" PRIu64 " accesses found no room in their step and are not counted\n",
                prefix, dropped);
    if (table->end.strangers)
        fprintf(file,
                "%slaunches of other processes of the program ran without being recorded; only "
                "those of the first are\n",
                prefix);
    if (table->end.left)
        fprintf(file,
                "%sthe program ended by _exit or went on as another program; its launches until "
                "then are recorded\n",
                prefix);
}
