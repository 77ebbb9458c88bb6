/* check.c - what is wrong with a kernel: races, bounds, reads of what was never written, barriers
 * that not all threads reach. */
#include "hostcuda/engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check_block_begins(struct worker *s)
{
    (void)s;
}

void check_barrier(struct worker *s)
{
    (void)s;
}

void check_warp_barrier(struct worker *s, int warp, uint32_t lanes)
{
    (void)s, (void)warp, (void)lanes;
}

void check_shared(int operation, const void *at, size_t bytes, uintptr_t pc, bool relaxed)
{
    (void)operation, (void)at, (void)bytes, (void)pc, (void)relaxed;
}

void check_global(int operation, const void *at, size_t bytes, uintptr_t pc, bool relaxed)
{
    (void)operation, (void)at, (void)bytes, (void)pc, (void)relaxed;
}

void check_elsewhere(int operation, const void *at, size_t bytes, uintptr_t pc)
{
    (void)operation, (void)at, (void)bytes, (void)pc;
}

void hostcuda_fence(int scope)
{
    (void)scope;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* ---- global memory --------------------------------------------------------------------------- */

void check_arena(int operation, const void *at, size_t bytes, uintptr_t pc)
{
    bool reads = operation != HOSTCUDA_STORE && operation != HOSTCUDA_MATRIX_STORE &&
                 operation != HOSTCUDA_ASYNC_STORE;
    bool writes = operation != HOSTCUDA_LOAD && operation != HOSTCUDA_MATRIX_LOAD;
    enum arena_verdict verdict = arena_check(at, bytes, reads, writes);
    if (verdict == ARENA_GOOD)
        return;
    struct record_fault fault = {.space = SPACE_GLOBAL, .launch = UINT64_MAX};
    static const uint32_t kinds[] = {[ARENA_OUTSIDE] = FAULT_BOUNDS,
                                     [ARENA_FREED] = FAULT_FREED,
                                     [ARENA_UNWRITTEN] = FAULT_UNWRITTEN};
    fault.kind = kinds[verdict];
    fault.address = (uintptr_t)at;
    fault.size = bytes;
    struct hostcuda_region region;
    bool freed;
    if (arena_nearest(at, &region, &freed)) {
        fault.base = (uintptr_t)region.base;
        fault.length = region.bytes;
    }
    fault.who = report_self(pc, operation);
    report_fault(&fault);
}

/* ---- barriers -------------------------------------------------------------------------------- */

void check_divergence(struct worker *s, int first, int other)
{
    struct record_fault fault = {.kind = FAULT_DIVERGENCE, .launch = UINT64_MAX};
    fault.who = report_thread(s, first, s->waiting[first].pc, 0);
    fault.count = (uint64_t)s->at_barrier;
    fault.size = (uint64_t)s->threads;
    if (other >= 0) {
        fault.other = report_thread(s, other, s->waiting[other].pc, 0);
    } else {
        int gone = 0;
        while (gone < s->threads && !(s->warp[gone / WARP].done >> gone % WARP & 1))
            gone++;
        fault.other = report_thread(s, gone % s->threads, 0, 0);
    }
    report_fault(&fault);
}

void check_lanes(struct worker *s, int thread, uint32_t missing)
{
    struct record_fault fault = {.kind = FAULT_LANES, .launch = UINT64_MAX};
    fault.who = report_thread(s, thread, s->waiting[thread].pc, 0);
    fault.count = missing;
    if (missing) {
        int lane = thread / WARP * WARP + __builtin_ctz(missing);
        fault.other = report_thread(s, lane, s->waiting[lane].pc, 0);
    }
    report_fault(&fault);
}

void check_deadlock(struct worker *s)
{
    struct record_fault fault = {.kind = FAULT_DEADLOCK, .launch = UINT64_MAX};
    int first = -1, other = -1;
    for (int t = 0; t < s->threads; t++) {
        const struct warp *w = &s->warp[t / WARP];
        if (w->barrier >> t % WARP & 1)
            first = first < 0 ? t : first;
        else if (w->named >> t % WARP & 1)
            other = other < 0 ? t : other;
    }
    if (first < 0)
        first = other;
    fault.who = report_thread(s, first, s->waiting[first].pc, 0);
    if (other >= 0 && other != first)
        fault.other = report_thread(s, other, s->waiting[other].pc, 0);
    report_fault(&fault);
}
