/* host_order.c - whether what a kernel says of stages, rounds and slots can be the order in which warps ran.
 *
 * A thread's accesses mostly come in the order of the trace. Where they go back, as when it goes from the last
 * stage of a step to the first one of the next, a new run of that thread begins. So the order of its accesses
 * is that of (run, stage, round, slot). A warp that has such threads is tried: it makes an access as soon as
 * that is the next one of all lanes that take part. If it comes to its end, this is how it may have run.
 */
#include "instrument/host.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = (1 << 24) - 1 };

void host_new_run(struct simt *simt, int line)
{
    struct host_thread *thread = (struct host_thread *)simt;
    if (thread->run++ == MOST_RUNS)
        host_fault(simt, line, "its stages and rounds go back more than %d times", MOST_RUNS);
}

void host_other_phase(struct simt *simt, int line)
{
    host_fault(simt, line,
               "slot %d is on this side of a barrier, and for other threads of the warp on the "
               "other side; number the rounds with ROUND as they happen",
               simt->slot);
}

/* ---- trying a warp --------------------------------------------------------------------------- */

/* An access of the warp, in the order of the trace. */
struct common_access {
    int stage, round, slot;
    int lanes, waiting; /* how many take part, and how many have come to it */
};
/* An access as one lane makes it. */
struct step {
    uint32_t run, access;
};
struct attempt {
    const struct host_block *block;
    int warp, first, lanes; /* first: its first thread */
    struct common_access *access;
    size_t accesses, access_room;
    struct step *step[MAX_WARP];
    size_t steps[MAX_WARP], step_room[MAX_WARP], next[MAX_WARP];
    bool good; /* there was memory */
};

static void add_step(struct attempt *attempt, int lane, uint32_t run)
{
    const struct step step = {run, (uint32_t)attempt->accesses};
    if (memory_grow(&attempt->step[lane], &attempt->step_room[lane], attempt->steps[lane] + 1,
                    sizeof step, "accesses", attempt->block->error))
        attempt->step[lane][attempt->steps[lane]++] = step;
    else
        attempt->good = false;
}

static void add_row(struct attempt *attempt, const struct host_row *row,
                    struct common_access access)
{
    for (int lane = 0; lane < attempt->lanes; lane++) {
        const struct host_lane *own = &row->lane[attempt->first + lane];
        if (!own->tag)
            continue;
        add_step(attempt, lane, own->run);
        access.lanes++;
    }
    if (!memory_grow(&attempt->access, &attempt->access_room, attempt->accesses + 1, sizeof access,
                     "accesses", attempt->block->error))
        attempt->good = false;
    else if (access.lanes)
        attempt->access[attempt->accesses++] = access;
}

static int by_run(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    return x->run != y->run ? (x->run > y->run) - (x->run < y->run)
                            : (x->access > y->access) - (x->access < y->access);
}

/* All but what FILL stored, which sets the scene. */
static void collect(struct attempt *attempt)
{
    const struct host_block *block = attempt->block;
    for (int s = block->has_setup; s < block->header->stages; s++)
        for (int r = 0; r < (int)block->stage[s].rounds; r++)
            for (int k = 0; k < (int)block->stage[s].round[r].slots; k++) {
                const struct host_row *row = &block->stage[s].round[r].slot[k];
                if (row->used && row->site[attempt->warp].line)
                    add_row(attempt, row,
                            (struct common_access){.stage = s, .round = r, .slot = k});
            }
    for (int lane = 0; lane < attempt->lanes; lane++)
        if (attempt->steps[lane])
            qsort(attempt->step[lane], attempt->steps[lane], sizeof *attempt->step[lane], by_run);
}

/* A lane comes to its next access. Whether all are there now. */
static bool comes(struct attempt *attempt, int lane)
{
    if (attempt->next[lane] == attempt->steps[lane])
        return false;
    struct common_access *access =
        &attempt->access[attempt->step[lane][attempt->next[lane]].access];
    return ++access->waiting == access->lanes;
}

/* Lets the lanes go on as long as an access is the next one of all that take part. */
static void go(struct attempt *attempt)
{
    uint32_t ready[MAX_WARP]; /* a lane waits at one access, so there are no more */
    int count = 0;
    for (int lane = 0; lane < attempt->lanes; lane++)
        if (comes(attempt, lane))
            ready[count++] = attempt->step[lane][attempt->next[lane]].access;
    while (count) {
        uint32_t access = ready[--count];
        for (int lane = 0; lane < attempt->lanes; lane++) {
            size_t next = attempt->next[lane];
            if (next == attempt->steps[lane] || attempt->step[lane][next].access != access)
                continue;
            attempt->next[lane]++;
            if (comes(attempt, lane))
                ready[count++] = attempt->step[lane][attempt->next[lane]].access;
        }
    }
}

/* Names the first lane that waits for others, if any. */
static bool report(const struct attempt *attempt)
{
    const struct trace_header *header = attempt->block->header;
    for (int lane = 0; lane < attempt->lanes; lane++) {
        size_t next = attempt->next[lane];
        if (next == attempt->steps[lane])
            continue;
        const struct common_access *access = &attempt->access[attempt->step[lane][next].access];
        return error_set(attempt->block->error,
                         "kernel %s, stage %s, round %d, block %d, thread %d: other lanes of the "
                         "warp make the access in slot %d in another order with their others; "
                         "number the rounds with ROUND as they happen, for all lanes alike",
                         header->kernel, header_stage_name(header, access->stage), access->round,
                         attempt->block->index, attempt->first + lane, access->slot);
    }
    return true;
}

static bool try_warp(const struct host_block *block, int warp)
{
    const struct trace_header *header = block->header;
    struct attempt *attempt = memory_new(1, sizeof *attempt);
    *attempt = (struct attempt){.block = block,
                                .warp = warp,
                                .first = warp * header->warp,
                                .lanes = header_lanes(header, warp),
                                .good = true};
    collect(attempt);
    if (attempt->good)
        go(attempt);
    bool good = attempt->good && report(attempt);
    for (int lane = 0; lane < attempt->lanes; lane++)
        free(attempt->step[lane]);
    free(attempt->access);
    free(attempt);
    return good;
}

bool host_check_order(const struct host_block *block)
{
    const struct trace_header *header = block->header;
    for (int warp = 0; warp < block->warps; warp++) {
        bool back = false;
        for (int lane = 0; lane < header_lanes(header, warp); lane++)
            back |= block->thread[warp * header->warp + lane].run > 0;
        if (back && !try_warp(block, warp))
            return false;
    }
    return true;
}
