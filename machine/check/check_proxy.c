/* check_proxy.c - whether bulk copies and wgmma see what threads stored in shared memory. They read it by a way of their own,
 * the async proxy: between a store and such a read there must be fence.proxy.async, or they may read what was there before.
 *
 *     st.shared ...;  fence.proxy.async;  bar.sync 0;  wgmma ...;     seen
 *     st.shared ...;  bar.sync 0;  wgmma ...;                         a fault, although a barrier puts them in order
 *
 * A fence counts for what its own warp stored before it; behind a barrier of the block, for what any warp stored before that
 * barrier; and, for a read of its own warp, for all that was stored before. Whether store and read are in order at all is told
 * as a race. What copies wrote, cp.async among them, needs no fence here.
 */
#include "machine/check/check.h"

void check_proxy_fence(struct warp *warp)
{
    struct check_block *block = warp->block->check;
    if (!warp->run->check)
        return;
    block->warp[warp->number].fenced = block->time; /* which check_fence has moved on */
    block->fenced = block->base;
}

void check_copied(struct check_block *block, uint32_t cell)
{
    if (block->copied)
        block->copied[cell] = block->time;
}

/* Whether the read may miss what the mark's thread stored. */
static inline bool is_unfenced(const struct check_block *block, const struct warp *warp,
                               uint32_t cell)
{
    const struct mark write = block->cell.write[cell];
    const uint32_t writer = (write.what & MARK_THREAD) / (uint32_t)warp->run->warp_lanes;
    return write.time > block->start && write.time >= block->fenced &&
           block->copied[cell] < write.time && block->warp[writer].fenced <= write.time &&
           block->warp[warp->number].fenced <= write.time;
}

void check_proxy_reads(struct warp *warp, const struct access *access, uint64_t mask,
                       const uint64_t *address, int bytes)
{
    struct check_block *block = warp->block->check;
    if (!warp->run->check || !block->copied)
        return;
    const int shift = warp->run->check->shift[0];
    struct look look = {.warp = warp,
                        .block = block,
                        .own = &block->warp[warp->number],
                        .access = access,
                        .address = address,
                        .mask = mask,
                        .bytes = bytes};
    FOR_LANES(lane, mask)
    {
        const uint32_t first = (uint32_t)address[lane] >> shift;
        for (uint32_t i = first; i < first + (uint32_t)(bytes >> shift); i++)
            if (is_unfenced(block, warp, i)) {
                look.lane = (int)lane;
                check_tell_unordered(&look, MACHINE_FAULT_PROXY, block->cell.write[i],
                                     warp->block->number);
                break;
            }
    }
}
