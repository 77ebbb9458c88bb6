/* host.c - the host backend: runs a kernel without a GPU, checks every access, records it.
 *
 * The threads of a block are fibers. Each runs until it reaches a barrier or returns; when all of a
 * warp (or block) wait at the same barrier they go on. Blocks run one after another. A thread's
 * accesses go into rows (host_records.c).
 *
 * A shadow of shared memory (shadow.h) knows who touched each element since which barrier: that is
 * how a read of a word never written and a race are found. Any fault ends the run at once.
 */
#include "instrument/host.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The only state outside a context, because the compiler's checks and signal handlers get no
 * argument. */
static _Thread_local struct simt *running;

struct simt *host_running(void)
{
    return running;
}

/* Gives way to the scheduler. */
static void yield(struct host_thread *thread)
{
    fiber_switch(&thread->fiber, &thread->simt.block->scheduler);
}

void host_fault(struct simt *simt, int line, const char *format, ...)
{
    struct host_block *block = simt->block;
    char what[320], place[32] = "";
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    if (line)
        snprintf(place, sizeof place, " (line %d)", line);
    error_set(block->error, "kernel %s, stage %s, round %d, block %d, thread %d%s: %s",
              block->header->kernel, header_stage_name(block->header, simt->stage), simt->round,
              simt->block_idx.x, simt->thread_idx.x, place, what);
    block->failed = true;
    yield(host_thread_of(simt));
    abort();
}

static bool fail_block(struct host_block *block)
{
    if (block->launch->partial)
        host_flush_block(block);
    return false;
}

/* ---- shared memory and its shadow ------------------------------------------------------------ */

void *simt_host_shared(struct simt *simt, const char *name, size_t bytes, int64_t count, int line)
{
    struct host_block *block = simt->block;
    int number = host_thread_of(simt)->arrays++;
    if (number < block->arrays) {
        const struct host_array *array = &block->array[number];
        if (array->bytes != bytes || array->count != count)
            host_fault(simt, line, "%s: every thread must declare the same shared arrays", name);
        return array->base;
    }
    if (number == MAX_ARRAYS)
        host_fault(simt, line, "%s: more than %d shared arrays", name, MAX_ARRAYS);
    if (bytes > WIDEST || bytes & (bytes - 1))
        host_fault(simt, line, "%s: elements of %zu bytes; they must have 1, 2, 4, 8 or 16", name,
                   bytes);
    size_t start = (block->shared_used + bytes - 1) / bytes * bytes;
    if (count < 0 || count > MAX_SHARED ||
        start + (size_t)count * bytes > (size_t)block->header->shared_bytes)
        host_fault(simt, line,
                   "%s: %lld elements of %zu bytes at byte %zu exceed the %d bytes of shared "
                   "memory of the launch",
                   name, (long long)count, bytes, start, block->header->shared_bytes);
    struct host_array *array = &block->array[block->arrays++];
    *array = (struct host_array){.name = name,
                                 .bytes = bytes,
                                 .shift = __builtin_ctzl(bytes),
                                 .count = count,
                                 .size = (size_t)count * bytes,
                                 .base = block->shared + start};
    if (!shadow_add(&block->shadow, (size_t)count, &array->shadow))
        host_fault(simt, line, "%s: out of memory for %lld elements", name, (long long)count);
    block->shared_used = start + (size_t)count * bytes;
    return array->base;
}

/* The number of elements of a shared array that one access takes. */
struct span {
    const struct host_array *array;
    int64_t first;
    size_t count; /* more than one if the pointer is cast to a wider type */
};

/* Says why base[i] is no `bytes` bytes of the array that base points into (NULL: into none). */
__attribute__((noreturn, noinline, cold)) static void find_fault(struct simt *simt,
                                                                 const unsigned char *base,
                                                                 size_t bytes, int64_t i, int line,
                                                                 const struct host_array *array)
{
    if (!array)
        host_fault(simt, line, "the pointer is not into a SHARED array");
    long long from = (base - array->base) >> array->shift, count = array->count;
    bool far = i < -MAX_SHARED || i > MAX_SHARED;
    int64_t offset = base - array->base + (far ? 0 : i * (int64_t)bytes);
    if (bytes < array->bytes || bytes > WIDEST || bytes & (bytes - 1))
        host_fault(simt, line, "%s has elements of %zu bytes, not %zu", array->name, array->bytes,
                   bytes);
    if (!far && offset >= 0 && offset <= (int64_t)array->size - (int64_t)bytes)
        host_fault(simt, line, "%zu bytes of %s at address %zu, which must be a multiple of %zu",
                   bytes, array->name, (size_t)(array->base + offset - simt->block->shared), bytes);
    if (bytes == array->bytes)
        host_fault(simt, line, "%s[%lld] is outside its %lld elements", array->name,
                   far ? (long long)i : from + i, count);
    host_fault(simt, line, "%zu bytes, number %lld from %s[%lld] on, are outside its %lld elements",
               bytes, (long long)i, array->name, from, count);
}

/* Finds the array that holds the `bytes` bytes at base[i]; it is a fault if they are not inside
 * one. */
static inline __attribute__((always_inline)) unsigned char *
find(struct simt *simt, const void *base, size_t bytes, int64_t i, int line, struct span *span)
{
    struct host_block *block = simt->block;
    const uintptr_t at = (uintptr_t)base;
    const struct host_array *array = block->array, *last = array + block->arrays;
    while (array < last && at - (uintptr_t)array->base >= array->size)
        array++;
    if (array == last)
        find_fault(simt, base, bytes, i, line, NULL);
    bool far = i < -MAX_SHARED || i > MAX_SHARED; /* so far that i * bytes could overflow */
    int64_t offset = (int64_t)(at - (uintptr_t)array->base) + (far ? 0 : i * (int64_t)bytes);
    unsigned char *to = array->base + offset;
    if (bytes < array->bytes || bytes > WIDEST || bytes & (bytes - 1) || far || offset < 0 ||
        offset > (int64_t)array->size - (int64_t)bytes ||
        (size_t)(to - block->shared) & (bytes - 1))
        find_fault(simt, base, bytes, i, line, array);
    *span = (struct span){array, offset >> array->shift, bytes >> array->shift};
    return to;
}

void host_judge(struct simt *simt, struct shadow_verdict verdict, const char *name, int64_t index,
                int line)
{
    static const struct {
        const char *does, *other;
    } races[] = {[SHADOW_READ_RACE] = {"reads", "writes"},
                 [SHADOW_WRITE_RACE] = {"writes", "writes"},
                 [SHADOW_WRITE_READ] = {"writes", "reads"}};
    char block[32] = "";
    if (verdict.fault == SHADOW_FINE)
        return;
    if (verdict.fault == SHADOW_UNWRITTEN)
        host_fault(simt, line,
                   "reads %s[%lld], which no thread has written; if another is to write it, a "
                   "barrier must come between",
                   name, (long long)index);
    if (verdict.block != simt->block->index)
        snprintf(block, sizeof block, " of block %d", verdict.block);
    host_fault(simt, line,
               "race: %s %s[%lld], which thread %d%s %s (line %d) with no barrier between",
               races[verdict.fault].does, name, (long long)index, verdict.thread, block,
               races[verdict.fault].other, verdict.line);
}

const void *simt_host_load(struct simt *simt, const void *base, size_t bytes, int64_t i, char tag,
                           int line)
{
    struct span span;
    const unsigned char *at = find(simt, base, bytes, i, line, &span);
    for (size_t k = 0; k < span.count; k++) {
        size_t cell = span.array->shadow + (size_t)span.first + k;
        struct shadow_verdict verdict =
            shadow_read(&simt->block->shadow, cell, simt->thread_idx.x, line);
        if (verdict.fault != SHADOW_FINE)
            host_judge(simt, verdict, span.array->name, span.first + (int64_t)k, line);
    }
    host_record(simt, OP_LOAD, at, bytes, tag, line);
    return at;
}

const void *simt_host_load_apart(struct simt *simt, const void *base, size_t bytes, int64_t i,
                                 char tag, int line)
{
    const void *at = simt_host_load(simt, base, bytes, i, tag, line);
    return memcpy(simt->value, at, bytes);
}

void simt_host_store(struct simt *simt, void *base, size_t bytes, int64_t i, const void *value,
                     char tag, int line)
{
    struct span span;
    unsigned char *at = find(simt, base, bytes, i, line, &span);
    for (size_t k = 0; k < span.count; k++) {
        size_t cell = span.array->shadow + (size_t)span.first + k;
        struct shadow_verdict verdict =
            shadow_write(&simt->block->shadow, cell, simt->thread_idx.x, line);
        if (verdict.fault != SHADOW_FINE)
            host_judge(simt, verdict, span.array->name, span.first + (int64_t)k, line);
    }
    memcpy(at, value, bytes);
    host_record(simt, OP_STORE, at, bytes, tag, line);
}

void simt_host_fill(struct simt *simt, void *base, size_t bytes, int64_t i, const void *value,
                    int line)
{
    int stage = simt->stage, round = simt->round, slot = simt->slot;
    struct host_thread *thread = host_thread_of(simt);
    const struct host_thread before = {
        .phase = thread->phase, .last = thread->last, .run = thread->run};
    if (!simt->block->has_setup)
        host_fault(simt, line, "FILL stores in the stage setup, which must be the first of STAGES");
    simt->stage = 0;
    simt->round = simt->fills++;
    simt->slot = 0;
    thread->phase = -1; /* it sets the scene, and is in no order with the rest */
    thread->last = -1;
    thread->run = 0;
    simt_host_store(simt, base, bytes, i, value, ' ', line);
    thread->phase = before.phase;
    thread->last = before.last;
    thread->run = before.run;
    simt->stage = stage;
    simt->round = round;
    simt->slot = slot;
}

void simt_host_guard(struct simt *simt, const void *base, int64_t first, int64_t count, int line)
{
    struct host_block *block = simt->block;
    for (int k = 0; k < block->arrays; k++) {
        const struct host_array *array = &block->array[k];
        if (array->base != base)
            continue;
        if (first < 0 || count < 0 || first > array->count - count)
            host_fault(simt, line, "GUARD is outside the %lld elements of %s",
                       (long long)array->count, array->name);
        shadow_guard(&block->shadow, array->shadow + (size_t)first, (size_t)count);
        return;
    }
    host_fault(simt, line, "GUARD needs a SHARED array");
}

/* ---- threads --------------------------------------------------------------------------------- */

void simt_host_sync(struct simt *simt, bool warp, int line)
{
    struct host_thread *thread = host_thread_of(simt);
    if (simt->block->overdue)
        host_fault(simt, line, "waits at barriers without end, and accesses nothing");
    thread->state = warp ? AT_WARP : AT_BLOCK;
    thread->line = line;
    thread->phase++;
    yield(thread);
}

/* One thread's run of the kernel. */
static void run_thread(void *context)
{
    struct host_thread *thread = context;
    const struct launch *launch = thread->simt.block->launch;
    launch->body(&thread->simt, launch->params, launch->in, launch->out);
    thread->state = DONE;
}

static bool start_thread(struct host_block *block, int index)
{
    struct host_thread *thread = &block->thread[index];
    if (!thread->fiber.stack && !fiber_make(&thread->fiber, FIBER_STACK))
        return error_set(block->error, "out of memory for %d threads", block->header->threads);
    fiber_start(&thread->fiber, run_thread, thread, &block->scheduler);
    thread->simt =
        (struct simt){.thread_idx = {index}, .block_idx = {block->index}, .block = block};
    thread->state = READY;
    thread->arrays = thread->phase = 0;
    thread->last = -1;
    thread->run = 0;
    return true;
}

/* Appends the threads that are in this state, and in this line unless they are DONE, as "0, 2-5". */
static void list_threads(const struct host_block *block, char *text, size_t room,
                         enum thread_state state, int line)
{
    int threads = block->header->threads, shown = 0;
    for (int t = 0; t < threads; t++) {
        int first = t;
        while (t < threads && block->thread[t].state == state &&
               (state == DONE || block->thread[t].line == line))
            t++;
        if (t == first)
            continue;
        if (++shown > 6) {
            text_add(text, room, ", ...");
            return;
        }
        text_add(text, room, "%s%d", shown > 1 ? ", " : "", first);
        if (t - 1 > first)
            text_add(text, room, "-%d", t - 1);
    }
}

/* No thread can go on: reports who waits where. */
static bool report_barrier(struct host_block *block)
{
    char text[384] = "";
    const struct host_thread *waiting = NULL, *other = NULL;
    bool done = false;
    for (int t = 0; t < block->header->threads; t++) {
        const struct host_thread *thread = &block->thread[t];
        if (thread->state == DONE)
            done = true;
        else if (!waiting)
            waiting = thread;
        else if (!other && (thread->state != waiting->state || thread->line != waiting->line))
            other = thread;
    }
    snprintf(text, sizeof text, "the %s barrier in line %d is reached by threads ",
             waiting->state == AT_WARP ? "warp" : "block", waiting->line);
    list_threads(block, text, sizeof text, waiting->state, waiting->line);
    if (other) {
        text_add(text, sizeof text, "; line %d by threads ", other->line);
        list_threads(block, text, sizeof text, other->state, other->line);
    }
    if (done) {
        text_add(text, sizeof text, "; the kernel's end by threads ");
        list_threads(block, text, sizeof text, DONE, 0);
    }
    const struct simt *simt = &waiting->simt;
    return error_set(block->error,
                     "kernel %s, stage %s, round %d, block %d, thread %d: barrier not reached by "
                     "all: %s",
                     block->header->kernel, header_stage_name(block->header, simt->stage),
                     simt->round, block->index, simt->thread_idx.x, text);
}

/* Lets the threads first .. last - 1 continue if all of them wait at the same barrier. */
static bool release(struct host_block *block, int first, int last, enum thread_state state)
{
    for (int t = first; t < last; t++)
        if (block->thread[t].state != state || block->thread[t].line != block->thread[first].line)
            return false;
    for (int t = first; t < last; t++)
        block->thread[t].state = READY;
    if (state == AT_BLOCK)
        shadow_block_barrier(&block->shadow), shadow_block_barrier(&block->out);
    else
        shadow_warp_barrier(&block->shadow, host_warp_of(block, first)),
            shadow_warp_barrier(&block->out, host_warp_of(block, first));
    return true;
}

/* Runs a thread until it waits, ends, or fails. */
static void enter(struct host_block *block, struct host_thread *thread)
{
    struct simt *before = running;
    running = &thread->simt;
    fiber_switch(&block->scheduler, &thread->fiber);
    running = before;
}

static bool run_block(struct host_block *block)
{
    int threads = block->header->threads, warp = block->header->warp;
    block->arrays = 0;
    block->shared_used = 0;
    shadow_clear(&block->shadow);
    shadow_next_block(&block->shadow);
    shadow_next_block(&block->out);
    block->progress++;
    memset(block->shared, 0, (size_t)block->header->shared_bytes); /* what GUARD promises */
    for (int t = 0; t < threads; t++)
        if (!start_thread(block, t))
            return false;
    for (;;) {
        int done = 0;
        for (int t = 0; t < threads; t++) {
            if (block->thread[t].state == READY)
                enter(block, &block->thread[t]);
            if (block->failed)
                return fail_block(block);
            done += block->thread[t].state == DONE;
        }
        if (done == threads)
            return host_check_order(block) ? host_flush_block(block) : fail_block(block);
        bool released = release(block, 0, threads, AT_BLOCK);
        for (int t = 0; t < threads; t += warp)
            released |= release(block, t, t + warp < threads ? t + warp : threads, AT_WARP);
        if (!released && !report_barrier(block))
            return fail_block(block);
    }
}

static void free_block(struct host_block *block)
{
    for (int s = 0; block->stage && s < block->header->stages; s++)
        free(block->stage[s].round);
    while (block->piece) {
        struct host_piece *before = block->piece->before;
        free(block->piece);
        block->piece = before;
    }
    for (int t = 0; block->thread && t < block->header->threads; t++)
        fiber_free(&block->thread[t].fiber);
    free(block->stage);
    free(block->thread);
    shadow_free(&block->shadow);
    shadow_free(&block->out);
    free(block->shared);
}

bool host_run(const struct launch *launch, const struct trace_sink *sink, struct run_result *result,
              struct error *error)
{
    const struct trace_header *header = launch->header;
    struct error own_error = {{0}};
    struct host_block block = {.launch = launch, .header = header, .sink = sink};
    bool good = true;

    memset(result, 0, sizeof *result);
    block.has_setup = header->stages && !strcmp(header->stage[0], FILL_STAGE);
    block.error = error ? error : &own_error;
    block.warps = header_warps(header);
    block.thread =
        memory_array((size_t)header->threads, sizeof *block.thread, "threads", block.error);
    block.stage = memory_array((size_t)header->stages, sizeof *block.stage, "stages", block.error);
    block.shared =
        memory_array((size_t)header->shared_bytes + 16, 1, "bytes of shared memory", block.error);
    if (!shadow_init(&block.shadow, header->threads, header->warp) ||
        !shadow_init(&block.out, header->threads, header->warp) || !block.thread || !block.stage ||
        !block.shared)
        good = error_set(block.error, "out of memory for %d threads", header->threads);
    if (good && sink->header)
        good = sink->header(sink->context, header, block.error);
    for (block.index = 0; good && block.index < header->blocks; block.index++)
        good = run_block(&block);
    if (sink->end) {
        struct trace_end end = {.warp_accesses = block.warp_accesses, .complete = good};
        good = sink->end(sink->context, &end, block.error) && good;
    }
    free_block(&block);
    return good;
}
