/* schedule.c - the warps of a block: they begin, take turns, and end; which is also how the block does.
 *
 * A multiprocessor issues an instruction of any warp that is ready, and so hides how long the others wait. Nothing takes
 * time here, so that order is free: a warp runs to the end of a basic block (warp.c), then the next one that is ready does.
 *
 *     warp 0   A     B     waits          A, B: basic blocks; B ends with __syncthreads()
 *     warp 1      A     B  wakes both
 *
 * A warp that waits at a barrier is passed over until the last one that is expected wakes it (block.c). If none of a block's
 * warps is ready and not all have ended, it can go on only by what another block does: by itself it is a deadlock. With
 * order_seed, an order is drawn by lot for each round, and half of the warps are passed over, as if they were slow.
 *
 * Blocks, warps and frames that have ended are kept by their worker (launch.c) for those that begin.
 */
#include "machine/run/schedule.h"
#include "machine/check/check.h"
#include "machine/module.h"

#include <string.h>

static struct warp *new_warp(struct worker *worker)
{
    struct warp *warp = worker->free_warp;
    if (warp)
        worker->free_warp = warp->next_free;
    else
        warp = arena_new(&worker->arena, sizeof *warp);
    return warp;
}

static struct block *new_block(struct worker *worker)
{
    const struct machine_run *run = worker->run;
    struct block *block = worker->free_block;
    const int warps =
        (int)((run->threads + (uint32_t)run->warp_lanes - 1) / (uint32_t)run->warp_lanes);
    if (block) {
        worker->free_block = block->next_free;
        return block;
    }
    block = arena_new(&worker->arena, sizeof *block);
    if (!block)
        return NULL;
    uint8_t *shared = arena_new(&worker->arena, (size_t)run->shared_bytes + 1024);
    block->warp = arena_new(&worker->arena, (size_t)warps * sizeof *block->warp);
    block->warps = warps;
    if (!shared || !block->warp)
        return NULL;
    block->shared = shared + (-(uintptr_t)shared & 1023);
    return block;
}

/* Where the threads of a warp are in their block. */
static void number_threads(struct warp *warp, uint32_t first, const uint32_t shape[3])
{
    uint32_t x = first % shape[0], y = first / shape[0] % shape[1], z = first / shape[0] / shape[1];
    for (int lane = 0; lane < warp->slots; lane++) {
        warp->thread[0][lane] = x;
        warp->thread[1][lane] = y;
        warp->thread[2][lane] = z;
        if (++x < shape[0])
            continue;
        x = 0;
        if (++y < shape[1])
            continue;
        y = 0;
        z++;
    }
}

static bool start_warp(struct worker *worker, struct block *block, int number)
{
    struct machine_run *run = worker->run;
    struct warp *warp = new_warp(worker);
    const uint32_t first = (uint32_t)number * (uint32_t)run->warp_lanes;
    if (!warp)
        return false;
    block->warp[number] = warp;
    warp->readies = warp->parkeds = warp->waitings = 0;
    warp->turns = 0, warp->vain = 0, warp->won = 0, warp->budget = 1;
    warp->fair = warp->force = warp->tracked = false;
#ifndef __wasm__ /* see track.h */
    chance_forget(warp);
#endif
    warp->followed = run->observer.follows &&
                     run->observer.follows(run->observer.context, block->number, (uint32_t)number);
    warp->gave_up = 0;
    memset(warp->cluster_phase, 0, sizeof warp->cluster_phase);
    warp->phase = warp->products = 0, warp->steps = warp->lane_steps = 0;
    warp->status = WARP_READY;
    warp->number = (uint32_t)number;
    warp->slots = run->kernel->slots;
    warp->block = block;
    warp->worker = worker;
    warp->run = run;
    warp->shared = block->shared;
    warp->parameters = run->parameters;
    const uint32_t lanes = run->threads - first < (uint32_t)run->warp_lanes
                               ? run->threads - first
                               : (uint32_t)run->warp_lanes;
    warp->alive = warp->all = lanes_below((int)lanes);
    number_threads(warp, first, run->launch.block);
    struct frame *frame = frame_new(worker, run->kernel->code);
    if (!frame)
        return false;
    frame->caller = NULL;
    frame->back = NULL;
    frame->depth = 0;
    frame->stack = frame->code->local_used;
    frame->local_base = 0;
    frame->lanes = warp->all;
    warp_go(warp, frame, warp->all);
    warp_set_stop(warp);
    warp->at = run->kernel->code->step;
    return true;
}

/* Where the block of that rank in that cluster is in the grid. */
static void place_block(struct machine_run *run, struct block *block, uint64_t cluster, int rank)
{
    const uint32_t *grid = run->launch.grid, *of = run->cluster;
    uint64_t rest = (uint64_t)rank;
    for (int i = 0; i < 3; i++) {
        block->in_cluster[i] = (uint32_t)(rest % of[i]);
        block->id[i] = (uint32_t)(cluster % (grid[i] / of[i])) * of[i] + block->in_cluster[i];
        rest /= of[i];
        cluster /= grid[i] / of[i];
    }
    block->rank = (uint32_t)rank;
    block->number =
        block->id[0] + (uint64_t)grid[0] * (block->id[1] + (uint64_t)grid[1] * block->id[2]);
}

struct block *block_start(struct worker *worker, struct cluster *cluster, uint64_t of, int rank)
{
    struct machine_run *run = worker->run;
    struct block *block = new_block(worker);
    if (!block)
        return NULL;
    place_block(run, block, of, rank);
    const uint64_t number = block->number;
    block->cluster = cluster;
    cluster->block[rank] = block;
    block->alive = run->threads;
    block->spins = 0;
    block->steps_counted = 0;
    memset(block->barrier, 0, sizeof block->barrier);
#ifndef __wasm__ /* see track.h */
    chance_words_forget(block);
#endif
    block->wanted = run->observer.access &&
                    (!run->observer.wants || run->observer.wants(run->observer.context, number));
    block->counted = run->launch.count && number >= run->launch.first_counted &&
                     number - run->launch.first_counted < run->launch.counted_blocks;
    for (int i = 0; i < block->warps; i++)
        if (!start_warp(worker, block, i))
            return NULL;
    return check_block_begins(block, worker) ? block : NULL;
}

void block_end(struct worker *worker, struct block *block)
{
    struct machine_run *run = worker->run;
    check_block_ends(block);
    for (int i = 0; i < block->warps; i++) {
        struct warp *warp = block->warp[i];
        worker->instructions += warp->steps;
        worker->lane_instructions += warp->lane_steps;
        struct frame *frame = warp->frame;
        while (frame->caller)
            frame = frame->caller;
        frame_free(worker, frame);
        warp->next_free = worker->free_warp;
        worker->free_warp = warp;
    }
    worker->blocks++;
    if (run->observer.block_end)
        run->observer.block_end(run->observer.context, block->number);
    struct cluster *cluster = block->cluster;
    if (--cluster->running) /* others may look into its shared memory */
        return;
    for (int i = 0; i < cluster->blocks; i++) {
        cluster->block[i]->next_free = worker->free_block;
        worker->free_block = cluster->block[i];
    }
    cluster->next_free = worker->free_cluster;
    worker->free_cluster = cluster;
}

uint64_t schedule_lot(uint64_t seed, uint64_t block, uint64_t turn)
{
    uint64_t x = seed + block * UINT64_C(0x9e3779b97f4a7c15) + turn * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 31) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 29;
}

/* The warp whose turn is the i-th; *passed: it is passed over this time, as every second one is. */
static int nth_warp(uint64_t lot, int warps, int i, bool *passed)
{
    const int start = (int)((lot >> 8) % (uint64_t)warps);
    const int n = (start + (lot & 1 ? i : warps - i)) % warps;
    *passed = warps > 1 && (lot * UINT64_C(0xd6e8feb86659fd93) * ((unsigned)n + 1)) >> 63;
    return n;
}

enum turn block_turn(struct worker *worker, struct block *block)
{
    const uint64_t seed = worker->run->launch.order_seed;
    const uint64_t lot = seed ? schedule_lot(seed, block->number, (uint64_t)block->spins) : 0;
    bool any = false, done = true, passed = false;
    for (int i = 0; i < block->warps && !worker->failed; i++) {
        struct warp *warp = block->warp[lot ? nth_warp(lot, block->warps, i, &passed) : i];
        if (warp->status == WARP_READY) {
            any = true;
            if (!passed)
                warp_run(warp);
        }
        done &= warp->status == WARP_DONE;
    }
    block->spins++;
    return done ? TURN_ENDED : any ? TURN_RAN : TURN_STUCK;
}

void block_deadlock(struct block *block)
{
    for (int i = 0; i < block->warps; i++) {
        struct warp *warp = block->warp[i];
        if (!warp->waitings)
            continue;
        const struct group *group = &warp->waiting[0];
        const bool of_cluster = group->barrier == CLUSTER_BARRIER;
        const struct barrier *barrier = &block->barrier[of_cluster ? 0 : group->barrier];
        warp_go(warp, group->frame, group->mask);
        warp->now = group->at - 1;
        if (of_cluster) {
            fault(warp, __builtin_ctzll(group->mask), MACHINE_FAULT_BARRIER,
                  "deadlock: %u threads wait at the barrier of the cluster, to which others do not "
                  "come",
                  block->cluster->arrived);
            return;
        }
        fault(warp, __builtin_ctzll(group->mask), MACHINE_FAULT_BARRIER,
              "deadlock: %u of %u threads wait at barrier %d, to which the others do not come",
              barrier->arrived, barrier->expected ? barrier->expected : block->alive,
              group->barrier);
        return;
    }
    fault(block->warp[0], -1, MACHINE_FAULT_BARRIER, "deadlock: no thread can go on");
}
