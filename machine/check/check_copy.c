/* check_copy.c - asynchronous copies (cp.async) that are under way. The machine copies at once; who reads
 * or overwrites the words before the copy is waited for is found all the same, because their cells are
 * marked until then.
 *
 *     cp.async ...;                 marked                           each lane counts its groups: a copy is of
 *     cp.async.commit_group;        its group is closed              the group that is open when it begins
 *     cp.async.wait_group N;        all but the last N groups are done: written now, by this thread
 *     cp.async.mbarrier.arrive;     so are those before it, when somebody has seen that the mbarrier's phase is over
 */
#include "machine/check/check.h"

#include <string.h>

enum { COPIES_MOST = 4096 }; /* of a warp; what is more is not followed */
#define NO_PHASE UINT32_MAX

struct check_copies {
    uint32_t open[MACHINE_LANES]; /* the group of each lane */
    struct one_copy {
        uint64_t mask;
        int bytes;
        uint32_t to[MACHINE_LANES], group[MACHINE_LANES];
        uint32_t phase[MACHINE_LANES]; /* of an mbarrier that waits for it: phase_of; or NO_PHASE */
    } * copy;
    int copies, room;
};

static struct check_copies *copies_of(struct warp *warp)
{
    struct check_warp *own = &warp->block->check->warp[warp->number];
    if (!own->copies)
        own->copies = run_new(warp->run, &warp->worker->arena, sizeof *own->copies);
    return own->copies;
}

void check_copy_forget(struct check_warp *own)
{
    if (own->copies)
        own->copies->copies = 0;
}

static struct one_copy *new_copy(struct warp *warp, struct check_copies *copies)
{
    if (!copies || copies->copies == COPIES_MOST ||
        !run_grow(warp->run, &warp->worker->arena, &copies->copy, &copies->room, copies->copies + 1,
                  sizeof *copies->copy))
        return NULL;
    return &copies->copy[copies->copies++];
}

/* The marks of a lane's words lose their flag: they are written now. */
static void done(struct warp *warp, const struct one_copy *copy, uint64_t lane)
{
    struct check_block *block = warp->block->check;
    const int shift = warp->run->check->shift[0];
    const uint32_t thread = warp->number * (uint32_t)warp->run->warp_lanes + (uint32_t)lane;
    for (uint32_t i = copy->to[lane] >> shift;
         i < (copy->to[lane] + (uint32_t)copy->bytes) >> shift; i++) {
        struct mark *write = &block->cell.write[i];
        if (write->what & MARK_COPY && (write->what & MARK_THREAD) == thread &&
            write->time >= block->start)
            *write = (struct mark){block->time, write->what & ~(uint32_t)MARK_COPY};
        check_copied(block, i);
    }
}

void check_copy_begins(struct warp *warp, const uint64_t *to, int bytes)
{
    struct check_copies *copies = copies_of(warp);
    struct one_copy *copy = new_copy(warp, copies);
    const struct one_copy all = {.mask = warp->mask, .bytes = bytes};
    if (copy) {
        *copy = all;
        FOR_LANES(lane, warp->mask)
        {
            copy->to[lane] = (uint32_t)to[lane];
            copy->group[lane] = copies->open[lane];
            copy->phase[lane] = NO_PHASE;
        }
        return;
    }
    struct one_copy lost = all; /* too many: as if it were waited for */
    FOR_LANES(lane, warp->mask)
    {
        lost.to[lane] = (uint32_t)to[lane];
        done(warp, &lost, lane);
    }
}

void check_copy_commit(struct warp *warp)
{
    struct check_copies *copies = copies_of(warp);
    FOR_LANES(lane, copies ? warp->mask : 0)
    copies->open[lane]++;
}

/* Whether a lane's copy is over, by what `context` says. */
typedef bool over(const struct check_copies *copies, const struct one_copy *copy, uint64_t lane,
                  const void *context);

/* Ends those copies of lanes of the mask that are over. Returns how many. */
static int end_copies(struct warp *warp, uint64_t mask, over *is_over, const void *context)
{
    struct check_copies *copies = warp->block->check->warp[warp->number].copies;
    int kept = 0, ended = 0;
    for (int i = 0; copies && i < copies->copies; i++) {
        struct one_copy *copy = &copies->copy[i];
        FOR_LANES(lane, copy->mask & mask)
        {
            if (!is_over(copies, copy, lane, context))
                continue;
            done(warp, copy, lane);
            copy->mask &= ~(UINT64_C(1) << lane);
            ended++;
        }
        if (copy->mask && kept++ != i)
            copies->copy[kept - 1] = *copy;
    }
    if (copies)
        copies->copies = kept;
    return ended;
}

static bool group_is_over(const struct check_copies *copies, const struct one_copy *copy,
                          uint64_t lane, const void *context)
{
    const int64_t left = *(const int64_t *)context;
    return left == CHECK_COPY_ALL || (int64_t)copies->open[lane] - copy->group[lane] > left;
}

void check_copy_wait(struct warp *warp, int64_t left)
{
    end_copies(warp, warp->mask, group_is_over, &left);
}

/* A phase, modulo 8, of the block's mbarrier at an address, as one number. */
static uint32_t phase_of(uint32_t barrier, uint32_t phase)
{
    return barrier << 3 | phase;
}

/* The phase of the block's mbarrier at an address. false: it is not in the block's memory. */
static bool phase_at(const struct warp *warp, uint64_t barrier, uint32_t *phase)
{
    uint64_t state = 0;
    if (barrier + sizeof state > warp->run->shared_bytes)
        return false;
    memcpy(&state, warp->block->shared + barrier, sizeof state);
    *phase = (uint32_t)(state >> 61);
    return true;
}

void check_copy_arrives(struct warp *warp, uint64_t lane, uint64_t barrier)
{
    struct check_copies *copies = warp->block->check->warp[warp->number].copies;
    uint32_t phase = 0;
    const bool own = phase_at(warp, barrier, &phase);
    warp->block->check->copies_arrive = true;
    for (int i = 0; copies && i < copies->copies; i++) {
        struct one_copy *copy = &copies->copy[i];
        if (!(copy->mask >> lane & 1))
            continue;
        if (!own) /* of another block: as if it were waited for */
            done(warp, copy, lane);
        else if (copy->phase[lane] == NO_PHASE)
            copy->phase[lane] = phase_of((uint32_t)barrier, phase);
    }
}

/* Whether the mbarrier that waits for the copy is in another phase by now. */
static bool phase_is_over(const struct check_copies *copies, const struct one_copy *copy,
                          uint64_t lane, const void *context)
{
    const uint32_t of = copy->phase[lane], now = *(const uint32_t *)context;
    (void)copies;
    return of != NO_PHASE && of >> 3 == now >> 3 && of != now;
}

/* ---- bulk copies ---------------------------------------------------------------------------------- */

struct check_bulk {
    uint32_t to, bytes, thread, barrier, phase;
};

static void bulk_written(struct check_block *block, const struct check_bulk *bulk, int shift)
{
    for (uint32_t i = bulk->to >> shift; i < (bulk->to + bulk->bytes) >> shift; i++) {
        struct mark *write = &block->cell.write[i];
        if (write->what & MARK_COPY && (write->what & MARK_THREAD) == bulk->thread)
            *write = (struct mark){block->time, write->what & ~(uint32_t)MARK_COPY};
        check_copied(block, i);
    }
}

void check_bulk_begins(struct warp *warp, int lane, uint64_t to, uint32_t bytes, uint64_t barrier)
{
    struct check_block *block = warp->block->check;
    struct check_bulk bulk = {.to = (uint32_t)to,
                              .bytes = bytes,
                              .thread =
                                  warp->number * (uint32_t)warp->run->warp_lanes + (uint32_t)lane,
                              .barrier = (uint32_t)barrier};
    const bool own = phase_at(warp, barrier, &bulk.phase);
    if (own && block->bulks < COPIES_MOST &&
        run_grow(warp->run, &warp->worker->arena, &block->bulk, &block->bulk_room, block->bulks + 1,
                 sizeof *block->bulk))
        block->bulk[block->bulks++] = bulk;
    else /* too many: as if it were waited for */
        bulk_written(block, &bulk, warp->run->check->shift[0]);
}

bool check_bulk_done(struct warp *warp, uint32_t barrier, uint32_t phase)
{
    struct check_block *block = warp->block->check;
    const uint32_t lanes = (uint32_t)warp->run->warp_lanes;
    int kept = 0, done = 0;
    for (int i = 0; i < block->bulks; i++) {
        const struct check_bulk bulk = block->bulk[i];
        if (bulk.barrier != barrier || bulk.phase == phase) {
            block->bulk[kept++] = bulk;
            continue;
        }
        bulk_written(block, &bulk, warp->run->check->shift[0]);
        block->warp[bulk.thread / lanes].released = block->released = block->time + 1;
        done++;
    }
    block->bulks = kept;
    const uint32_t now = phase_of(barrier, phase);
    for (int i = 0; i < block->warps && block->copies_arrive; i++) {
        const int arrived = end_copies(warp->block->warp[i], ~UINT64_C(0), phase_is_over, &now);
        if (arrived)
            block->warp[i].released = block->released = block->time + 1;
        done += arrived;
    }
    block->time += done > 0;
    return done > 0;
}
