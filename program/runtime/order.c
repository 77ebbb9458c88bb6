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
#include "program/runtime/footprint.h"
#include "program/runtime/stream.h"

#include <stdio.h>
#include <string.h>

enum {
    LEGACY = 0, /* lanes */
    STREAMS = 2,
    NODES = RUNTIME_LANES / 2,
    MOST = 256,            /* works that are remembered */
    ALL_EXTENTS = 1 << 22, /* that all of them have touched */
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

/* NULL: no memory. */
static struct runtime_footprint *new_copy(const struct runtime_footprint *from)
{
    struct runtime_footprint *copy = runtime_new(sizeof *copy);
    if (copy)
        footprint_copy(copy, from);
    return copy;
}

/* ---- who meets whom ----------------------------------------------------------------------------- */

/* Tells once of two works that touch the same bytes, at least one of them to store, unless both do so atomically. */
static void compare(const struct work *work, const struct work *before)
{
    struct footprint_meeting meeting;
    char bytes[120];
    if (!footprint_meets(&work->touched, &before->touched, &meeting))
        return;
    footprint_say(&meeting.bytes, bytes, sizeof bytes);
    runtime_report_line(RECORDS_ORDER, NULL,
                        "%s %s what %s in another %s %s, and nothing puts the two in order: %s",
                        work->what, meeting.stores ? "stores to" : "reads", before->what,
                        work->lane >= NODES && before->lane >= NODES ? "branch of the graph"
                                                                     : "stream",
                        meeting.stored ? "stores to" : "reads", bytes);
}

static void drop_work(int index)
{
    order.extents -= footprint_extents(&order.work[index].touched);
    footprint_clear(&order.work[index].touched);
    order.works--;
    memmove(&order.work[index], &order.work[index + 1],
            (size_t)(order.works - index) * sizeof *order.work);
}

/* Whether nobody can meet it any more, or who does meets the other work as well, which is later in its lane. */
static bool is_over(const struct work *work, const struct work *later)
{
    return work->number <= order.host.last[work->lane] ||
           (work->lane == later->lane && footprint_is_same(&work->touched, &later->touched));
}

/* Takes over what the work touched. false: an older one had to go for it. */
static bool keep_work(const struct work *work)
{
    const size_t extents = footprint_extents(&work->touched);
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
        touched.partial |= !machine_touched(run, footprint_add, &touched);
    else if (known && *known)
        footprint_copy(&touched, *known);
    else
        touched.partial = true;
    if (run && known) {
        runtime_footprint_free(*known);
        *known = new_copy(&touched);
    }
    snprintf(what, sizeof what, "kernel %s", kernel->name);
    return end_work(what, &touched);
}

void runtime_order_child(void)
{
    now.begun = order.on && now.number;
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
                footprint_add(
                    &touched, side ? MACHINE_TOUCH_STORED : MACHINE_TOUCH_READ,
                    (uintptr_t)(sides[side]->at + z * sides[side]->slice + y * sides[side]->pitch),
                    extent.width);
    end_work(what, &touched);
    runtime_unlock();
}

void runtime_order_forget(uint64_t address, uint64_t bytes)
{
    const struct extent gone = {address, bytes};
    for (int i = order.works; i-- > 0;)
        if (footprint_has(&order.work[i].touched, &gone))
            drop_work(i);
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
