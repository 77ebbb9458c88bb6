/* check_race.c - data races: which two accesses to a word need an order between them.
 *
 * A word's cell has who wrote it last and who read it since: the last reader, and one of another warp. Two
 * accesses by different threads, one of which writes, race if they are not in order (check_order.c), but
 *
 *     two strong ones (atomic, volatile, or with an order) do not race;
 *     a store of what is there already does not, nor does reading what several threads store alike; in shared memory
 *     it does with reading what was stored before, in order with it (a tile of zeros that is overwritten by zeros).
 *
 * Where a thread stores and then does an atomic operation on that word, as in
 *
 *     if (t < 64)
 *         bin[t] = 0;
 *     atomicAdd(&bin[t % 64], 1);
 *
 * the store still races with the others' atomic operations: the mark of both (MARK_STORED) has the store's place.
 * In global memory it races with other blocks' even if a barrier puts it in order for its own block, as in
 *
 *     if (blockIdx.x == 0 && threadIdx.x == 0)
 *         *sum = 0;
 *     __syncthreads();
 *     atomicAdd(sum, x);
 *
 * The mark of both (MARK_STORED_HERE) stays while the block does further atomic operations there.
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
#include "machine/check/check.h"
#include "machine/lock.h"

#include <stdatomic.h>
#include <string.h>

/* A mark of a cell, and its block in global memory. */
struct party {
    struct mark *mark;
    uint32_t *block; /* NULL: of shared memory */
};

static bool is_here(const struct look *look, struct party party)
{
    return !party.block || *party.block == (uint32_t)look->warp->block->number;
}

static uint32_t block_of(struct party party)
{
    return party.block ? *party.block : 0;
}

/* Whether it may be out of order with what the lane does: a quick no, or perhaps. */
static bool may_differ(const struct look *look, struct party party)
{
    const struct mark mark = *party.mark;
    if (!is_here(look, party))
        return mark.time >= look->warp->run->check->start;
    return mark.time >= look->block->base &&
           ((mark.what & MARK_THREAD) != look->thread || mark.what & MARK_MANY);
}

static void set(const struct look *look, struct party party, uint32_t flags)
{
    *party.mark = (struct mark){look->block->time, look->what | flags | look->thread};
    if (party.block)
        *party.block = (uint32_t)look->warp->block->number;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The bytes that a lane stores from `offset` on. */
static const uint8_t *stored(const struct look *look, int lane, int offset)
{
    const struct access *access = look->access;
    return look->warp->registers + access->reg[offset / access->bytes] +
           (size_t)lane * access->register_bytes + offset % access->bytes;
}

static uint32_t lane_of(const struct look *look, struct mark mark)
{
    return (mark.what & MARK_THREAD) - look->warp->number * (uint32_t)look->warp->run->warp_lanes;
}

/* Whether the mark, of this block, is of another lane that does this very instruction. */
static bool same_instruction(const struct look *look, struct mark mark)
{
    const uint32_t other = lane_of(look, mark);
    return other < (uint32_t)look->warp->run->warp_lanes && other != (uint32_t)look->lane &&
           look->mask >> other & 1 && mark.time == look->block->time &&
           mark.what >> MARK_PLACE == look->what >> MARK_PLACE &&
           look->address[other] == look->address[look->lane];
}

static size_t cell_bytes(const struct look *look)
{
    return (size_t)1 << look->warp->run->check->shift[look->global];
}

/* Whether the store leaves what another lane of this very instruction stores, or what is there. */
static bool changes_nothing(const struct look *look, struct mark mark, bool here)
{
    if (!is_store_of_registers(look->access))
        return false;
    const uint8_t *value = stored(look, look->lane, look->offset);
    if (here && same_instruction(look, mark))
        return !memcmp(value, stored(look, (int)lane_of(look, mark), look->offset),
                       cell_bytes(look));
    return !memcmp(value, look->host[look->lane] + look->offset, cell_bytes(look));
}

/* ---- stores that are not executed yet ---------------------------------------------------------- */

/* A store is looked at, and then executed. Where blocks of two jobs store the same, the second one may be looked at in
 * between, and memory has neither value. It then waits until the first one is executed. As it holds no lock of a piece
 * meanwhile, all others go on, except who waits, too: of two that wait for each other, each looks at what the other is
 * about to store.
 *
 *     job 1 stores 7 to a, then b (lanes 0, 1)     both looked at: a by job 1 first, b by job 2 first
 *     job 2 stores 7 to b, then a                  job 1 waits at b, job 2 at a: both store the same
 */

/* Whether the other store has the same value for the cell. */
static bool stores_alike(const struct look *look, const struct look *other)
{
    const uint8_t *cell = look->host[look->lane] + look->offset;
    bool alike = false;
    FOR_LANES(lane, other->mask)
    {
        const ptrdiff_t offset = cell - other->host[lane];
        if (offset >= 0 && offset < other->bytes)
            alike = !memcmp(stored(look, look->lane, look->offset),
                            stored(other, (int)lane, (int)offset), cell_bytes(look));
    }
    return alike;
}

/* Waits for the other job's store, if there is one. Whether that waits itself and stores the same. */
static bool wait_for(const struct look *look, struct worker *other)
{
    struct machine_run *run = look->warp->run;
    const uint32_t begun = atomic_load(&other->stores);
    bool waits = false, alike = false;
    int asked = 0;
    while (begun & 1 && !waits && atomic_load(&other->stores) == begun &&
           !atomic_load(&run->stop)) {
        lock_pause(&asked);
        if (atomic_load(&other->waits)) {
            run_lock(run);
            const struct look *its = atomic_load(&other->waits);
            waits = its;
            alike = its && stores_alike(look, its);
            run_unlock(run);
        }
    }
    return alike;
}

void check_wait(struct look *look)
{
    struct machine_run *run = look->warp->run;
    struct worker *own = look->warp->worker;
    look->unsettled = look->alike = false;
    look->waited = true;
    run_lock(run);
    struct worker *first = run->worker;
    atomic_store(&own->waits, look);
    run_unlock(run);
    for (struct worker *other = first; other; other = other->next)
        look->alike |= other != own && wait_for(look, other);
    run_lock(run);
    atomic_store(&own->waits, NULL);
    run_unlock(run);
}

/* Whether the store changes nothing, or may turn out to: where another job has yet to execute its store of the same word,
 * it is to wait and be looked at again (unsettled is true until then). */
static bool changes_nothing_soon(struct look *look, struct mark mark, bool here)
{
    if (look->unsettled || changes_nothing(look, mark, here))
        return true;
    if (!look->global || here || !is_store_of_registers(look->access) ||
        check_race_is_told(look, mark))
        return false;
    if (look->waited && look->waiting.time == mark.time && look->waiting.what == mark.what)
        return look->alike;
    look->waiting = mark;
    look->unsettled = true;
    return true;
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

/* An atomic operation whose result is used. */
static void note_swap(const struct look *look)
{
    struct check_swap *last = &look->own->swap[look->own->swaps++ % SWAPS];
    *last = (struct check_swap){look->address[look->lane], look->block->time, look->global};
}

/* Whether the warp has such a result of the word, not older than `since`. */
static bool has_swapped(const struct look *look, const struct check_warp *warp, uint32_t since)
{
    for (int i = 0; i < SWAPS; i++) {
        const struct check_swap *swap = &warp->swap[i];
        if (swap->address == look->address[look->lane] && swap->global == look->global &&
            swap->time >= since)
            return true;
    }
    return false;
}

/* Operations are looked at before they are executed. Of two atomic ones on a word, by blocks that run at once, the one that was
 * looked at last may be executed first: whether the other, of this block, has seen it, although it is the last in the books. */
static bool has_seen_atomic(const struct look *look, struct mark write)
{
    const struct check_block *block = look->block;
    if (!look->global || (write.what & MARK_STORED) != MARK_STRONG ||
        (look->own->acquired < write.time && block->acquired < write.time))
        return false;
    for (int i = 0; i < block->warps; i++)
        if (has_swapped(look, &block->warp[i], block->start))
            return true;
    return false;
}

/* Whether this access races with the last write, before which the writer may have stored plainly. */
static bool races_writer(const struct look *look, struct mark write, uint32_t block)
{
    const bool here = block == (uint32_t)look->warp->block->number;
    const bool stored =
        look->writes && mark_is_stored(write) && !(here && mark_is_stored_here(write));
    return stored ? !check_in_order(look, write, block) : races(look, write, block);
}

/* Whether it loads what another block stored, which an atomic operation told its own of, without a fence before that. */
static bool lacks_fence(const struct look *look, struct party writer)
{
    const struct mark write = *writer.mark;
    return !look->writes && !look->strong && !(write.what & MARK_STRONG) &&
           !is_here(look, writer) && !check_is_fenced(look, write, block_of(writer));
}

/* Against who wrote last. false: the store changes nothing, and the cell is to stay as it is. */
static bool against_writer(struct look *look, struct party writer)
{
    const struct mark write = *writer.mark;
    if ((write.what & MARK_STORED) == MARK_COPY && write.time >= look->block->start &&
        !look->global) {
        if (same_instruction(look, write)) /* the last piece, copied by several lanes */
            return true;
        check_tell_unordered(look, MACHINE_FAULT_COPY, write, look->warp->block->number);
        writer.mark->what &= ~(uint32_t)MARK_COPY; /* once is enough */
        check_copied(look->block, (uint32_t)(writer.mark - look->block->cell.write));
        return true;
    }
    if (!may_differ(look, writer) ||
        (!look->writes && write.what & MARK_ALIKE && !mark_is_stored(write)))
        return true;
    if (!races_writer(look, write, block_of(writer))) {
        if (lacks_fence(look, writer))
            check_tell_unordered(look, MACHINE_FAULT_FENCE, write, block_of(writer));
        return true;
    }
    if (has_seen_atomic(look, write))
        return true;
    if (look->writes && changes_nothing_soon(look, write, is_here(look, writer))) {
        if (!mark_is_stored(write) && !look->unsettled)
            writer.mark->what |= MARK_ALIKE;
        return false;
    }
    check_tell_race(look, write, block_of(writer), true, suspect_of(look, write, true));
    return true;
}

/* Whether a store of what is there may be one of several that all do the same, after which some of them read it. In
 * shared memory nothing puts these in order: a tile that is overwritten too early is a race, even if it holds what it
 * will hold next (of zeros, say). */
static bool may_repeat(const struct look *look, struct mark write)
{
    return look->global ? write.time >= look->block->start
                        : write.time >= look->block->base && !check_in_order(look, write, 0);
}

static bool against_reader(struct look *look, struct mark write, struct party reader)
{
    const struct mark read = *reader.mark;
    if (!may_differ(look, reader) || !races(look, read, block_of(reader)))
        return true;
    if (may_repeat(look, write) && changes_nothing_soon(look, read, false))
        return false;
    check_tell_race(look, read, block_of(reader), false, suspect_of(look, read, false));
    return true;
}

/* The lane does an atomic operation on a word that its warp has looked at: that is no race. */
static void acquit(const struct look *look, struct party reader)
{
    const struct mark read = *reader.mark;
    const bool own =
        (read.what & MARK_THREAD) == look->thread ||
        (read.what & MARK_MANY && warp_of(look, read.what & MARK_THREAD) == look->warp->number);
    if (own && read.time >= look->block->base && is_here(look, reader) &&
        !(read.what & MARK_STRONG))
        finding_acquit(look->warp->run, read.what >> MARK_PLACE);
}

/* Acquits the lane's own earlier load, too, where the word's cell has forgotten it because others have read the word
 * since, or made the same access. */
static void acquit_glances(const struct look *look)
{
    const struct check_warp *own = look->own;
    for (int i = 0; own->glance && i < GLANCES; i++) {
        const struct check_glance *glance = &own->glance[i];
        if (glance->time >= look->block->base && glance->global == look->global &&
            glance->mask >> look->lane & 1 &&
            glance->address[look->lane] == look->address[look->lane])
            finding_acquit(look->warp->run, glance->place);
    }
}

/* A plain load of a word that its warp has such a result of. */
static void acquit_swapped(const struct look *look)
{
    if (has_swapped(look, look->own, look->block->base))
        finding_acquit(look->warp->run, look->what >> MARK_PLACE);
}

/* ---- marks ----------------------------------------------------------------------------------- */

/* The mark of an atomic operation on a word that was stored plainly before. MARK_STORED: by the thread itself, and
 * nothing since then may have put that in order before what others do: no barrier, no meeting of its warp, no
 * release. MARK_STORED_HERE: by its block, in order before this, which has released nothing since then, so that other
 * blocks cannot know. 0: neither. */
static uint32_t stored_before(const struct look *look, struct party writer)
{
    const struct mark write = *writer.mark;
    if (!look->strong || !is_here(look, writer) || write.what & (MARK_STRONG | MARK_ALIKE))
        return 0;
    if ((write.what & MARK_THREAD) == look->thread && write.time >= look->block->base &&
        write.time >= look->own->full && !look->own->pair && write.time >= look->released)
        return MARK_STORED;
    return look->global && look->warp->run->blocks > 1 && write.time >= look->block->start &&
                   write.time >= look->released_any
               ? MARK_STORED_HERE
               : 0;
}

static void note_write(struct look *look, const struct cells *cells, uint64_t at,
                       struct party writer)
{
    struct mark *now = writer.mark;
    const struct mark write = *now;
    const uint32_t stored = stored_before(look, writer);
    const bool stays = look->strong && mark_is_stored_here(write) && is_here(look, writer) &&
                       write.time >= look->block->start;
    if (look->strong && write.what & MARK_STRONG && write.time > look->block->time)
        look->block->time = write.time; /* what others released through this word still is */
    if (!stays)
        set(look, writer, 0);
    if (stored)
        now->what = write.what >> MARK_PLACE << MARK_PLACE | stored | look->thread;
    cells->read[at] = (struct mark){0, 0};
}

static struct party party_of(struct mark *marks, uint32_t *blocks, uint64_t at)
{
    return (struct party){&marks[at], blocks ? &blocks[at] : NULL};
}

void check_cell(struct look *look, const struct cells *cells, uint64_t at)
{
    const struct party writer = party_of(cells->write, cells->write_block, at);
    const struct party reader = party_of(cells->read, cells->read_block, at);
    const struct party second = party_of(cells->other, cells->other_block, at);
    const bool more = reader.mark->what & MARK_MORE;
    bool good = against_writer(look, writer);
    if (look->unsettled)
        return;
    if (!look->writes) {
        if (writer.mark->what & MARK_STRONG && !look->strong)
            acquit_swapped(look);
        const struct quick quick = quick_of(look->warp, look->what, look->global);
        if (!look->access->late)
            note_reader(cells, at, look->global, &quick, look->thread);
        return;
    }
    if (op_is_atomic(look->access->op)) {
        acquit(look, reader);
        if (more)
            acquit(look, second);
        acquit_glances(look);
        if (!look->access->unread)
            note_swap(look);
        if (!look->access->unread && writer.mark->what & MARK_STRONG && may_differ(look, writer))
            check_acquire(look->warp, *writer.mark);
    }
    good &= against_reader(look, *writer.mark, reader);
    if (more)
        good &= against_reader(look, *writer.mark, second);
    if (good)
        note_write(look, cells, at, writer);
}
