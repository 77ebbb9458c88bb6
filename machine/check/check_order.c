/* check_order.c - which accesses are in order, by what the threads did in between.
 *
 * A block has a clock, which goes on with every barrier, fence and atomic operation. Of two accesses by
 * different threads the first is in order before the second if
 *
 *     all threads of the block have met in between (check_block.base), or all lanes of the warp
 *     (check_warp.full), or these two lanes (check_warp.pair);
 *     both came to a barrier that some of the threads come to, or one of them knows it from a third
 *     (check_block.known: a row for each warp, until when it knows each other one);
 *     the first one's warp released what it had done (a fence, an atomic operation), and the second one's
 *     has acquired: it has seen what was stored behind that, by a load that is volatile or has an
 *     order, or by an atomic operation whose result is used.
 *
 * Between blocks a fence alone releases nothing: a strong store or an atomic operation behind it does, as far as the
 * warp that does it knows. In
 *
 *     data[t] = x;
 *     __threadfence();
 *     __syncthreads();              without it, warp 0 knows nothing of what the others have stored
 *     if (t == 0)
 *         *flag = 1;                volatile: releases what any warp had done before its fence and the barrier
 *
 * What a barrier had put in order before the release is released, too.
 *
 * An atomic operation without .release orders nothing by itself: what the thread stored plainly before it, without a
 * fence between them, may come to other blocks after it. A second row of each block has what was released by fences. An
 * access that is in order by the first row only is told of as such (check_race.c).
 *
 * What was acquired is kept as one time. It therefore covers what others released until then, whoever it was:
 * a missing order may be overlooked, and no correct program is blamed.
 */
#include "machine/check/track.h"

#include <string.h>

enum { PAGE_BLOCKS = 256 };

/* ---- releases that other blocks may see ------------------------------------------------------- */

static size_t row_warps(const struct machine_run *run)
{
    return (run->threads + (uint32_t)run->warp_lanes - 1) / (uint32_t)run->warp_lanes;
}

/* Two rows of a block, of releases, and of fences: when its last barrier before the last one was, and when each warp's
 * last one was. NULL: there was none yet. */
static uint32_t *released_rows(struct machine_run *run, uint64_t block, bool make)
{
    struct check *check = run->check;
    const uint64_t page = block / PAGE_BLOCKS;
    const size_t words = 2 * (1 + row_warps(run));
    uint32_t *rows = atomic_load_explicit(&check->released[page], memory_order_acquire);
    if (!rows && make) {
        run_lock(run);
        rows = atomic_load(&check->released[page]);
        if (!rows) {
            rows = run_new(run, &run->arena, PAGE_BLOCKS * words * sizeof *rows);
            atomic_store_explicit(&check->released[page], rows, memory_order_release);
        }
        run_unlock(run);
    }
    return rows ? rows + block % PAGE_BLOCKS * words : NULL;
}

static uint32_t peek(const uint32_t *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static void poke(uint32_t *at, uint32_t time)
{
    __atomic_store_n(at, time, __ATOMIC_RELAXED);
}

static uint32_t latest(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Until when the warp knows what another one of its block did, without the barriers of all threads. */
static uint32_t known_of(const struct check_block *block, uint32_t warp, uint32_t other)
{
    const uint32_t released = block->known ? block->released : block->warp[other].released;
    const uint32_t acquired = latest(block->warp[warp].acquired, block->acquired);
    const uint32_t seen = released < acquired ? released : acquired;
    return block->known ? latest(seen, block->known[warp * (uint32_t)block->warps + other]) : seen;
}

static void release_row(const struct check_block *block, uint32_t number, uint32_t *row)
{
    poke(&row[0], block->base);
    poke(&row[1 + number], block->time);
}

static void raise(uint32_t *at, uint32_t time)
{
    if (time > peek(at))
        poke(at, time);
}

/* A fence is cumulative: it keeps what the thread knows of others before what it does next, too. */
static void fence_row(const struct check_block *block, uint32_t number, uint32_t *second)
{
    release_row(block, number, second);
    for (uint32_t i = 0; i < (uint32_t)block->warps; i++)
        if (i != number)
            raise(&second[1 + i], known_of(block, number, i));
}

/* Whoever sees what the warp stores now also sees what other warps did before a fence, as far as this one knows of it. */
static void publish_others(const struct check_block *block, uint32_t number, uint32_t *row,
                           const uint32_t *second)
{
    for (uint32_t i = 0; i < (uint32_t)block->warps; i++) {
        const uint32_t fenced = peek(&second[1 + i]);
        const uint32_t known = latest(block->base, known_of(block, number, i));
        if (i != number)
            raise(&row[1 + i], fenced < known ? fenced : known);
    }
}

static void count_release(struct warp *warp)
{
    struct check_block *block = warp->block->check;
    block->warp[warp->number].released = block->released = ++block->time;
}

void check_release(struct warp *warp, bool global, bool fenced)
{
    struct check_block *block = warp->block->check;
    count_release(warp);
    if (!global)
        return;
    check_mingle(block);
    uint32_t *row = released_rows(warp->run, warp->block->number, true);
    if (!row)
        return;
    uint32_t *second = row + 1 + row_warps(warp->run);
    release_row(block, warp->number, row);
    if (fenced)
        fence_row(block, warp->number, second);
    if (fenced || block->fences)
        publish_others(block, warp->number, row, second);
}

void check_publish(struct warp *warp)
{
    struct check_block *block = warp->block->check;
    uint32_t *row = block->fences ? released_rows(warp->run, warp->block->number, false) : NULL;
    if (!row)
        return;
    const uint32_t *second = row + 1 + row_warps(warp->run);
    raise(&row[0], peek(&second[0]));
    raise(&row[1 + warp->number], peek(&second[1 + warp->number]));
    publish_others(block, warp->number, row, second);
}

void check_fence(struct warp *warp)
{
    struct check_block *block = warp->block->check;
    if (!warp->run->check)
        return;
    count_release(warp);
    check_mingle(block);
    uint32_t *row = released_rows(warp->run, warp->block->number, true);
    if (row)
        fence_row(block, warp->number, row + 1 + row_warps(warp->run));
    block->fences = true;
}

void check_acquire(struct warp *warp, struct mark mark)
{
    struct check_block *block = warp->block->check;
    struct check_warp *own = &block->warp[warp->number];
    if (own->acquired < mark.time)
        own->acquired = mark.time;
    if (block->time < mark.time)
        block->time = mark.time;
}

/* ---- whether two accesses are in order --------------------------------------------------------- */

/* Whether the row releases what the mark is of. */
static bool releases(const struct look *look, const uint32_t *row, struct mark mark)
{
    return peek(&row[1 + warp_of(look, mark.what & MARK_THREAD)]) > mark.time ||
           peek(&row[0]) > mark.time;
}

static bool between_blocks(const struct look *look, struct mark mark, uint32_t block,
                           uint32_t acquired)
{
    struct machine_run *run = look->warp->run;
    const uint32_t *row = acquired > mark.time ? released_rows(run, block, false) : NULL;
    return row && releases(look, row, mark);
}

bool check_is_fenced(const struct look *look, struct mark write, uint32_t block)
{
    struct machine_run *run = look->warp->run;
    const uint32_t *row = released_rows(run, block, false);
    return atomic_load_explicit(&run->check->disordered, memory_order_relaxed) ||
           (row && releases(look, row + 1 + row_warps(run), write));
}

bool check_in_order(const struct look *look, struct mark mark, uint32_t block)
{
    const struct check_block *here = look->block;
    const struct check_warp *own = look->own;
    const uint32_t thread = mark.what & MARK_THREAD, other = warp_of(look, thread);
    const uint32_t number = look->warp->number;
    const bool many = mark.what & MARK_MANY;
    if (look->global && block != (uint32_t)look->warp->block->number)
        return atomic_load_explicit(&look->warp->run->check->disordered, memory_order_relaxed) ||
               between_blocks(look, mark, block, latest(own->acquired, here->acquired));
    if (mark.time < here->base || (thread == look->thread && !many))
        return true;
    if (other == number) {
        const uint32_t lane = thread - number * (uint32_t)look->warp->run->warp_lanes;
        if (mark.time < own->full)
            return true;
        if (own->pair && thread == look->thread) /* and others, of which nothing is known */
            return true;
        if (own->pair && mark.time < own->pair[look->lane * here->slots + (int)lane])
            return true;
    }
    return mark.time < known_of(here, number, other);
}

#ifndef __wasm__ /* see track.h */
bool check_is_chance(struct warp *warp, int lane, bool global, struct mark write, uint32_t block)
{
    struct look look = {.warp = warp,
                        .block = warp->block->check,
                        .own = &warp->block->check->warp[warp->number],
                        .lane = lane,
                        .thread = warp->number * (uint32_t)warp->run->warp_lanes + (uint32_t)lane,
                        .global = global};
    const bool here = !global || block == (uint32_t)warp->block->number;
    return !(here && warp_of(&look, write.what & MARK_THREAD) == warp->number) &&
           !check_in_order(&look, write, block);
}
#endif

/* ---- barriers of the block ------------------------------------------------------------------- */

/* A warp as it stands at a barrier, for a finding. */
static void find_at(struct warp *warp, const struct group *group, enum machine_fault_kind kind,
                    int other_site, const char *text)
{
    const struct step *now = warp->now;
    struct frame *frame = warp->frame;
    warp->now = group->at - 1;
    warp->frame = group->frame;
    if (!finding_again(warp, kind, other_site, 0))
        finding_put(warp, __builtin_ctzll(group->mask), kind, other_site, 0, text);
    warp->now = now;
    warp->frame = frame;
}

static int group_site(struct warp *warp, const struct group *group)
{
    struct frame *frame = warp->frame;
    warp->frame = group->frame;
    const int site = step_site(warp, group->at - 1);
    warp->frame = frame;
    return site;
}

/* All that live wait at one barrier, maybe at different places. */
static void look_at_places(struct block *block, int number)
{
    const struct group *first = NULL;
    struct warp *of = NULL;
    for (int i = 0; i < block->warps; i++) {
        struct warp *warp = block->warp[i];
        const struct group *before = NULL;
        for (int k = 0; k < warp->waitings; k++) {
            const struct group *group = &warp->waiting[k];
            if (group->barrier != number)
                continue;
            if (before && before->at != group->at)
                find_at(warp, before, MACHINE_FAULT_DIVERGENCE, group_site(warp, group),
                        "lanes of one warp wait at different barriers");
            else if (first && group_site(of, first) != group_site(warp, group))
                find_at(of, first, MACHINE_FAULT_DIVERGENCE, group_site(warp, group),
                        "threads of the block wait at different barriers");
            before = group;
            if (!first)
                first = group, of = warp;
        }
    }
    if (first && block->alive < of->run->threads) {
        char text[160];
        __builtin_snprintf(
            text, sizeof text,
            "%u of %u threads have returned before this barrier, which does not wait "
            "for them",
            of->run->threads - block->alive, of->run->threads);
        find_at(of, first, MACHINE_FAULT_RETURNED, -1, text);
    }
}

static struct check_gathering *gathering_of(struct warp *warp, int barrier)
{
    struct check_block *block = warp->block->check;
    const size_t warps = (size_t)block->warps;
    if (!block->known)
        block->known =
            run_new(warp->run, &warp->worker->arena, warps * warps * sizeof *block->known);
    if (!block->gathering[barrier])
        block->gathering[barrier] =
            run_new(warp->run, &warp->worker->arena,
                    sizeof *block->gathering[barrier] + warps * sizeof(uint32_t));
    return block->known ? block->gathering[barrier] : NULL;
}

void check_arrival(struct warp *warp, int barrier, bool waits)
{
    struct check_block *block = warp->block->check;
    if (!warp->run->check || (waits && !warp->block->barrier[barrier].expected))
        return;
    struct check_gathering *gathering = gathering_of(warp, barrier);
    if (!gathering)
        return;
    const uint32_t *known = &block->known[warp->number * (uint32_t)block->warps];
    for (int i = 0; i < block->warps; i++)
        gathering->reach[i] = latest(gathering->reach[i], latest(known[i], block->base));
    gathering->reach[warp->number] = ++block->time;
    gathering->acquired = latest(gathering->acquired, block->warp[warp->number].acquired);
    gathering->used = true;
    gathering->arrivals |= !waits;
}

static bool waits_at(const struct warp *warp, int barrier)
{
    for (int k = 0; k < warp->waitings; k++)
        if (warp->waiting[k].barrier == barrier)
            return true;
    return false;
}

/* The lanes that wait now know what all that arrived knew. */
static void meet_by_parts(struct block *block, struct check_gathering *gathering, int number)
{
    struct check_block *check = block->check;
    for (int i = 0; i < block->warps; i++) {
        if (!waits_at(block->warp[i], number))
            continue;
        uint32_t *known = &check->known[i * check->warps];
        for (int k = 0; k < check->warps; k++)
            known[k] = latest(known[k], gathering->reach[k]);
        check->warp[i].acquired = latest(check->warp[i].acquired, gathering->acquired);
    }
}

static void meet_all(struct block *block)
{
    struct check_block *check = block->check;
    check->base = ++check->time;
    for (int i = 0; i < check->warps; i++)
        check->acquired = latest(check->acquired, check->warp[i].acquired);
}

void check_barrier(struct block *block, int number)
{
    struct check_block *check = block->check;
    const struct barrier *barrier = &block->barrier[number];
    if (!check)
        return;
    struct check_gathering *gathering = check->gathering[number];
    const bool used = gathering && gathering->used;
    if (barrier->arrived >= block->alive && !(used && gathering->arrivals)) {
        meet_all(block);
        if (!barrier->expected)
            look_at_places(block, number);
    } else if (used) {
        meet_by_parts(block, gathering, number);
    }
    if (used)
        memset(gathering, 0, sizeof *gathering + (size_t)check->warps * sizeof(uint32_t));
}

/* The barrier of the cluster: what its blocks did before is in order with what they do now, in global memory, too. */
void check_cluster(struct cluster *cluster)
{
    uint32_t last = 0;
    for (int i = 0; i < cluster->blocks; i++)
        if (cluster->block[i]->check && cluster->block[i]->alive) {
            meet_all(cluster->block[i]);
            last = latest(last, cluster->block[i]->check->base);
        }
    for (int i = 0; i < cluster->blocks; i++) {
        const struct block *block = cluster->block[i];
        struct check_block *check = block->check;
        if (!check || !block->alive)
            continue;
        struct machine_run *run = block->warp[0]->run;
        uint32_t *row = released_rows(run, block->number, true);
        check->cluster_base = check->base;
        check->acquired = latest(check->acquired, last);
        check->time = latest(check->time, last);
        if (row) {
            poke(&row[0], check->base);
            poke(&row[1 + row_warps(run)], check->base);
        }
    }
}

/* ---- lanes of a warp ------------------------------------------------------------------------- */

static void meet_lanes(struct warp *warp, uint64_t lanes)
{
    struct check_block *block = warp->block->check;
    struct check_warp *own = &block->warp[warp->number];
    const int slots = block->slots;
    block->time++;
    if (!(warp->alive & ~lanes)) {
        own->full = block->time;
        return;
    }
    if (!(lanes & (lanes - 1)))
        return;
    if (!own->pair)
        own->pair = run_new(warp->run, &warp->worker->arena,
                            (size_t)slots * (size_t)slots * sizeof *own->pair);
    if (!own->pair)
        return;
    FOR_LANES(a, lanes)
    for (int b = 0; b < slots; b++)
        if (lanes >> b & 1)
            own->pair[a * (uint64_t)slots + (uint64_t)b] = block->time;
}

void check_meeting(struct warp *warp, const struct step *step, bool exchanges)
{
    if (!warp->run->check || warp->trying)
        return;
    for (uint64_t left = warp->mask; left;) {
        const int first = __builtin_ctzll(left);
        const uint64_t named =
            step->e ? REGISTER(const uint32_t, warp, step->e)[first] : lanes_below(warp->slots);
        const uint64_t lanes = (named & warp->mask) | UINT64_C(1) << first;
        const uint64_t elsewhere = exchanges ? 0 : warp->gave_up;
        const uint64_t absent = named & warp->alive & ~warp->mask & ~elsewhere;
        if (absent)
            finding(warp, first, MACHINE_FAULT_MASK, -1,
                    "the mask 0x%llx names lanes that do not come: 0x%llx",
                    (unsigned long long)named, (unsigned long long)absent);
        else if (!(named >> first & 1))
            finding(warp, first, MACHINE_FAULT_MASK, -1,
                    "the mask 0x%llx does not name lane %d, which uses it",
                    (unsigned long long)named, first);
        meet_lanes(warp, lanes | (named & elsewhere));
        left &= ~lanes;
    }
}
