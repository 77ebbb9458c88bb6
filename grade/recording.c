/* recording.c - a launch as a trace.
 *
 * Stages are the phases between the block's barriers, which may have names, or what BANKSCOPE_STAGE names. A round is an access of
 * the warp in its stage, counted, unless BANKSCOPE_ROUND numbers it; then slots count its accesses.
 */
#include "grade/recording.h"
#include "grade/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kept_kind { KEPT_ACCESS, KEPT_STAGE, KEPT_ROUND };

/* An access, or a word of the kernel about those that follow. */
struct kept {
    enum kept_kind kind;
    uint32_t block, warp;
    uint32_t stage;  /* phase; of KEPT_STAGE: the number of its name */
    uint32_t round;  /* of KEPT_ROUND, and of an access once it is placed */
    uint32_t order;  /* in time */
    uint32_t number; /* among the accesses, from 1 */
    uint16_t slot;
    uint16_t site; /* number of the kernel's access, + 1: in the header's sites; 0: none */
    uint8_t op, bytes;
    bool has_value;
    uint64_t mask;
    size_t lane; /* its first, in addr and value */
};

/* ---- recording ----------------------------------------------------------------------------------- */

bool kernel_recording_wants(void *context, uint64_t block)
{
    struct kernel_recording *r = context;
    const bool wanted = r->lanes < r->lanes_most && block < MAX_BLOCKS && !r->error.text[0];
    if (wanted)
        r->blocks++;
    else
        r->skipped++;
    return wanted;
}

static struct kept *keep(struct kernel_recording *r, enum kept_kind kind, uint64_t block,
                         uint32_t warp)
{
    if (r->error.text[0] ||
        !memory_grow(&r->kept, &r->room, r->count + 1, sizeof *r->kept, "accesses", &r->error))
        return NULL;
    struct kept *kept = &r->kept[r->count];
    *kept = (struct kept){
        .kind = kind, .block = (uint32_t)block, .warp = warp, .order = (uint32_t)r->count};
    r->count++;
    return kept;
}

/* The value of a lane's access, as far as a trace has it. */
static int64_t value_at(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    memcpy(&value, at, (size_t)bytes);
    const int shift = 64 - 8 * bytes;
    return (int64_t)(value << shift) >> shift;
}

void kernel_recording_access(void *context, const struct machine_access *from)
{
    struct kernel_recording *r = context;
    if (from->global)
        return;
    const size_t lanes = r->lanes + (size_t)__builtin_popcountll(from->mask);
    struct kept *kept = keep(r, KEPT_ACCESS, from->block, from->warp);
    if (!kept ||
        !memory_grow(&r->addr, &r->addr_room, lanes, sizeof *r->addr, "accesses", &r->error) ||
        !memory_grow(&r->value, &r->value_room, lanes, sizeof *r->value, "accesses", &r->error))
        return;
    kept->stage = from->phase;
    kept->number = (uint32_t)++r->accesses;
    kept->site = from->access < MAX_SITES ? (uint16_t)(from->access + 1) : 0;
    kept->op = (uint8_t)from->op;
    kept->bytes = (uint8_t)from->bytes;
    kept->mask = from->mask;
    kept->lane = r->lanes;
    kept->has_value = from->value && from->bytes <= 8;
    for (uint64_t mask = from->mask; mask; mask &= mask - 1, r->lanes++) {
        const int lane = __builtin_ctzll(mask);
        r->addr[r->lanes] = (uint32_t)from->address[lane];
        if (r->addr[r->lanes] + from->bytes > r->shared_end)
            r->shared_end = r->addr[r->lanes] + (uint32_t)from->bytes;
        r->value[r->lanes] =
            kept->has_value ? value_at(from->value + lane * from->bytes, from->bytes) : 0;
    }
}

/* The number of a name that the kernel has given to a stage; r->names: of none. */
static uint32_t find_name(const struct kernel_recording *r, const char *name)
{
    uint32_t i = 0;
    while (i < r->names && strcmp(r->name[i], name) != 0)
        i++;
    return i;
}

/* The number of a stage's name; one that is none gets what it is called in other reports. */
static bool name_number(struct kernel_recording *r, const char *text, size_t length,
                        uint32_t *number)
{
    char name[MAX_STAGE_NAME + 1];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
             text);
    if (!name[0] || !text_is_clean(name))
        snprintf(name, sizeof name, "stage %zu", r->names);
    *number = find_name(r, name);
    if (*number < r->names)
        return true;
    if (r->names >= MAX_STAGES / 2 ||
        !memory_grow(&r->name, &r->name_room, r->names + 1, sizeof *r->name, "stages", &r->error))
        return false;
    memcpy(r->name[r->names++], name, sizeof name);
    return true;
}

void kernel_recording_stage(void *context, uint64_t block, uint32_t warp, const char *name,
                            size_t length)
{
    struct kernel_recording *r = context;
    uint32_t number;
    struct kept *kept =
        name_number(r, name, length, &number) ? keep(r, KEPT_STAGE, block, warp) : NULL;
    if (kept)
        kept->stage = number;
}

void kernel_recording_round(void *context, uint64_t block, uint32_t warp, int64_t round)
{
    struct kept *kept =
        round >= 0 && round < MAX_ROUNDS ? keep(context, KEPT_ROUND, block, warp) : NULL;
    if (kept)
        kept->round = (uint32_t)round;
}

/* ---- places --------------------------------------------------------------------------------------- */

static int compare_words(const uint32_t *left, const uint32_t *right, int count)
{
    for (int i = 0; i < count; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int by_warp(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;
    return compare_words((uint32_t[]){x->block, x->warp, x->order},
                         (uint32_t[]){y->block, y->warp, y->order}, 3);
}

static int by_round(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;
    return compare_words((uint32_t[]){x->block, x->stage, x->round, x->warp, x->order},
                         (uint32_t[]){y->block, y->stage, y->round, y->warp, y->order}, 5);
}

static int in_trace(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;
    return compare_words((uint32_t[]){x->block, x->stage, x->round, x->slot, x->warp},
                         (uint32_t[]){y->block, y->stage, y->round, y->slot, y->warp}, 5);
}

static void sort(void *array, size_t count, size_t size, int (*order)(const void *, const void *))
{
    if (count)
        qsort(array, count, size, order);
}

enum { NAMED = 1 << 30 }; /* a stage's number until it is known which come first */

/* The kernel's words are taken into the accesses that follow them, and leave the list. */
static void take_words(struct kernel_recording *r)
{
    size_t count = 0;
    uint32_t named = 0, round = UINT32_MAX;
    const struct kept *before = NULL;
    sort(r->kept, r->count, sizeof *r->kept, by_warp);
    for (size_t i = 0; i < r->count; i++) {
        struct kept one = r->kept[i];
        if (!before || before->block != one.block || before->warp != one.warp) {
            named = 0;
            round = UINT32_MAX;
        }
        before = &r->kept[i];
        if (one.kind == KEPT_ROUND) {
            round = one.round;
        } else if (one.kind == KEPT_STAGE) {
            named = NAMED + one.stage;
            round = UINT32_MAX;
        } else {
            one.stage = named ? named : one.stage;
            one.round = round;
            before = &r->kept[count];
            r->kept[count++] = one;
        }
    }
    r->count = count;
}

struct stage {
    uint32_t number, first;
};

/* Its place, or `stages`. Accesses of a warp come stage by stage: it is looked for from `near` on. */
static size_t stage_at(const struct stage *stage, size_t stages, uint32_t number, size_t near)
{
    for (size_t i = 0; i < stages; i++) {
        const size_t k = (near + i) % stages;
        if (stage[k].number == number)
            return k;
    }
    return stages;
}

static int by_first(const void *a, const void *b)
{
    const struct stage *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static bool find_stages(const struct kernel_recording *r, struct stage **stage, size_t *stages,
                        struct error *error)
{
    size_t room = 0, k = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct kept *kept = &r->kept[i];
        k = stage_at(*stage, *stages, kept->stage, k);
        if (k == *stages) {
            if (*stages >= MAX_STAGES)
                return error_set(error, "more than %d barriers are more than a picture shows",
                                 MAX_STAGES);
            if (!memory_grow(stage, &room, *stages + 1, sizeof **stage, "stages", error))
                return false;
            (*stage)[(*stages)++] = (struct stage){kept->stage, kept->order};
        }
        if (kept->order < (*stage)[k].first)
            (*stage)[k].first = kept->order;
    }
    sort(*stage, *stages, sizeof **stage, by_first);
    return true;
}

static void name_stages(const struct kernel_recording *r, const struct stage *stage, size_t stages,
                        struct trace_header *header)
{
    header->stage = memory_new(stages + 1, sizeof *header->stage);
    for (size_t i = 0; i < stages; i++) {
        char name[MAX_STAGE_NAME + 1];
        const uint32_t number = stage[i].number;
        if (number >= NAMED)
            snprintf(name, sizeof name, "%s", r->name[number - NAMED]);
        else if (number < (uint32_t)r->stages)
            snprintf(name, sizeof name, "%s", r->stage[number]);
        else
            snprintf(name, sizeof name, "phase %u", (unsigned)number);
        /* The kernel has named another "phase 0". */
        if (number < NAMED && (find_name(r, name) < r->names || header_stage(header, name) >= 0))
            snprintf(name, sizeof name, "barrier %u", (unsigned)number);
        header->stage[header->stages++] = memory_copy(name);
    }
}

/* An access of a launch is that of a number; only one has it. */
static void remember_found(struct kernel_recording *r, const struct kept *kept)
{
    r->is_found = true;
    r->found = (struct warp_access){.stage = (int)kept->stage,
                                    .round = (int)kept->round,
                                    .slot = kept->slot,
                                    .block = (int)kept->block,
                                    .warp = (int)kept->warp};
}

/* Rounds that are not numbered count the warp's accesses in the stage; slots those of a round. */
static void count_rounds(struct kernel_recording *r, const struct stage *stage, size_t stages)
{
    uint32_t *next = memory_new(stages + 1, sizeof *next), block = UINT32_MAX, warp = 0;
    size_t count = 0, k = 0;
    for (size_t i = 0; i < r->count; i++) {
        struct kept *kept = &r->kept[i];
        k = stage_at(stage, stages, kept->stage, k);
        if (kept->block != block || kept->warp != warp)
            memset(next, 0, stages * sizeof *next);
        block = kept->block;
        warp = kept->warp;
        kept->stage = (uint32_t)k;
        if (kept->round == UINT32_MAX)
            kept->round = next[k];
        next[k] = kept->round + 1;
    }
    free(next);
    sort(r->kept, r->count, sizeof *r->kept, by_round);
    for (size_t i = 0; i < r->count; i++) {
        struct kept *kept = &r->kept[i], *before = count ? &r->kept[count - 1] : NULL;
        const bool same = before && before->block == kept->block && before->stage == kept->stage &&
                          before->round == kept->round && before->warp == kept->warp;
        kept->slot = same ? before->slot + 1 : 0;
        if (kept->slot < MAX_SLOTS && kept->round < MAX_ROUNDS)
            r->kept[count++] = *kept;
        else
            r->dropped++;
        if (kept->number == r->wanted)
            remember_found(r, kept);
    }
    r->count = count;
    sort(r->kept, r->count, sizeof *r->kept, in_trace);
}

/* ---- the header ----------------------------------------------------------------------------------- */

/* A line of the source, without what it begins and ends with. */
static char *line_of(const char *source, int line)
{
    for (int i = 1; i < line && source; i++) {
        source = strchr(source, '\n');
        source = source ? source + 1 : NULL;
    }
    if (!source || line < 1)
        return memory_copy("");
    source += strspn(source, " \t");
    char text[300];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(source, "\r\n"), source);
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
    return memory_copy(text_is_clean(text) ? text : "");
}

/* The place of a site that is in a source; at->line is 0 if none is. Of one source the innermost, of an exercise's the
 * outermost. */
static const struct kernel_source *place_of(const struct kernel_recording *r, int site,
                                            struct machine_site *at)
{
    const bool innermost = !r->source[1].file;
    const struct kernel_source *source = NULL;
    struct machine_site one;
    for (int depth = 0; site >= 0 && depth < 64 && !(source && innermost);
         depth++, site = one.inlined_at) {
        machine_module_site(r->module, site, &one);
        for (int i = 0; i < 2 && r->source[i].file; i++)
            if (!strcmp(one.file, r->source[i].file)) {
                source = &r->source[i];
                *at = one;
            }
    }
    if (!source)
        at->line = 0;
    return source ? source : &r->source[0];
}

int kernel_recording_line(const struct kernel_recording *recording, int site)
{
    struct machine_site at;
    place_of(recording, site, &at);
    return at.line;
}

/* kernel_code's place. */
static const char *code_place(const void *context, int site, int *line)
{
    struct machine_site at;
    const struct kernel_source *source = place_of(context, site, &at);
    *line = at.line;
    return at.line ? source->shown : "";
}

/* What the kernel became, and a site for each of its accesses. */
static void add_sites(const struct kernel_recording *r, struct trace_header *header)
{
    const int accesses = machine_kernel_accesses(r->kernel);
    size_t bytes = 0;
    if (!kernel_code(r->launch->kernel, code_place, r, header, &bytes) && header->codes)
        header_cut_code(header);
    header->sites = accesses < MAX_SITES ? accesses : MAX_SITES;
    header->site = memory_new((size_t)header->sites + 1, sizeof *header->site);
    for (int i = 0; i < header->sites; i++) {
        struct machine_access_facts facts;
        struct machine_site site = {.function = NULL}, at;
        machine_kernel_access(r->kernel, i, &facts);
        const struct kernel_source *source = place_of(r, facts.site, &at);
        if (facts.site >= 0)
            machine_module_site(r->module, facts.site, &site);
        header->site[i] = (struct trace_site){
            .file = memory_copy(source->shown),
            .function = memory_copy(site.function ? site.function : ""),
            .text = line_of(source->text, at.line),
            .array = memory_copy(""),
            .line = at.line,
            .code = 1 + kernel_code_find(header, facts.text, facts.text_length)};
    }
}

static const struct kernelc_array *array_named(const struct kernelc_result *compiled,
                                               const char *symbol)
{
    for (int i = 0; i < compiled->arrays; i++)
        if (compiled->array[i].shared && !strcmp(compiled->array[i].symbol, symbol))
            return &compiled->array[i];
    return NULL;
}

static void add_array(struct trace_header *header, const struct machine_shared *shared,
                      const struct kernelc_array *known, uint64_t bytes)
{
    const int element = known ? type_bytes(known->type) : 0;
    struct trace_array *array = &header->array[header->arrays++];
    *array = (struct trace_array){.name = memory_copy(known ? known->name : shared->name),
                                  .type = memory_copy(element ? known->type : "unsigned char"),
                                  .addr = (int)shared->offset,
                                  .bytes = element ? element : 1,
                                  .dims = 1,
                                  .dim = {(int)(bytes / (element ? (uint64_t)element : 1))}};
    if (!element || shared->dynamic)
        return;
    array->dims = known->dimensions;
    for (int i = 0; i < array->dims; i++)
        array->dim[i] = known->dimension[i];
}

/* The parts that the kernel names of an array, or none. */
static bool add_parts(const struct kernel_recording *r, struct trace_header *header,
                      const struct machine_shared *shared)
{
    const int before = header->arrays;
    for (int i = 0; i < r->parts && header->arrays < MAX_HEADER_ARRAYS; i++) {
        const struct kernel_part *part = &r->part[i];
        if (part->from < shared->offset || part->from - shared->offset >= shared->bytes)
            continue;
        const int element = type_bytes(part->type);
        header->array[header->arrays++] = (struct trace_array){.name = memory_copy(part->name),
                                                               .type = memory_copy(part->type),
                                                               .addr = (int)part->from,
                                                               .bytes = element,
                                                               .dims = 1,
                                                               .dim = {(int)part->bytes / element}};
        if ((int)(part->from + part->bytes) > header->shared_bytes)
            header->shared_bytes = (int)(part->from + part->bytes);
    }
    return header->arrays > before;
}

const char *kernel_recording_part(const struct kernel_recording *r, int access)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct kept *kept = &r->kept[i];
        const uint32_t at = kept->kind == KEPT_ACCESS && kept->site == access + 1
                                ? r->addr[kept->lane]
                                : UINT32_MAX;
        for (int k = 0; k < r->parts; k++)
            if (at - r->part[k].from < r->part[k].bytes)
                return r->part[k].name;
    }
    return NULL;
}

static void add_arrays(const struct kernel_recording *r, struct trace_header *header)
{
    struct machine_shared shared;
    int count = 0;
    header->shared_bytes = (int)r->shared_end; /* beyond all arrays where a fault went on */
    while (machine_kernel_shared(r->kernel, count, &shared))
        count++;
    header->array = memory_new((size_t)count + MAX_PARTS + 1, sizeof *header->array);
    for (int i = 0; i < count && header->arrays < MAX_HEADER_ARRAYS; i++) {
        machine_kernel_shared(r->kernel, i, &shared);
        if (add_parts(r, header, &shared))
            continue;
        const uint64_t bytes = shared.dynamic ? r->launch->dynamic_shared : shared.bytes;
        if ((uint64_t)shared.offset + bytes > (uint64_t)header->shared_bytes)
            header->shared_bytes = (int)(shared.offset + bytes);
        if (bytes)
            add_array(header, &shared, array_named(r->compiled, shared.name), bytes);
    }
}

static void make_header(const struct kernel_recording *r, struct trace_header *header)
{
    const struct machine_launch *launch = r->launch;
    header->kernel = memory_copy(r->of->name);
    header->backend = memory_copy("host");
    header->device = memory_copy("");
    header->input = memory_copy("");
    header->banks = launch->banks;
    header->bank_bytes = 4;
    header->warp = launch->warp;
    header->threads = 1;
    header->blocks = 1;
    for (int i = 0; i < 3; i++) {
        header->block_dim[i] = (int)launch->block[i];
        header->grid_dim[i] = (int)launch->grid[i];
        header->threads *= header->block_dim[i];
        header->blocks *= header->grid_dim[i];
    }
    add_arrays(r, header);
    add_sites(r, header);
}

/* ---- handing out ---------------------------------------------------------------------------------- */

static bool put_access(const struct kernel_recording *r, const struct kept *kept,
                       const struct trace_sink *sink, struct error *error)
{
    uint8_t lane[MACHINE_LANES];
    int lanes = 0;
    for (uint64_t mask = kept->mask; mask; mask &= mask - 1)
        lane[lanes++] = (uint8_t)__builtin_ctzll(mask);
    const struct warp_access access = {.stage = (int)kept->stage,
                                       .round = (int)kept->round,
                                       .slot = kept->slot,
                                       .block = (int)kept->block,
                                       .warp = (int)kept->warp,
                                       .op = (enum op)kept->op,
                                       .bytes = kept->bytes,
                                       .lanes = lanes,
                                       .lane = lane,
                                       .addr = r->addr + kept->lane,
                                       .value = kept->has_value ? r->value + kept->lane : NULL,
                                       .site = kept->site - 1};
    return sink->access(sink->context, &access, error);
}

static bool put_all(struct kernel_recording *r, const struct trace_header *header, bool complete,
                    const struct trace_sink *to, struct error *error)
{
    struct trace_check check;
    struct trace_sink sink = trace_check_sink(&check, to);
    struct trace_end end = {.dropped = r->dropped};
    bool good = sink.header(sink.context, header, error);
    for (size_t i = 0; good && i < r->count; i++) {
        good = put_access(r, &r->kept[i], &sink, error);
        end.warp_accesses += good;
    }
    end.complete = complete && good;
    good = good && sink.end(sink.context, &end, error);
    trace_check_free(&check);
    return good;
}

bool kernel_recording_put(struct kernel_recording *r, bool complete, const struct trace_sink *sink,
                          struct error *error)
{
    struct trace_header header = {.banks = 0};
    struct stage *stage = NULL;
    size_t stages = 0;
    if (r->error.text[0])
        return error_set(error, "%s", r->error.text);
    take_words(r);
    bool good = find_stages(r, &stage, &stages, error);
    if (good && stages > 0) {
        name_stages(r, stage, stages, &header);
        count_rounds(r, stage, stages);
        make_header(r, &header);
        good = put_all(r, &header, complete, sink, error);
    }
    header_free(&header);
    free(stage);
    return good;
}

void kernel_recording_free(struct kernel_recording *r)
{
    free(r->kept);
    free(r->addr);
    free(r->value);
    free(r->name);
    *r = (struct kernel_recording){.compiled = NULL};
}
