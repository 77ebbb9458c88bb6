/* shadow.c - races and unwritten reads, from accesses and barriers alone.
 *
 * Barriers are counted: an access notes the count (epoch) of its block's and its warp's barriers,
 * and is ordered before another if the count that matters to both has gone on since.
 */
#include "instrument/shadow.h"
#include "instrument/instrument.h"

#include <stdlib.h>
#include <string.h>

enum { NOBODY = -1 };

bool shadow_init(struct shadow *shadow, int threads, int warp)
{
    *shadow = (struct shadow){.warps = (threads + warp - 1) / warp, .block = NOBODY};
    struct error error = {{0}};
    shadow->warp_epoch =
        memory_array((size_t)shadow->warps, sizeof *shadow->warp_epoch, "warps", &error);
    shadow->warp_of = memory_array((size_t)threads, sizeof *shadow->warp_of, "threads", &error);
    for (int t = 0; shadow->warp_of && t < threads; t++)
        shadow->warp_of[t] = (int16_t)(t / warp);
    return shadow->warp_epoch && shadow->warp_of;
}

void shadow_free(struct shadow *shadow)
{
    free(shadow->warp_epoch);
    free(shadow->warp_of);
    free(shadow->cell);
    *shadow = (struct shadow){0};
}

bool shadow_add(struct shadow *shadow, size_t count, size_t *first)
{
    struct error error = {{0}};
    if (!memory_grow(&shadow->cell, &shadow->room, shadow->cells + count, sizeof *shadow->cell,
                     "cells", &error))
        return false;
    *first = shadow->cells;
    for (size_t i = 0; i < count; i++)
        shadow->cell[shadow->cells++] =
            (struct shadow_cell){.writer = NOBODY, .reader_warp = {NOBODY, NOBODY}};
    return true;
}

void shadow_clear(struct shadow *shadow)
{
    shadow->cells = 0;
}

void shadow_guard(struct shadow *shadow, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++)
        shadow->cell[i].guard = true;
}

void shadow_next_block(struct shadow *shadow)
{
    shadow->block++;
    shadow_block_barrier(shadow);
    shadow->block_start = shadow->block_epoch;
}

void shadow_block_barrier(struct shadow *shadow)
{
    shadow->block_epoch++;
    for (int w = 0; w < shadow->warps; w++)
        shadow->warp_epoch[w]++;
}

void shadow_warp_barrier(struct shadow *shadow, int warp)
{
    shadow->warp_epoch[warp]++;
}

/* Whether an access at this epoch by any thread races with one that another makes now: it is of
 * another block. A barrier of the block orders the others, whatever their warps. */
static bool other_block(const struct shadow *shadow, uint32_t block_epoch)
{
    return block_epoch < shadow->block_start;
}

/* Whether no barrier separates an access at these epochs by a thread of warp `other` from one
 * that warp `mine` makes now; both since the last barrier of the block. */
static bool unordered(const struct shadow *shadow, int mine, int other, uint32_t warp_epoch)
{
    return mine != other || warp_epoch == shadow->warp_epoch[other];
}

static inline __attribute__((always_inline)) bool
raced_write(const struct shadow *shadow, const struct shadow_cell *cell, int thread)
{
    if (cell->writer == NOBODY || (cell->writer == thread && cell->writer_block == shadow->block))
        return false;
    if (cell->block_epoch != shadow->block_epoch)
        return other_block(shadow, cell->block_epoch);
    return unordered(shadow, shadow->warp_of[thread], shadow->warp_of[cell->writer],
                     cell->warp_epoch);
}

static struct shadow_verdict by_writer(enum shadow_fault fault, const struct shadow_cell *cell)
{
    return (struct shadow_verdict){fault, cell->writer_block, cell->writer, cell->writer_line};
}

/* Notes a reader. (Readers of an earlier block need not be kept: a block may read only what it has
 * written itself, and that tells every other block that it is not alone.) */
static void note_read(const struct shadow *shadow, struct shadow_cell *cell, int thread, int line)
{
    int warp = shadow->warp_of[thread];
    uint32_t warp_epoch = shadow->warp_epoch[warp];
    bool first_is_taken = cell->reader_warp[0] != warp && cell->reader_warp[0] != NOBODY &&
                          cell->readers[0].block_epoch == shadow->block_epoch;
    /* The first place stays with its warp; the second goes to the latest other warp. */
    int place = cell->reader_warp[0] != warp && (cell->reader_warp[1] == warp || first_is_taken);
    struct shadow_readers *readers = &cell->readers[place];
    int16_t who = (int16_t)thread;
    if (cell->reader_warp[place] != warp || readers->warp_epoch != warp_epoch) {
        cell->reader_warp[place] = (int16_t)warp;
        *readers =
            (struct shadow_readers){shadow->block_epoch, warp_epoch, {line, line}, {who, who}};
    } else if (readers->thread[0] != who) {
        readers->thread[1] = who;
        readers->line[1] = line;
    }
}

struct shadow_verdict shadow_read(struct shadow *shadow, size_t at, int thread, int line)
{
    struct shadow_cell *cell = &shadow->cell[at];
    if (cell->writer == NOBODY && !cell->guard)
        return (struct shadow_verdict){.fault = SHADOW_UNWRITTEN};
    if (raced_write(shadow, cell, thread))
        return by_writer(SHADOW_READ_RACE, cell);
    note_read(shadow, cell, thread, line);
    return (struct shadow_verdict){.fault = SHADOW_FINE};
}

/* A thread other than this one that has read the cell since the last barrier. */
static struct shadow_verdict raced_reader(const struct shadow *shadow,
                                          const struct shadow_cell *cell, int thread)
{
    for (int k = 0; k < 2; k++) {
        const struct shadow_readers *readers = &cell->readers[k];
        if (cell->reader_warp[k] == NOBODY ||
            (readers->block_epoch == shadow->block_epoch
                 ? !unordered(shadow, shadow->warp_of[thread], cell->reader_warp[k],
                              readers->warp_epoch)
                 : !other_block(shadow, readers->block_epoch)))
            continue;
        for (int i = 0; i < 2; i++)
            if (readers->thread[i] != thread)
                return (struct shadow_verdict){SHADOW_WRITE_READ, shadow->block, readers->thread[i],
                                               readers->line[i]};
    }
    return (struct shadow_verdict){.fault = SHADOW_FINE};
}

struct shadow_verdict shadow_write(struct shadow *shadow, size_t at, int thread, int line)
{
    struct shadow_cell *cell = &shadow->cell[at];
    if (raced_write(shadow, cell, thread))
        return by_writer(SHADOW_WRITE_RACE, cell);
    struct shadow_verdict verdict = raced_reader(shadow, cell, thread);
    if (verdict.fault != SHADOW_FINE)
        return verdict;
    cell->writer = (int16_t)thread;
    cell->writer_line = line;
    cell->writer_block = shadow->block;
    cell->block_epoch = shadow->block_epoch;
    cell->warp_epoch = shadow->warp_epoch[shadow->warp_of[thread]];
    return verdict;
}
