/* check.h - what the checker is told: accesses, barriers, ends of copies. See check.c. */
#ifndef BANKSCOPE_MACHINE_CHECK_H
#define BANKSCOPE_MACHINE_CHECK_H

#include "machine/step.h"

/* Lanes touch memory, each `bytes` at its address (of shared memory from 0, or global). */
void check_access(struct warp *warp, const struct access *access, bool global, uint64_t mask,
                  const uint64_t *address, int bytes, bool writes, bool atomic);
/* The running lanes have come to a barrier of the block; it lets all go on. */
void check_arrival(struct warp *warp, int barrier);
void check_barrier(struct block *block, int barrier);
/* The running lanes have met, or have a fence. */
void check_warp_barrier(struct warp *warp, uint64_t members);
void check_fence(struct warp *warp);
void check_block_begins(struct block *block, struct worker *worker);
void check_block_ends(struct block *block, struct worker *worker);

#endif
