/* schedule.h - a block of threads in a worker: it begins, its warps have turns, it ends. */
#ifndef BANKSCOPE_MACHINE_SCHEDULE_H
#define BANKSCOPE_MACHINE_SCHEDULE_H

#include "machine/step.h"

/* Block `rank` of cluster number `of`. It is the worker's until block_end. NULL: out of memory. */
struct block *block_start(struct worker *worker, struct cluster *cluster, uint64_t of, int rank);
void block_end(struct worker *worker, struct block *block);

enum turn { TURN_RAN, TURN_STUCK, TURN_ENDED };

/* Each warp that can run has a turn. TURN_STUCK: none could. */
enum turn block_turn(struct worker *worker, struct block *block);

/* A number drawn by lot for a turn of a block: the same for the same seed. */
uint64_t schedule_lot(uint64_t seed, uint64_t block, uint64_t turn);

/* Says which barrier the block waits at for ever, as a fault. */
void block_deadlock(struct block *block);

#endif
