/* shadow.h - who accessed what since which barrier: finds races, and reads of unwritten memory.
 *
 * A shadow has a cell for each element of the memory that it watches. The caller reports every access
 * and every barrier, and the shadow says whether each access is valid. It knows threads only by their
 * number in the block and does not touch the memory itself, so it can be tested alone.
 *
 *     shadow_init(&shadow, 64, 32);                      64 threads in warps of 32
 *     shadow_next_block(&shadow); shadow_clear(&shadow);
 *     shadow_add(&shadow, 100, &first);                  cells first .. first + 99
 *     shadow_write(&shadow, first + 7, 3, 20)            thread 3 writes element 7 in line 20: fine
 *     shadow_read(&shadow, first + 7, 4, 21)             SHADOW_READ_RACE, with thread 3 and line 20
 *
 * Two accesses of one cell by different threads race when one of them writes and no barrier comes
 * between: a barrier of the block, or, for threads of one warp, a barrier of the warp. Blocks are
 * reported one after another, and no barrier orders them: cells that stay from block to block (global
 * memory) find races between blocks, too.
 */
#ifndef BANKSCOPE_SHADOW_H
#define BANKSCOPE_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum shadow_fault {
    SHADOW_FINE,
    SHADOW_UNWRITTEN,  /* reads what no thread has written */
    SHADOW_READ_RACE,  /* reads what another thread writes */
    SHADOW_WRITE_RACE, /* writes what another thread writes */
    SHADOW_WRITE_READ, /* writes what another thread reads */
};

/* What a shadow says of an access. The other thread is set for races. */
struct shadow_verdict {
    enum shadow_fault fault;
    int block, thread, line;
};

/* Readers of one cell from one warp: two of them are enough to tell any third that it is not
 * alone. */
struct shadow_readers {
    uint32_t block_epoch, warp_epoch;
    int32_t line[2];
    int16_t thread[2];
};

/* 64 bytes, a line of the cache. */
struct shadow_cell {
    int16_t writer;         /* -1: never written */
    int16_t reader_warp[2]; /* whose readers are kept, two different ones; -1: none */
    bool guard;             /* may be read unwritten */
    int32_t writer_line, writer_block;
    uint32_t block_epoch, warp_epoch; /* of the write */
    struct shadow_readers readers[2];
};

/* Private: use the functions. */
struct shadow {
    int warps;
    int16_t *warp_of; /* each thread's: a look is quicker than a division */
    int block;
    uint32_t block_start; /* the epoch in which this block began */
    uint32_t block_epoch, *warp_epoch;
    struct shadow_cell *cell;
    size_t cells, room;
};

/* Starts a shadow without cells, for blocks of so many threads, which number below
 * 32768. false: out of memory; shadow_free in any case. */
bool shadow_init(struct shadow *shadow, int threads, int warp);
void shadow_free(struct shadow *shadow);

/* Adds unwritten cells; *first is the number of the first. false: out of memory. */
bool shadow_add(struct shadow *shadow, size_t count, size_t *first);
/* Removes all cells. */
void shadow_clear(struct shadow *shadow);
/* Lets the current block read cells before they are written; such cells do not stay for the next
 * block. */
void shadow_guard(struct shadow *shadow, size_t first, size_t count);

/* Begins the next block, 0 at first. */
void shadow_next_block(struct shadow *shadow);
/* All threads of the block (of the warp) have met. */
void shadow_block_barrier(struct shadow *shadow);
void shadow_warp_barrier(struct shadow *shadow, int warp);

/* Notes an access of a cell, unless the access is a fault. */
struct shadow_verdict shadow_read(struct shadow *shadow, size_t cell, int thread, int line);
struct shadow_verdict shadow_write(struct shadow *shadow, size_t cell, int thread, int line);

#endif
