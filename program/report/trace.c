/* trace.c - a launch as a trace.
 *
 * The header of a trace needs what is only known at the end: how many phases there are, and which
 * arrays and instructions take part. So a launch is kept until it has ended. Shared memory gets a new
 * layout: the arrays that the launch accesses, in the order of their declaration, each beginning in
 * the same bank as in the program.
 */
#include "program/report/trace_recording.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool hand_out_launch(struct program_traces *traces, bool complete, struct error *error);

static void forget_recording(struct trace_recording *r)
{
    r->accesses = r->lanes = r->parts = 0;
    r->dropped = 0;
    r->phases = 1;
    r->marked = false;
}

/* ---- recording ------------------------------------------------------------------------------- */

static bool on_launch(void *context, const struct program_launch *launch, struct error *error)
{
    struct program_traces *traces = context;
    struct trace_recording *r = traces->recording;
    if (!hand_out_launch(traces, false, error)) /* one that was cut short */
        return false;
    forget_recording(r);
    free(r->kernel);
    r->kernel = memory_copy(launch->name);
    r->launch = *launch;
    r->launch.name = r->kernel;
    return true;
}

static bool on_stage(void *context, uint32_t number, const char *from, struct error *error)
{
    struct program_traces *traces = context;
    char *name = traces->recording->name[number];
    (void)error;
    snprintf(name, STAGE_NAME, "%s", from);
    if (!*name || !text_is_clean(name))
        snprintf(name, STAGE_NAME, "stage %u", (unsigned)number);
    return true;
}

static bool on_block(void *context, uint64_t index, struct error *error)
{
    struct program_traces *traces = context;
    (void)error;
    traces->recording->block = index;
    return true;
}

static bool on_access(void *context, const struct program_access *from, struct error *error)
{
    struct program_traces *traces = context;
    struct trace_recording *r = traces->recording;
    if (r->block >= MAX_BLOCKS || from->phase >= MAX_STAGES || from->round >= MAX_ROUNDS ||
        from->slot >= MAX_SLOTS) {
        r->dropped++;
        return true;
    }
    size_t count = (size_t)from->lanes;
    if (!memory_grow(&r->access, &r->room, r->accesses + 1, sizeof *r->access, "accesses", error) ||
        !memory_grow(&r->addr, &r->addr_room, r->lanes + count, sizeof *r->addr, "accesses",
                     error) ||
        !memory_grow(&r->value, &r->value_room, r->lanes + count, sizeof *r->value, "accesses",
                     error))
        return false;
    struct recorded *access = &r->access[r->accesses++];
    *access =
        (struct recorded){.lane = r->lanes,
                          .pc = from->pc,
                          .block = (uint32_t)r->block,
                          .mask = from->mask,
                          .phase = from->phase,
                          .round = from->round,
                          .number = from->number,
                          .stage = (uint8_t)from->stage,
                          .slot = (uint16_t)from->slot,
                          .warp = (uint16_t)from->warp,
                          .operation = (uint8_t)lines_operation(traces->lines, from->pc, from->op),
                          .bytes = (uint8_t)from->bytes,
                          .values = from->value && from->bytes <= 8,
                          .global = from->global};
    r->marked |= from->stage || from->number != ROUND_UNNUMBERED;
    if ((int)from->phase >= r->phases)
        r->phases = (int)from->phase + 1;
    int shift = 64 - 8 * (from->bytes < 8 ? from->bytes : 8);
    for (size_t i = 0; i < count; i++) {
        r->addr[r->lanes + i] = from->global ? from->global[i] : from->addr[i];
        int64_t number = 0;
        if (access->values) /* the sign is that of the last byte */
            number = (int64_t)((uint64_t)from->value[i] << shift) >> shift;
        r->value[r->lanes + i] = number;
    }
    r->lanes += count;
    return true;
}

int recording_order(const void *a, const void *b)
{
    const struct recorded *x = a, *y = b;
    const uint32_t left[] = {x->block, x->phase, x->round, x->slot, x->warp};
    const uint32_t right[] = {y->block, y->phase, y->round, y->slot, y->warp};
    for (int i = 0; i < 5; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

/* ---- the layout ------------------------------------------------------------------------------ */

static const struct part *part_of(const struct trace_recording *r, uint32_t addr)
{
    for (size_t i = 0; i < r->parts; i++)
        if (addr >= r->part[i].from && addr < r->part[i].to)
            return &r->part[i];
    return NULL;
}

/* Bytes of a row of the banks. */
static uint32_t row_bytes(const struct trace_recording *r)
{
    return (uint32_t)r->launch.banks * ROWS_BYTES;
}

static uint32_t array_bytes(const struct trace_recording *r, const struct source_array *array)
{
    return array->dynamic && !array->bytes ? r->launch.dynamic_bytes : array->bytes;
}

/* Adds the part that an address in shared memory is in, unless it is there. NULL: out of memory. */
static const struct part *add_part(struct program_traces *traces, uint32_t addr,
                                   struct error *error)
{
    struct trace_recording *r = traces->recording;
    const struct part *there = part_of(r, addr);
    if (there)
        return there;
    if (!memory_grow(&r->part, &r->part_room, r->parts + 1, sizeof *r->part, "arrays", error))
        return NULL;
    size_t count;
    const struct source_array *array = lines_arrays(traces->lines, &count);
    struct part *part = &r->part[r->parts++];
    int index = lines_array(traces->lines, addr);
    if (index == ARRAY_UNKNOWN) {
        uint32_t row = row_bytes(r), begin = addr / row * row;
        *part = (struct part){begin, begin + row, 0, index};
    } else {
        const struct source_array *of = &array[index];
        uint32_t end = of->from + array_bytes(r, of);
        *part = (struct part){of->from, end > addr ? end : addr + 1, 0, index};
    }
    return part;
}

static bool find_parts(struct program_traces *traces, struct error *error)
{
    const struct trace_recording *r = traces->recording;
    const struct part *last = NULL;
    for (size_t i = 0; i < r->accesses; i++) {
        const struct recorded *access = &r->access[i];
        const size_t lanes = access->global ? 0 : (size_t)__builtin_popcountll(access->mask);
        for (size_t k = 0; k < lanes; k++) {
            uint32_t addr = (uint32_t)r->addr[access->lane + k];
            if (last && addr >= last->from && addr < last->to)
                continue;
            if (!(last = add_part(traces, addr, error)))
                return false;
        }
    }
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Returns the bytes of shared memory. */
static uint32_t lay_out(struct program_traces *traces)
{
    struct trace_recording *r = traces->recording;
    uint32_t end = 0, row = row_bytes(r);
    if (r->parts)
        qsort(r->part, r->parts, sizeof *r->part, by_place);
    for (size_t i = 0; i < r->parts; i++) {
        struct part *part = &r->part[i];
        uint32_t at = end / row * row + part->from % row;
        part->at = at >= end ? at : at + row;
        end = part->at + (part->to - part->from);
    }
    return end;
}

/* ---- the header ------------------------------------------------------------------------------ */

/* An array as the trace has it; one whose type is not known is one of bytes. */
static void copy_array(const struct trace_recording *r, const struct part *part,
                       const struct source_array *from, struct trace_array *to)
{
    bool known = *from->type;
    *to = (struct trace_array){.name = memory_copy(from->name),
                               .type = memory_copy(known ? from->type : "unsigned char"),
                               .addr = (int)part->at,
                               .moved = (int)part->from - (int)part->at,
                               .bytes = known ? from->element : 1,
                               .dims = known ? from->dims : 1,
                               .members = from->members,
                               .member = members_copy(from->member, from->members)};
    memcpy(to->dim, from->dim, sizeof to->dim);
    if (!known)
        to->dim[0] = (int)array_bytes(r, from);
    if (known && from->dynamic &&
        from->dims < MAX_ARRAY_DIMS) { /* as many rows as there is room for */
        uint32_t each = (uint32_t)to->bytes;
        for (int i = 0; i < from->dims; i++)
            each *= (uint32_t)from->dim[i];
        memmove(to->dim + 1, from->dim, (size_t)from->dims * sizeof *to->dim);
        to->dims++;
        to->dim[0] = (int)(array_bytes(r, from) / (each ? each : 1));
    }
    int bytes = type_bytes(to->type);
    if (bytes && bytes != to->bytes) { /* a user's type of that name */
        char name[300];
        snprintf(name, sizeof name, "struct %.200s", from->type);
        free(to->type);
        to->type = memory_copy(name);
    }
}

static void add_arrays(struct program_traces *traces, struct trace_header *header)
{
    const struct trace_recording *r = traces->recording;
    size_t count;
    const struct source_array *array = lines_arrays(traces->lines, &count);
    header->array = memory_new(r->parts + 1, sizeof *header->array);
    for (size_t i = 0; i < r->parts && header->arrays < MAX_HEADER_ARRAYS; i++)
        if (r->part[i].array >= 0)
            copy_array(r, &r->part[i], &array[r->part[i].array], &header->array[header->arrays++]);
}

/* The sites of the accesses, by their places. */
struct site_table {
    struct known_site {
        uint64_t pc;
        int site;
    } * known;
    size_t count, room, site_room;
    struct hash_index by_pc;
};

/* The site of an instruction, or of a function and line where it is not known which; made if it is new. */
static int new_site(struct program_traces *traces, struct trace_header *header, size_t *room,
                    uint64_t pc)
{
    const struct source_place *place = lines_place(traces->lines, pc);
    const int code = listing_find(traces->listings, pc, header);
    const char *array = lines_global_array(traces->lines, pc);
    struct error ignored = {{0}};
    char text[512];
    for (int i = 0; i < header->sites; i++) {
        const struct trace_site *site = &header->site[i];
        if (site->code == code + 1 && site->line == place->line &&
            !strcmp(site->file, place->file) && !strcmp(site->function, place->function) &&
            !strcmp(site->array, array))
            return i;
    }
    if (header->sites == MAX_SITES || !memory_grow(&header->site, room, (size_t)header->sites + 1,
                                                   sizeof *header->site, "sites", &ignored))
        return 0;
    snprintf(text, sizeof text, "%s", lines_text(traces->lines, place->file, place->line));
    for (char *c = text; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    header->site[header->sites] = (struct trace_site){
        .file = memory_copy(text_is_clean(place->file) ? place->file : ""),
        .function = memory_copy(text_is_clean(place->function) ? place->function : ""),
        .text = memory_copy(text_is_clean(text) ? text : ""),
        .array = memory_copy(array),
        .line = place->line,
        .code = code + 1};
    return header->sites++;
}

static int site_of(struct program_traces *traces, struct trace_header *header,
                   struct site_table *table, uint64_t pc)
{
    const uint32_t hash = (uint32_t)hash_mix(0, pc);
    struct error ignored = {{0}};
    size_t at = 0;
    for (uint32_t i; (i = hash_index_next(&table->by_pc, hash, &at)) != HASH_INDEX_NONE;)
        if (table->known[i].pc == pc)
            return table->known[i].site;
    const int site = new_site(traces, header, &table->site_room, pc);
    if (memory_grow(&table->known, &table->room, table->count + 1, sizeof *table->known, "sites",
                    &ignored) &&
        hash_index_add(&table->by_pc, hash, (uint32_t)table->count, "sites", &ignored))
        table->known[table->count++] = (struct known_site){pc, site};
    return site;
}

static void add_sites(struct program_traces *traces, struct trace_header *header)
{
    struct trace_recording *r = traces->recording;
    struct site_table table = {0};
    for (size_t i = 0; i < r->accesses; i++)
        r->access[i].site = (uint16_t)site_of(traces, header, &table, r->access[i].pc);
    hash_index_free(&table.by_pc);
    free(table.known);
}

/* The stages of a program that names none. */
static void name_phases(const struct trace_recording *r, struct trace_header *header)
{
    header->stages = r->phases;
    header->stage = memory_new((size_t)r->phases, sizeof *header->stage);
    for (int i = 0; i < r->phases; i++) {
        char name[32];
        snprintf(name, sizeof name, "phase %d", i);
        header->stage[i] = memory_copy(name);
    }
}

static void make_header(struct program_traces *traces, struct trace_header *header,
                        uint32_t shared_bytes)
{
    const struct trace_recording *r = traces->recording;
    uint64_t blocks = 1, threads = 1;
    for (int i = 0; i < 3; i++) {
        header->block_dim[i] = (int)r->launch.block[i];
        header->grid_dim[i] = (int)r->launch.grid[i];
        blocks = blocks * r->launch.grid[i] < MAX_BLOCKS ? blocks * r->launch.grid[i] : MAX_BLOCKS;
        threads *= r->launch.block[i];
    }
    header->kernel = memory_copy(r->launch.name);
    header->backend = memory_copy(lines_on_gpu(traces->lines) ? "cuda" : "host");
    header->device = memory_copy(lines_told(traces->lines));
    header->input = memory_copy("");
    header->banks = r->launch.banks;
    header->bank_bytes = ROWS_BYTES;
    header->warp = r->launch.warp;
    header->threads = (int)threads;
    header->blocks = (int)blocks;
    header->shared_bytes = (int)shared_bytes;
    for (size_t i = 0; i < r->accesses; i++)
        header->global |= r->access[i].global;
    add_arrays(traces, header);
    listing_add(traces->listings, r->access[0].pc, header);
    add_sites(traces, header);
}

/* ---- handing out ----------------------------------------------------------------------------- */

static bool hand_out(struct program_traces *traces, const struct trace_header *header,
                     const struct trace_sink *to, bool complete, struct error *error)
{
    const struct trace_recording *r = traces->recording;
    struct trace_check check;
    struct trace_sink sink = trace_check_sink(&check, to);
    struct trace_end end = {.dropped = r->dropped, .complete = complete};
    const struct part *part = NULL;
    bool good = sink.header(sink.context, header, error);
    for (size_t i = 0; good && i < r->accesses; i++) {
        const struct recorded *from = &r->access[i];
        uint8_t lane[MAX_WARP];
        uint32_t addr[MAX_WARP];
        int lanes = 0;
        for (int k = 0; k < MAX_WARP; k++) {
            if (!(from->mask >> k & 1))
                continue;
            uint32_t raw = (uint32_t)r->addr[from->lane + (size_t)lanes];
            if (from->global) {
                lane[lanes++] = (uint8_t)k;
                continue;
            }
            if (!part || raw < part->from || raw >= part->to)
                part = part_of(r, raw);
            lane[lanes] = (uint8_t)k;
            addr[lanes++] = part->at + (raw - part->from);
        }
        struct warp_access access = {.stage = (int)from->phase,
                                     .round = (int)from->round,
                                     .slot = from->slot,
                                     .block = (int)from->block,
                                     .warp = from->warp,
                                     .op = (enum op)from->operation,
                                     .bytes = from->bytes,
                                     .lanes = lanes,
                                     .lane = lane,
                                     .addr = from->global ? NULL : addr,
                                     .global = from->global ? r->addr + from->lane : NULL,
                                     .value = from->values ? r->value + from->lane : NULL,
                                     .site = from->site};
        good = sink.access(sink.context, &access, error);
        end.warp_accesses += good;
    }
    end.complete = complete && good;
    good = sink.end(sink.context, &end, error) && good;
    trace_check_free(&check);
    return good;
}

static bool hand_out_launch(struct program_traces *traces, bool complete, struct error *error)
{
    struct trace_recording *r = traces->recording;
    struct trace_sink sink = {NULL, NULL, NULL, NULL};
    if (!r->accesses)
        return true;
    /* Blocks of a cooperative launch run in turns, warps of a block one after another. */
    qsort(r->access, r->accesses, sizeof *r->access, recording_order);
    if (!traces->begin(traces->context, &r->launch, &sink, error))
        return false;
    bool good = true;
    if (sink.header || sink.access || sink.end) {
        struct trace_header header = {.banks = 0};
        good = find_parts(traces, error);
        if (good) {
            if (r->marked)
                recording_place_marked(r, &header);
            else
                name_phases(r, &header);
            make_header(traces, &header, lay_out(traces));
            good = hand_out(traces, &header, &sink, complete, error);
        }
        header_free(&header);
        good = traces->end(traces->context, error) && good;
    }
    forget_recording(r);
    return good;
}

static bool on_launch_end(void *context, const struct program_end *end, struct error *error)
{
    struct program_traces *traces = context;
    traces->recording->dropped += end->dropped;
    return hand_out_launch(traces, true, error);
}

struct program_sink traces_sink(struct program_traces *traces)
{
    return (struct program_sink){.launch = on_launch,
                                 .stage = on_stage,
                                 .block = on_block,
                                 .access = on_access,
                                 .launch_end = on_launch_end,
                                 .context = traces};
}

void traces_init(struct program_traces *traces, struct source_lines *lines)
{
    *traces = (struct program_traces){.lines = lines,
                                      .recording = memory_new(1, sizeof *traces->recording),
                                      .listings = listings_new(lines)};
    forget_recording(traces->recording);
}

bool traces_finish(struct program_traces *traces, struct error *error)
{
    return hand_out_launch(traces, false, error);
}

void traces_free(struct program_traces *traces)
{
    struct trace_recording *r = traces->recording;
    free(r->access);
    free(r->addr);
    free(r->value);
    free(r->part);
    free(r->kernel);
    free(r);
    listings_free(traces->listings);
    *traces = (struct program_traces){.lines = NULL};
}
