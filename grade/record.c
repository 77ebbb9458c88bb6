/* record.c - a run of an exercise as a trace, and the place in it to look at. */
#include "grade/exercise.h"
#include "grade/recording.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

enum {
    MOST_LANES = 1 << 22, /* accesses of lanes in a trace */
    HITS = 64,
};

struct record {
    const struct grade_take *take;
    struct kernel_recording recording;
    const struct machine_module *module;
    struct grade_outcome outcome;
    struct trace *trace;
    struct error *error;
    struct machine_fault fault; /* the first */
    bool is_faulty;
    int block, thread; /* that stored the wrong word; thread -1: nobody has */
    struct hit {
        int block, thread;
        uint64_t access; /* its number */
    } hit[HITS];         /* the latest loads that gave a wrong word's number */
    unsigned hits;
};

/* ---- looking on ------------------------------------------------------------------------------------- */

static int thread_of(const struct record *record, const struct machine_access *access, int lane)
{
    return (int)access->warp * grade_case_warp(&record->take->of) + lane;
}

static void note_hits(struct record *record, const struct machine_access *access)
{
    if (record->take->wrong.array < 0 || access->op != OP_LOAD || !access->value ||
        access->bytes != 4)
        return;
    for (uint64_t mask = access->mask; mask; mask &= mask - 1) {
        const int lane = __builtin_ctzll(mask);
        if (!memcmp(access->value + 4 * lane, &record->take->wrong.got, 4))
            record->hit[record->hits++ % HITS] = (struct hit){
                (int)access->block, thread_of(record, access, lane), record->recording.accesses};
    }
}

/* Wants the latest load that gave the thread the wrong word that it stores. */
static void want_hit(struct record *record)
{
    for (unsigned i = record->hits; i > 0 && record->hits - i < HITS; i--) {
        const struct hit *hit = &record->hit[(i - 1) % HITS];
        if (hit->block == record->block && hit->thread == record->thread) {
            record->recording.wanted = hit->access;
            return;
        }
    }
}

static void note_writer(struct record *record, const struct machine_access *access)
{
    const struct grade_wrong *wrong = &record->take->wrong;
    const uint64_t address =
        grade_address(wrong->array < 0 ? 0 : wrong->array) + 4 * (uint64_t)wrong->index;
    if (wrong->array < 0 || access->op != OP_STORE)
        return;
    for (uint64_t mask = access->mask; mask; mask &= mask - 1) {
        const int lane = __builtin_ctzll(mask);
        if (address - access->address[lane] < (uint64_t)access->bytes) {
            record->block = (int)access->block;
            record->thread = thread_of(record, access, lane);
            want_hit(record);
        }
    }
}

static bool on_wants(void *context, uint64_t block)
{
    return kernel_recording_wants(&((struct record *)context)->recording, block);
}
static void on_access(void *context, const struct machine_access *access)
{
    struct record *record = context;
    if (access->global) {
        note_writer(record, access);
    } else {
        kernel_recording_access(&record->recording, access);
        note_hits(record, access);
    }
}
static void on_stage(void *context, uint64_t block, uint32_t warp, const char *name, size_t length)
{
    kernel_recording_stage(&((struct record *)context)->recording, block, warp, name, length);
}
static void on_round(void *context, uint64_t block, uint32_t warp, int64_t round)
{
    kernel_recording_round(&((struct record *)context)->recording, block, warp, round);
}
static void on_fault(void *context, const struct machine_fault *fault)
{
    struct record *record = context;
    if (!record->is_faulty && fault->kind != MACHINE_FAULT_LANES) {
        record->is_faulty = true;
        record->fault = *fault;
    }
    grade_tell_fault(&record->outcome, record->module, fault);
}

static bool on_begin(void *context, struct machine_module *module, struct machine_kernel *kernel)
{
    struct record *record = context;
    record->module = record->recording.module = module;
    record->recording.kernel = kernel;
    return true;
}

static void on_end(void *context, const struct machine_launch *launch)
{
    struct record *record = context;
    const struct trace_sink sink = trace_memory_sink(record->trace);
    record->recording.launch = launch;
    kernel_recording_put(&record->recording, record->outcome.good, &sink, record->error);
}

/* ---- the place to look at ---------------------------------------------------------------------------- */

/* The index of a thread of the block in lane and addr, or -1. */
static int lane_of(const struct trace *trace, const struct warp_access *access, int block,
                   int thread)
{
    const int warp = trace->header.warp;
    for (int i = 0; access->block == block && access->warp == thread / warp && i < access->lanes;
         i++)
        if (access->lane[i] == thread % warp)
            return i;
    return -1;
}

static bool is_at(const struct warp_access *access, const struct warp_access *place)
{
    return access->stage == place->stage && access->round == place->round &&
           access->slot == place->slot && access->block == place->block &&
           access->warp == place->warp;
}

/* The load by which the thread got the number, or else its last one. Returns its index, or trace->count. */
static size_t find_load(const struct record *record)
{
    const struct kernel_recording *recording = &record->recording;
    const struct trace *trace = record->trace;
    size_t found = trace->count;
    for (size_t i = 0; i < trace->count; i++) {
        const struct warp_access access = trace_get(trace, i);
        const bool theirs =
            access.op == OP_LOAD && lane_of(trace, &access, record->block, record->thread) >= 0;
        if (theirs && recording->is_found && is_at(&access, &recording->found))
            return i;
        found = theirs ? i : found;
    }
    return found;
}

/* The latest store to a byte of the block before an access. Sets the thread. */
static bool find_store(const struct trace *trace, size_t before, uint32_t byte,
                       struct warp_access *store, int *thread)
{
    const int block = trace_get(trace, before).block;
    for (size_t i = before; i-- > 0;) {
        *store = trace_get(trace, i);
        for (int k = 0; store->op == OP_STORE && store->block == block && k < store->lanes; k++)
            if (byte - store->addr[k] < (uint32_t)store->bytes) {
                *thread = store->warp * trace->header.warp + store->lane[k];
                return true;
            }
    }
    return false;
}

static bool explain(const struct record *record, struct warp_access *at, char *text, size_t room)
{
    const struct trace *trace = record->trace;
    const size_t found = record->thread < 0 ? trace->count : find_load(record);
    struct warp_access store;
    int writer;
    if (found == trace->count)
        return false;
    *at = trace_get(trace, found);
    const uint32_t byte = at->addr[lane_of(trace, at, record->block, record->thread)];
    const uint32_t word = byte / 4;
    snprintf(text, room, "lane %d of warp %d read word %" PRIu32 " in bank %" PRIu32,
             record->thread % trace->header.warp, at->warp, word,
             word % (uint32_t)trace->header.banks);
    if (find_store(trace, found, byte, &store, &writer))
        text_add(text, room, ", which thread %d wrote in stage %s, round %d", writer,
                 trace->header.stage[store.stage], store.round);
    return true;
}

/* The last access of the faulty thread in the line of the fault. */
static bool find_fault(const struct record *record, struct warp_access *at)
{
    const struct trace *trace = record->trace;
    bool found = false;
    for (size_t i = 0; record->is_faulty && i < trace->count; i++) {
        const struct warp_access access = trace_get(trace, i);
        if (access.site != record->fault.site ||
            lane_of(trace, &access, (int)record->fault.block[0], (int)record->fault.thread[0]) < 0)
            continue;
        *at = access;
        found = true;
    }
    return found;
}

/* ---- recording --------------------------------------------------------------------------------------- */

static const struct kernelc_kernel *kernel_of(const struct grade_take *take)
{
    for (int i = 0; i < take->compiled->kernels; i++)
        if (!strcmp(take->compiled->kernel[i].name, take->exercise->table.kernel))
            return &take->compiled->kernel[i];
    return NULL;
}

static bool record_launch(struct record *record, struct error *error)
{
    const struct grade_take *take = record->take;
    const struct machine_observer observer = {.context = record,
                                              .fault = on_fault,
                                              .wants = on_wants,
                                              .access = on_access,
                                              .stage = on_stage,
                                              .round = on_round};
    const struct grade_watch watch = {.observer = &observer,
                                      .begin = on_begin,
                                      .end = on_end,
                                      .context = record,
                                      .values = true,
                                      .check = true,
                                      .limit = GRADE_INSTRUCTIONS};
    struct grade_words words;
    const bool good =
        grade_words_new(&take->of, take->allocator, &words, error) &&
        grade_words_prepare(&take->of, &take->exercise->grading, &words, take->allocator, error);
    if (good)
        grade_run(&take->of, take->compiled, take->exercise->table.kernel, &words, take->allocator,
                  &watch, &record->outcome);
    grade_words_free(&words);
    return good;
}

bool grade_take(const struct grade_take *take, struct trace *trace, struct grade_seen *seen,
                char *from, size_t room, struct error *error)
{
    const struct grade_table *table = &take->exercise->table;
    const char *stage[GRADE_STAGES];
    struct record record = {.take = take, .trace = trace, .error = error, .thread = -1};
    struct warp_access *at = &seen->at;
    for (int i = 0; i < table->stages; i++)
        stage[i] = table->stage[i];
    record.recording = (struct kernel_recording){
        .compiled = take->compiled,
        .of = kernel_of(take),
        .source = {{GRADE_EXERCISE_FILE, take->exercise->texts.exercise.text, GRADE_EXERCISE_FILE},
                   {GRADE_PART_FILE, take->part, "your part"}},
        .stages = table->stages,
        .stage = stage,
        .lanes_most = MOST_LANES,
        .wanted = take->access};
    *seen = (struct grade_seen){.at = {.stage = 0}};
    *from = '\0';
    grade_case_show(&take->of, seen->words, sizeof seen->words);
    const bool ran = record_launch(&record, error);
    snprintf(seen->why, sizeof seen->why, "%s", record.outcome.why);
    if (ran && !error->text[0] && !trace->count)
        error_set(error, "no access to shared memory could be recorded%s%s",
                  seen->why[0] ? ": " : "", seen->why);
    if (!error->text[0]) {
        if (take->access && record.recording.is_found)
            *at = record.recording.found;
        else if (!explain(&record, at, from, room) && !find_fault(&record, at))
            *at = trace_get(trace, 0);
    }
    kernel_recording_free(&record.recording);
    return !error->text[0];
}

bool grade_record(const struct grade_exercise *exercise, const struct grade_text *source,
                  const struct grade_place *place, struct trace *trace, struct grade_seen *seen,
                  struct error *error)
{
    struct grade_memory memory = {.from = exercise->allocator, .most = GRADE_MEMORY};
    const struct allocator allocator = grade_allocator(&memory);
    struct kernelc_result compiled = {.ptx = NULL};
    struct grade_source split;
    size_t length;
    char from[200];
    if (!grade_split(source, &split, error))
        return false;
    char *text = grade_placed(&allocator, &split, &length);
    if (!text)
        return error_set(error, "out of memory for the part");
    const struct grade_text part = {text, length};
    if (!grade_compile(&allocator, &exercise->source.before, &part, &compiled)) {
        error_set(error, "line %d: %s", compiled.message[0].line, compiled.message[0].text);
    } else {
        struct grade_take take = {
            .exercise = exercise,
            .allocator = &allocator,
            .compiled = &compiled,
            .part = text,
            .of = {.table = &exercise->table, .seed = 1},
            .access = place->known ? place->access : 0,
            .wrong = {place->known ? place->array : -1, place->index, place->got}};
        memcpy(take.of.value, place->known ? place->value : exercise->table.try_value[0],
               sizeof take.of.value);
        if (place->known)
            take.of.seed = place->seed;
        grade_take(&take, trace, seen, from, sizeof from, error);
    }
    kernelc_free(&compiled);
    allocator.resize(allocator.context, text, length + 1, 0);
    return !error->text[0];
}
