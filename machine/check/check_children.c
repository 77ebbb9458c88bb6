/* check_children.c - what a launch did to global memory beside its children, which nothing makes it wait for.
 *
 *     x[0] = 1;               in order: the thread stored it before it launched
 *     child<<<1, 32>>>(x);    the block's clock goes on: 41
 *     y = x[1];               read at 41: the child may store to it before or after
 *
 * A mark that is not older than the launch was made behind it. One of another warp of the block may be older, and be in
 * order by nothing all the same: since the last barrier, and unknown to the warp that launches. What other blocks did is
 * not held against a child, for they may have waited for each other.
 */
#include "machine/check/check.h"
#include "machine/asked.h"

void check_launches(const struct warp *warp, struct row *row)
{
    struct check_block *block = warp->block->check;
    if (!block)
        return;
    const uint32_t own = block->warp[warp->number].acquired;
    row->time = ++block->time;
    row->base = block->known ? row->time : block->base;
    row->acquired = own > block->acquired ? own : block->acquired;
    row->warp = warp->number;
}

/* The first time from which marks of a block may be beside a child of its; UINT32_MAX: of none. */
static uint32_t first_time(const struct machine_children *children, uint64_t block)
{
    const bool alone = children->run->threads <= (uint32_t)children->run->warp_lanes;
    uint32_t first = UINT32_MAX;
    for (int i = 0; i < children->rows; i++) {
        const struct row *row = &children->row[i];
        const uint32_t from = alone ? row->time : row->base;
        if (row->block == block && !row->child.tail && from < first)
            first = from;
    }
    return first;
}

struct late {
    const struct machine_run *run;
    const struct machine_children *children;
    void (*tell)(void *context, const struct machine_late *late);
    void *context;
    uint64_t block; /* that was asked of last, and the answer */
    uint32_t first;
    struct machine_late last; /* bytes 0: none yet */
};

static void tell_last(struct late *late)
{
    if (late->last.bytes)
        late->tell(late->context, &late->last);
    late->last.bytes = 0;
}

static void add_mark(struct late *late, struct mark mark, uint32_t block, bool stores,
                     uint64_t address, uint64_t bytes)
{
    const struct check *check = late->run->check;
    struct machine_late *last = &late->last;
    if (mark.time < check->start)
        return;
    if (late->block != block) {
        late->block = block;
        late->first = first_time(late->children, block);
    }
    if (mark.time < late->first)
        return;
    const bool strong = mark.what & MARK_STRONG && !(stores && mark_is_stored(mark));
    const int site = place_site(late->run->kernel, mark.what >> MARK_PLACE);
    const uint32_t thread = mark.what & MARK_THREAD;
    if (last->bytes && last->address + last->bytes == address && last->block == block &&
        last->time == mark.time && last->site == site && last->stores == stores &&
        last->strong == strong &&
        last->thread / (uint32_t)late->run->warp_lanes ==
            thread / (uint32_t)late->run->warp_lanes) {
        last->bytes += bytes;
        return;
    }
    tell_last(late);
    *last = (struct machine_late){address, bytes, block, thread, mark.time, site, stores, strong};
}

static void late_piece(void *context, struct shadow_piece *piece, uint64_t address)
{
    struct late *late = context;
    const int shift = late->run->check->shift[1];
    for (int k = 0; k < MARKS; k++)
        for (uint32_t row = 0; row < PIECE_ROWS; row++) {
            const bool mixed = piece->mixed >> row & 1;
            const struct cells cells = mixed ? shadow_cells(piece) : shadow_rows(piece);
            const struct mark *mark = k == MARK_WRITE  ? cells.write
                                      : k == MARK_READ ? cells.read
                                                       : cells.other;
            const uint32_t *block = k == MARK_WRITE  ? cells.write_block
                                    : k == MARK_READ ? cells.read_block
                                                     : cells.other_block;
            const uint32_t count = mixed ? ROW_CELLS : 1, first = (uint32_t)first_mark(piece, row);
            for (uint32_t i = first; i < first + count; i++)
                add_mark(late, mark[i], block[i], k == MARK_WRITE,
                         address + ((uint64_t)(row * ROW_CELLS + (i - first)) << shift),
                         (uint64_t)(ROW_CELLS / count) << shift);
        }
}

void machine_children_late(const struct machine_children *children,
                           void (*tell)(void *context, const struct machine_late *late),
                           void *context)
{
    struct late late = {.run = children->run,
                        .children = children,
                        .tell = tell,
                        .context = context,
                        .block = UINT64_MAX};
    if (!late.run || !late.run->check || children->rows == children->tails)
        return;
    check_each_piece(late.run, late_piece, &late);
    tell_last(&late);
}

static const struct row *row_of(const struct machine_child *child)
{
    return (const struct row *)(const void *)child;
}

bool machine_child_is_beside(const struct machine_child *child, const struct machine_late *late)
{
    const struct row *row = row_of(child);
    if (child->tail || row->block != late->block)
        return false;
    return late->time >= row->time || (late->thread / row->lanes != row->warp &&
                                       late->time >= row->base && late->time > row->acquired);
}

bool machine_children_are_apart(const struct machine_children *children,
                                const struct machine_child *one, const struct machine_child *other)
{
    const struct row *a = row_of(one), *b = row_of(other);
    if (one->tail || other->tail || children->waits)
        return false;
    if (a->stream == STREAM_FORGET || b->stream == STREAM_FORGET)
        return true;
    const bool own = a->stream < STREAM_FORGET && b->stream < STREAM_FORGET;
    return own ? a->block != b->block : a->stream != b->stream;
}
