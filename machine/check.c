/* check.c - what the checker is told, and does not judge yet: races, reads of what was never written, masks,
 * copies that are not waited for. machine_begin refuses launch.check until it does. */
#include "machine/check.h"

void check_access(struct warp *warp, const struct access *access, bool global, uint64_t mask,
                  const uint64_t *address, int bytes, bool writes, bool atomic)
{
    (void)warp, (void)access, (void)global, (void)mask, (void)address, (void)bytes;
    (void)writes, (void)atomic;
}

void check_arrival(struct warp *warp, int barrier)
{
    (void)warp, (void)barrier;
}

void check_barrier(struct block *block, int barrier)
{
    (void)block, (void)barrier;
}

void check_warp_barrier(struct warp *warp, uint64_t members)
{
    (void)warp, (void)members;
}

void check_fence(struct warp *warp)
{
    (void)warp;
}

void check_block_begins(struct block *block, struct worker *worker)
{
    (void)block, (void)worker;
}

void check_block_ends(struct block *block, struct worker *worker)
{
    (void)block, (void)worker;
}
