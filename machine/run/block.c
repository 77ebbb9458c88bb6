/* block.c - barriers of a block. Warps that wait at one are woken when all that are expected have come.
 *
 * A barrier counts threads. Threads that have returned are not waited for (since Volta; the checker names
 * them). bar.red also counts for how many threads a predicate holds: the count is kept until the same
 * barrier ends again, and each thread reads it when it goes on.
 */
#include "machine/check/check.h"

static void tell_barrier(struct block *block, uint32_t phase)
{
    struct machine_run *run = block->warp[0]->run;
    if (block->wanted && run->observer.barrier)
        run->observer.barrier(run->observer.context, block->number, phase);
}

void block_release(struct block *block, int number)
{
    struct barrier *barrier = &block->barrier[number];
    const uint32_t wanted = barrier->expected ? barrier->expected : block->alive;
    if (barrier->arrived < wanted)
        return;
    check_barrier(block, number);
    uint32_t phase = 0;
    barrier->last_yes = barrier->yes;
    barrier->last_no = barrier->no;
    barrier->arrived = barrier->expected = barrier->yes = barrier->no = 0;
    for (int i = 0; i < block->warps; i++) {
        struct warp *warp = block->warp[i];
        int kept = 0;
        bool woken = false;
        for (int k = 0; k < warp->waitings; k++) {
            if (warp->waiting[k].barrier == number) {
                warp->ready[warp->readies++] = warp->waiting[k];
                woken = true;
            } else {
                warp->waiting[kept++] = warp->waiting[k];
            }
        }
        warp->waitings = kept;
        warp->phase += woken;
        if (woken && warp->status == WARP_WAITS)
            warp->status = WARP_READY;
        if (woken && warp->frame) /* the running warp must see who waits for it */
            warp_set_stop(warp);
        if (woken && warp->phase > phase)
            phase = warp->phase;
    }
    if (phase)
        tell_barrier(block, phase);
}

/* The barrier that an instruction names: a, and how many threads it expects: b, 0: all. */
static struct barrier *named(struct warp *warp, const struct step *step, int *number)
{
    const int lane = __builtin_ctzll(warp->mask);
    const uint32_t name = REGISTER(const uint32_t, warp, step->a)[lane];
    uint32_t expected = step->b ? REGISTER(const uint32_t, warp, step->b)[lane] : 0;
    if (name >= BARRIERS || (step->b && (!expected || expected > warp->run->threads))) {
        fault(warp, lane, MACHINE_FAULT_INSTRUCTION,
              name >= BARRIERS ? "there is no barrier %u: they are numbered from 0 to 15"
                               : "barrier %u expects %u threads, which the block does not have",
              name, expected);
        return NULL;
    }
    *number = (int)name;
    if (expected)
        warp->block->barrier[name].expected = expected;
    return &warp->block->barrier[name];
}

/* bar.sync, bar.red. sub: 1: with a predicate, c. */
const struct step *block_barrier(struct warp *warp, const struct step *step)
{
    int number;
    struct barrier *barrier = named(warp, step, &number);
    if (!barrier)
        return NULL;
    if (step->sub) {
        uint64_t yes = *REGISTER(const uint64_t, warp, step->c);
        yes = (step->negated ? ~yes : yes) & warp->mask;
        barrier->yes += (uint32_t)__builtin_popcountll(yes);
        barrier->no += (uint32_t)__builtin_popcountll(warp->mask & ~yes);
    }
    barrier->arrived += (uint32_t)warp->lanes_on;
    warp->waiting[warp->waitings++] = (struct group){warp->frame, step + 1, warp->mask, number};
    check_arrival(warp, number, true);
    block_release(warp->block, number);
    const struct step *next = warp_pick(warp);
    if (!next) {
        warp->status = WARP_WAITS;
        warp->at = NULL;
    }
    return next;
}

/* bar.arrive: without waiting. */
const struct step *block_arrive(struct warp *warp, const struct step *step)
{
    int number;
    struct barrier *barrier = named(warp, step, &number);
    if (!barrier)
        return NULL;
    barrier->arrived += (uint32_t)warp->lanes_on;
    check_arrival(warp, number, false);
    block_release(warp->block, number);
    return step + 1;
}

/* Behind bar.red: its result. sub: 0 the count, 1 whether all, 2 whether any. */
const struct step *block_reduced(struct warp *warp, const struct step *step)
{
    const int lane = __builtin_ctzll(warp->mask);
    const uint32_t number = REGISTER(const uint32_t, warp, step->a)[lane];
    const struct barrier *barrier = &warp->block->barrier[number];
    if (step->sub == 0) {
        uint32_t *d = REGISTER(uint32_t, warp, step->d);
        FOR_LANES(i, warp->mask)
        d[i] = barrier->last_yes;
        return step + 1;
    }
    const bool holds = step->sub == 1 ? !barrier->last_no : barrier->last_yes != 0;
    uint64_t *d = REGISTER(uint64_t, warp, step->d);
    *d = holds ? *d | warp->mask : *d & ~warp->mask;
    return step + 1;
}
