/* order.c - work of several streams that touches the same memory, and that nothing puts in order (stream-order).
 *
 * Here a launch or a copy is done when its call returns; on a GPU, work of two streams may run at the same time or either
 * first. So what each piece of work touches is remembered until the host has waited for it, and what comes later is
 * held against it:
 *
 *     first<<<1, 32, 0, s>>>(x);                       work 1 of lane 2: stores to x
 *     cudaEventRecord(e, s);                           e: lane 2 until 1
 *     cudaStreamWaitEvent(t, e, 0);                    t: behind lane 2 until 1
 *     second<<<1, 32, 0, t>>>(x);                      in order: 1 <= 1. Without the wait: 1 > 0, which is told
 *
 * A stream works in a lane; its clock has, for each lane, the number of the last work that its next one comes behind.
 * Nodes of a graph have lanes, too, and come behind those that they wait for. With more streams than lanes, some share
 * one and seem to be in order. So they do where a call may wait (for allocations it waits here for everything), so
 * that no correct program is blamed. Work is remembered from the first stream on that a program makes.
 */
#include "program/runtime/stream.h"

#include <stdio.h>
#include <string.h>

enum {
    LEGACY = 0, /* lanes */
    STREAMS = 2,
    NODES = RUNTIME_LANES / 2,
    MOST = 256,             /* works that are remembered */
    MOST_EXTENTS = 1 << 20, /* of one work */
    ALL_EXTENTS = 1 << 22,  /* of all of them */
};

/* Bytes that were touched alike. */
struct extent {
    uint64_t address, bytes;
};
/* By rising addresses. */
struct runtime_footprint {
    struct extent *extent[MACHINE_TOUCHES];
    size_t count[MACHINE_TOUCHES], room[MACHINE_TOUCHES];
    bool partial; /* there is more */
};
struct work {
    uint32_t lane, number;
    char what[200];
    struct runtime_footprint touched;
};
static struct {
    bool on;
    struct runtime_clock host; /* what the host has waited for */
    struct runtime_clock
        legacy; /* the stream that comes behind all that are not aside, and these behind it */
    struct runtime_clock blocking; /* what it comes behind */
    uint32_t count[RUNTIME_LANES]; /* works so far */
    uint32_t streams, nodes;       /* made so far */
    struct work work[MOST];
    int works;
    size_t extents;
} order;
/* The work that this thread begins. */
static _Thread_local struct {
    bool begun;
    uint32_t lane, number;
    struct runtime_clock clock;
} now;

void runtime_come_behind(struct runtime_clock *clock, const struct runtime_clock *other)
{
    for (int i = 0; i < RUNTIME_LANES; i++)
        if (clock->last[i] < other->last[i])
            clock->last[i] = other->last[i];
}

/* ---- what was touched --------------------------------------------------------------------------- */

static void free_footprint(struct runtime_footprint *footprint)
{
    for (int k = 0; k < MACHINE_TOUCHES; k++)
        runtime_delete(footprint->extent[k]);
}

void runtime_footprint_free(struct runtime_footprint *footprint)
{
    if (footprint)
        free_footprint(footprint);
    runtime_delete(footprint);
}

static size_t extents_of(const struct runtime_footprint *footprint)
{
    size_t sum = 0;
    for (int k = 0; k < MACHINE_TOUCHES; k++)
        sum += footprint->count[k];
    return sum;
}

static void add_extent(void *context, enum machine_touch touch, uint64_t address, uint64_t bytes)
{
    struct runtime_footprint *footprint = context;
    const size_t count = footprint->count[touch];
    if (count >= MOST_EXTENTS || !runtime_grow(&footprint->extent[touch], &footprint->room[touch],
                                               count + 1, sizeof **footprint->extent)) {
        footprint->partial = true;
        return;
    }
    footprint->extent[touch][footprint->count[touch]++] = (struct extent){address, bytes};
}

static void copy_footprint(struct runtime_footprint *to, const struct runtime_footprint *from)
{
    to->partial = from->partial;
    for (int k = 0; k < MACHINE_TOUCHES; k++) {
        const size_t count = from->count[k];
        if (!count)
            continue;
        if (runtime_grow(&to->extent[k], &to->room[k], count, sizeof **to->extent))
            memcpy(to->extent[k], from->extent[k], count * sizeof **to->extent);
        else
            to->partial = true;
        to->count[k] = to->extent[k] ? count : 0;
    }
}

/* NULL: no memory. */
static struct runtime_footprint *new_copy(const struct runtime_footprint *from)
{
    struct runtime_footprint *copy = runtime_new(sizeof *copy);
    if (copy)
        copy_footprint(copy, from);
    return copy;
}

/* The first bytes that both have. */
static bool overlap(const struct extent *a, size_t as, const struct extent *b, size_t bs,
                    struct extent *both)
{
    for (size_t i = 0, k = 0; i < as && k < bs;) {
        const uint64_t a_end = a[i].address + a[i].bytes, b_end = b[k].address + b[k].bytes;
        const uint64_t from = a[i].address > b[k].address ? a[i].address : b[k].address;
        const uint64_t to = a_end < b_end ? a_end : b_end;
        if (from < to) {
            *both = (struct extent){from, to - from};
            return true;
        }
        if (a_end <= b_end)
            i++;
        else
            k++;
    }
    return false;
}

/* ---- who meets whom ----------------------------------------------------------------------------- */

/* "256 bytes from byte 0 of an allocation of 4096 bytes" */
static void say_bytes(const struct extent *bytes, char *text, size_t room)
{
    const struct machine_range *range =
        machine_memory_find(runtime_begin()->memory, bytes->address);
    const unsigned long long count = bytes->bytes;
    const unsigned long long from = range ? bytes->address - range->address : 0;
    if (range && range->name)
        snprintf(text, room, "%llu bytes from byte %llu of %s", count, from, range->name);
    else
        snprintf(text, room, "%llu bytes from byte %llu of an allocation of %llu bytes", count,
                 from, range ? (unsigned long long)range->bytes : 0);
}

static void tell_meeting(const struct work *work, bool stores, const struct work *before,
                         bool stored, const struct extent *both)
{
    char bytes[120];
    say_bytes(both, bytes, sizeof bytes);
    runtime_report_line(RECORDS_ORDER, NULL,
                        "%s %s what %s in another %s %s, and nothing puts the two in order: %s",
                        work->what, stores ? "stores to" : "reads", before->what,
                        work->lane >= NODES && before->lane >= NODES ? "branch of the graph"
                                                                     : "stream",
                        stored ? "stores to" : "reads", bytes);
}

/* Tells once of two works that touch the same bytes, at least one of them to store, unless both do so atomically. */
static void compare(const struct work *work, const struct work *before)
{
    static const bool stores[MACHINE_TOUCHES] = {
        [MACHINE_TOUCH_STORED_STRONG] = true, [MACHINE_TOUCH_STORED] = true};
    static const bool strong[MACHINE_TOUCHES] = {
        [MACHINE_TOUCH_READ_STRONG] = true, [MACHINE_TOUCH_STORED_STRONG] = true};
    const struct runtime_footprint *a = &work->touched, *b = &before->touched;
    struct extent both;
    for (int i = MACHINE_TOUCHES - 1; i >= 0; i--)
        for (int k = MACHINE_TOUCHES - 1; k >= 0; k--)
            if ((stores[i] || stores[k]) && !(strong[i] && strong[k]) &&
                overlap(a->extent[i], a->count[i], b->extent[k], b->count[k], &both)) {
                tell_meeting(work, stores[i], before, stores[k], &both);
                return;
            }
}

static void drop_work(int index)
{
    order.extents -= extents_of(&order.work[index].touched);
    free_footprint(&order.work[index].touched);
    order.works--;
    memmove(&order.work[index], &order.work[index + 1],
            (size_t)(order.works - index) * sizeof *order.work);
}

static bool is_same(const struct runtime_footprint *a, const struct runtime_footprint *b)
{
    for (int k = 0; k < MACHINE_TOUCHES; k++)
        if (a->count[k] != b->count[k] ||
            (a->count[k] && memcmp(a->extent[k], b->extent[k], a->count[k] * sizeof **a->extent)))
            return false;
    return true;
}

/* Whether nobody can meet it any more, or who does meets the other work as well, which is later in its lane. */
static bool is_over(const struct work *work, const struct work *later)
{
    return work->number <= order.host.last[work->lane] ||
           (work->lane == later->lane && is_same(&work->touched, &later->touched));
}

/* Takes over what the work touched. false: an older one had to go for it. */
static bool keep_work(const struct work *work)
{
    const size_t extents = extents_of(&work->touched);
    bool whole = true;
    for (int i = order.works; i-- > 0;)
        if (is_over(&order.work[i], work))
            drop_work(i);
    while (order.works && (order.works == MOST || order.extents + extents > ALL_EXTENTS)) {
        drop_work(0);
        whole = false;
    }
    order.extents += extents;
    order.work[order.works++] = *work;
    return whole;
}

/* What this thread began is done, and touched that, which is taken over. false: not all is known of what is beside it. */
static bool end_work(const char *what, struct runtime_footprint *touched)
{
    struct work work = {.lane = now.lane, .number = now.number, .touched = *touched};
    snprintf(work.what, sizeof work.what, "%s", what);
    now.begun = false;
    for (int i = 0; i < order.works; i++)
        if (order.work[i].number > now.clock.last[order.work[i].lane])
            compare(&work, &order.work[i]);
    return keep_work(&work) && !touched->partial;
}

/* Whether this thread has begun work that has not ended. */
static bool is_watched(void)
{
    return order.on && now.begun;
}

bool runtime_order_launch(const struct runtime_kernel *kernel, const struct machine_run *run,
                          struct runtime_footprint **known)
{
    struct runtime_footprint touched = {.partial = false};
    char what[200];
    if (!is_watched())
        return true;
    if (run)
        touched.partial |= !machine_touched(run, add_extent, &touched);
    else if (known && *known)
        copy_footprint(&touched, *known);
    else
        touched.partial = true;
    if (run && known) {
        runtime_footprint_free(*known);
        *known = new_copy(&touched);
    }
    snprintf(what, sizeof what, "kernel %s", kernel->name);
    return end_work(what, &touched);
}

void runtime_order_box(const char *what, const struct runtime_plane *to,
                       const struct runtime_plane *from, struct cudaExtent extent)
{
    const struct runtime_plane *const sides[] = {from, to};
    struct runtime_footprint touched = {.partial = false};
    if (!is_watched())
        return;
    runtime_lock();
    for (int side = 0; side < 2; side++)
        for (size_t z = 0; sides[side] && z < extent.depth; z++)
            for (size_t y = 0; y < extent.height; y++)
                add_extent(
                    &touched, side ? MACHINE_TOUCH_STORED : MACHINE_TOUCH_READ,
                    (uintptr_t)(sides[side]->at + z * sides[side]->slice + y * sides[side]->pitch),
                    extent.width);
    end_work(what, &touched);
    runtime_unlock();
}

void runtime_order_forget(uint64_t address, uint64_t bytes)
{
    const struct extent gone = {address, bytes};
    struct extent both;
    for (int i = order.works; i-- > 0;)
        for (int k = 0; k < MACHINE_TOUCHES; k++) {
            const struct runtime_footprint *touched = &order.work[i].touched;
            if (overlap(touched->extent[k], touched->count[k], &gone, 1, &both)) {
                drop_work(i);
                break;
            }
        }
}

/* ---- streams, events, the host ------------------------------------------------------------------- */

/* What was executed until now was not looked at. */
static void turn_on(void)
{
    if (!order.on)
        runtime_repeat_forget();
    order.on = true;
}

void runtime_order_stream(struct runtime_sequence *stream, bool aside)
{
    runtime_lock();
    turn_on();
    *stream = (struct runtime_sequence){.lane = STREAMS + order.streams++ % (NODES - STREAMS),
                                        .aside = aside};
    runtime_unlock();
}

/* Work of a lane begins behind what is in now.clock. */
static void begin_in(uint32_t lane)
{
    now.begun = true;
    now.lane = lane;
    now.number = ++order.count[lane];
    now.clock.last[lane] = now.number;
}

/* What the stream's next work comes behind. */
static struct runtime_clock clock_of(const struct runtime_sequence *stream)
{
    struct runtime_clock clock = stream ? stream->clock : order.legacy;
    runtime_come_behind(&clock, &order.host);
    if (!stream)
        runtime_come_behind(&clock, &order.blocking);
    else if (!stream->aside)
        runtime_come_behind(&clock, &order.legacy);
    return clock;
}

static void set_clock(struct runtime_sequence *stream, const struct runtime_clock *clock)
{
    runtime_come_behind(stream ? &stream->clock : &order.legacy, clock);
    if (!stream || !stream->aside)
        runtime_come_behind(&order.blocking, clock);
}

void runtime_order_begin(struct runtime_sequence *stream)
{
    if (!order.on && !stream)
        return;
    runtime_lock();
    turn_on();
    now.clock = clock_of(stream);
    begin_in(stream ? stream->lane : LEGACY);
    set_clock(stream, &now.clock);
    runtime_unlock();
}

struct runtime_clock runtime_order_of(const struct runtime_sequence *stream)
{
    runtime_lock();
    const struct runtime_clock clock = clock_of(stream);
    runtime_unlock();
    return clock;
}

void runtime_order_behind(struct runtime_sequence *stream, const struct runtime_clock *clock)
{
    runtime_lock();
    set_clock(stream, clock);
    runtime_unlock();
}

void runtime_order_waited(const struct runtime_clock *clock)
{
    runtime_lock();
    if (clock)
        runtime_come_behind(&order.host, clock);
    else
        memcpy(order.host.last, order.count, sizeof order.count);
    runtime_unlock();
}

void runtime_order_waits(void)
{
    runtime_order_waited(&now.clock);
}

/* ---- nodes of graphs ----------------------------------------------------------------------------- */

struct runtime_clock runtime_order_now(void)
{
    now.begun = false;
    return now.clock;
}

void runtime_order_node(struct runtime_clock *clock)
{
    runtime_lock();
    turn_on();
    now.clock = *clock;
    begin_in(NODES + order.nodes++ % (RUNTIME_LANES - NODES));
    *clock = now.clock;
    runtime_unlock();
}
