/* check_race.c - who may not meet whom at a word.
 *
 * A word's cell has who wrote it last and who read it since: the last reader, and one of another warp. Two
 * accesses by different threads, one of which writes, race if they are not in order (check_order.c), but
 *
 *     two strong ones (atomic, volatile, or with an order) do not race;
 *     a store of what is there already does not, nor does reading what several threads store alike.
 *
 * A plain load may look at a word before an atomic operation that does not trust what it saw:
 *
 *     old = *address;                                     if (distance < best[v])
 *     do                                                      atomicMin(&best[v], distance);
 *         old = atomicCAS(address, assumed = old, ...);
 *
 * A load that only strong accesses are out of order with is therefore a suspect until the launch ends. It is
 * acquitted, everywhere, when a warp that did it goes on to an atomic operation on that word before its
 * next barrier (or, in global memory, to one on that allocation which leaves one of two values:
 * check_global.c), or has just used what one on that word returned. The read of a histogram without the
 * barrier before it is not.
 */
#include "machine/check.h"

#include <string.h>

static bool is_here(const struct look *look, const uint32_t *blocks, int mark)
{
    return !blocks || blocks[mark] == (uint32_t)look->warp->block->number;
}

static uint32_t block_of(const uint32_t *blocks, int mark)
{
    return blocks ? blocks[mark] : 0;
}

/* Whether a mark may be out of order with what the lane does: a quick no, or perhaps. */
static inline bool may_differ(const struct look *look, struct mark mark, const uint32_t *blocks,
                              int which)
{
    if (!is_here(look, blocks, which))
        return mark.time != 0;
    return mark.time >= look->block->base &&
           ((mark.what & MARK_THREAD) != look->thread || mark.what & MARK_MANY);
}

static void set(const struct look *look, struct mark *mark, uint32_t *blocks, int which,
                uint32_t flags)
{
    *mark = (struct mark){look->block->time, look->what | flags | look->thread};
    if (blocks)
        blocks[which] = (uint32_t)look->warp->block->number;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The bytes that a lane stores in this cell. */
static const uint8_t *stored(const struct look *look, int lane)
{
    const struct access *access = look->access;
    return look->warp->registers + access->reg[look->offset / access->bytes] +
           (size_t)lane * access->register_bytes + look->offset % access->bytes;
}

static uint32_t lane_of(const struct look *look, struct mark mark)
{
    return (mark.what & MARK_THREAD) - look->warp->number * (uint32_t)look->warp->run->warp_lanes;
}

/* Whether the mark, of this block, is of another lane that does this very instruction. */
static bool same_instruction(const struct look *look, struct mark mark)
{
    const uint32_t other = lane_of(look, mark);
    return other < (uint32_t)look->warp->run->warp_lanes && look->mask >> other & 1 &&
           mark.time == look->block->time && mark.what >> MARK_PLACE == look->what >> MARK_PLACE &&
           look->address[other] == look->address[look->lane];
}

/* Whether the store leaves what another lane of this very instruction stores, or what is there. */
static bool changes_nothing(const struct look *look, struct mark mark, bool here)
{
    const struct access *access = look->access;
    const size_t bytes = (size_t)1 << look->warp->run->check->shift[look->global];
    if (access->op != OP_STORE)
        return false;
    const uint8_t *value = stored(look, look->lane);
    if (here && same_instruction(look, mark))
        return !memcmp(value, stored(look, (int)lane_of(look, mark)), bytes);
    return !memcmp(value, look->host[look->lane] + look->offset, bytes);
}

/* ---- races ----------------------------------------------------------------------------------- */

/* The place of the load, of two accesses of which one is strong; 0: there is none. */
static uint32_t suspect_of(const struct look *look, struct mark mark, bool was_write)
{
    if (!look->writes && mark.what & MARK_STRONG)
        return (look->what >> MARK_PLACE) + 1;
    if (!was_write && look->strong)
        return (mark.what >> MARK_PLACE) + 1;
    return 0;
}

static bool races(const struct look *look, struct mark mark, uint32_t block)
{
    return !(look->strong && mark.what & MARK_STRONG) && !check_in_order(look, mark, block);
}

/* Against who wrote last. false: the store changes nothing, and the cell is to stay as it is. */
static bool against_writer(struct look *look, struct cell *cell, const uint32_t *blocks)
{
    const struct mark write = cell->write;
    if (write.what & MARK_COPY && write.time >= look->block->start && !look->global) {
        if (same_instruction(look, write)) /* the last piece, copied by several lanes */
            return true;
        check_tell_copy(look, write);
        cell->write.what &= ~(uint32_t)MARK_COPY; /* once is enough */
        return true;
    }
    if (!may_differ(look, write, blocks, 0) || (!look->writes && write.what & MARK_ALIKE) ||
        !races(look, write, block_of(blocks, 0)))
        return true;
    if (look->writes && changes_nothing(look, write, is_here(look, blocks, 0))) {
        cell->write.what |= MARK_ALIKE;
        return false;
    }
    check_tell_race(look, write, block_of(blocks, 0), true, suspect_of(look, write, true));
    return true;
}

static bool against_readers(struct look *look, struct cell *cell, const uint32_t *blocks)
{
    for (int i = 0; i < 2; i++) {
        const struct mark read = cell->read[i];
        if (!may_differ(look, read, blocks, 1 + i) || !races(look, read, block_of(blocks, 1 + i)))
            continue;
        if (cell->write.time >= look->block->start && changes_nothing(look, read, false))
            return false;
        check_tell_race(look, read, block_of(blocks, 1 + i), false, suspect_of(look, read, false));
    }
    return true;
}

/* The lane does an atomic operation on a word that its warp has looked at: that is no race. */
static void acquit(const struct look *look, const struct cell *cell, const uint32_t *blocks)
{
    for (int i = 0; i < 2; i++) {
        const struct mark read = cell->read[i];
        const bool own =
            (read.what & MARK_THREAD) == look->thread ||
            (read.what & MARK_MANY && warp_of(look, read.what & MARK_THREAD) == look->warp->number);
        if (own && read.time >= look->block->base && is_here(look, blocks, 1 + i) &&
            !(read.what & MARK_STRONG))
            finding_acquit(look->warp->run, read.what >> MARK_PLACE);
    }
}

/* An atomic operation whose result is used. */
static void note_swap(const struct look *look)
{
    struct check_swap *last = &look->own->swap[look->own->swaps++ % SWAPS];
    *last = (struct check_swap){look->address[look->lane], look->block->time, look->global};
}

/* A plain load of a word that its warp has such a result of. */
static void acquit_swapped(const struct look *look)
{
    for (int i = 0; i < SWAPS; i++) {
        const struct check_swap *swap = &look->own->swap[i];
        if (swap->address == look->address[look->lane] && swap->global == look->global &&
            swap->time >= look->block->base)
            finding_acquit(look->warp->run, look->what >> MARK_PLACE);
    }
}

/* ---- marks ----------------------------------------------------------------------------------- */

static void swap_readers(struct cell *cell, uint32_t *blocks)
{
    const struct mark read = cell->read[0];
    cell->read[0] = cell->read[1];
    cell->read[1] = read;
    if (blocks) {
        const uint32_t block = blocks[1];
        blocks[1] = blocks[2];
        blocks[2] = block;
    }
}

/* Whether a reader is of the lane's warp, and counts. */
static bool is_own_reader(const struct look *look, struct mark read, const uint32_t *blocks,
                          int which)
{
    return read.time && is_here(look, blocks, which) &&
           warp_of(look, read.what & MARK_THREAD) == look->warp->number;
}

static void note_read(struct look *look, struct cell *cell, uint32_t *blocks)
{
    struct mark *read = cell->read;
    uint32_t flags = 0;
    const bool stale = is_here(look, blocks, 1) && read[0].time < look->block->base;
    if (!stale && !is_own_reader(look, read[0], blocks, 1))
        swap_readers(cell, blocks);
    if (is_own_reader(look, read[0], blocks, 1) && read[0].time >= look->block->base &&
        read[0].time >= look->own->full &&
        ((read[0].what & MARK_THREAD) != look->thread || read[0].what & MARK_MANY))
        flags = MARK_MANY;
    set(look, &read[0], blocks, 1, flags);
}

static void note_write(struct look *look, struct cell *cell, uint32_t *blocks)
{
    if (look->strong && cell->write.what & MARK_STRONG && cell->write.time > look->block->time)
        look->block->time = cell->write.time; /* what others released through this word still is */
    set(look, &cell->write, blocks, 0, 0);
    cell->read[0].time = cell->read[1].time = 0;
}

void check_cell(struct look *look, struct cell *cell, uint32_t *blocks)
{
    bool good = true;
    if (may_differ(look, cell->write, blocks, 0) || cell->write.what & MARK_COPY)
        good = against_writer(look, cell, blocks);
    if (!look->writes) {
        if (cell->write.what & MARK_STRONG && !look->strong)
            acquit_swapped(look);
        note_read(look, cell, blocks);
        return;
    }
    if (op_is_atomic(look->access->op)) {
        acquit(look, cell, blocks);
        if (!look->access->unread)
            note_swap(look);
        if (!look->access->unread && cell->write.what & MARK_STRONG &&
            may_differ(look, cell->write, blocks, 0))
            check_acquire(look->warp, cell->write);
    }
    if (may_differ(look, cell->read[0], blocks, 1) || may_differ(look, cell->read[1], blocks, 2))
        good &= against_readers(look, cell, blocks);
    if (good)
        note_write(look, cell, blocks);
}
