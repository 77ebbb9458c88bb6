/* check_cluster.c - races between blocks of a cluster, in their shared memory: a block reads or writes that of another, and
 * no barrier of the cluster is between that and what others do to the word.
 *
 *     block 0: st.shared [x], 1;   barrier.cluster ...;   block 1: mapa a, x, 0; ld.shared::cluster [a];     in order
 *
 * A cell has the last access by another block (check_other), by the clock of the block whose memory it is. Blocks that
 * are put in order by other means than the cluster's barrier (an mbarrier of another block, atomic operations, fences,
 * st.async, copies to each other) are not looked at until the next such barrier: a race may be overlooked, and no correct
 * program is blamed.
 */
#include "machine/check/check.h"

#include <string.h>

/* mark: MARK_STRONG: it wrote. */
struct check_other {
    struct mark mark;
    uint32_t block;
};

void check_mingle(struct check_block *block)
{
    block->mingled = block->time;
}

static bool is_mingled(const struct check_block *block)
{
    return block->mingled >= block->cluster_base;
}

/* The block of the cluster that has that number. */
static const struct block *block_numbered(const struct cluster *cluster, uint32_t number)
{
    for (int i = 0; i < cluster->blocks; i++)
        if ((uint32_t)cluster->block[i]->number == number)
            return cluster->block[i];
    return NULL;
}

/* Whether the lane stores what is there already. */
static bool leaves(const struct look *look)
{
    const struct access *access = look->access;
    if (!is_store_of_registers(access))
        return false;
    for (int i = 0; i < access->elements; i++)
        if (memcmp(look->host[look->lane] + i * access->bytes,
                   look->warp->registers + access->reg[i] +
                       (size_t)look->lane * access->register_bytes,
                   access->bytes))
            return false;
    return true;
}

static void note(const struct look *look, struct check_block *of, uint64_t i)
{
    struct check_other *other = &of->other[i];
    const uint32_t number = (uint32_t)look->warp->block->number;
    const bool wrote = other->mark.time >= of->cluster_base && other->mark.what & MARK_STRONG;
    if (look->writes || !wrote)
        *other = (struct check_other){
            {of->time, look->what | (look->writes ? MARK_STRONG : 0) | look->thread}, number};
}

/* The lane touches a cell of another block. */
static void remote_cell(const struct look *look, const struct block *block, uint64_t i)
{
    const struct check_block *of = block->check;
    const struct check_other other = of->other[i];
    const uint32_t base = of->cluster_base;
    const struct mark write = of->cell.write[i], read = of->cell.read[i];
    if (write.time >= base)
        check_tell_cluster(look, write, (uint32_t)block->number, true, block);
    else if (look->writes && read.time >= base)
        check_tell_cluster(look, read, (uint32_t)block->number, false, block);
    else if (other.mark.time >= base && other.block != (uint32_t)look->warp->block->number &&
             (look->writes || other.mark.what & MARK_STRONG))
        check_tell_cluster(look, other.mark, other.block, other.mark.what & MARK_STRONG, block);
}

/* Another block has stored to the cell, which therefore counts as written. */
static void set_written(struct check_block *of, uint64_t i)
{
    struct mark *write = &of->cell.write[i];
    if (write->time < of->start) /* older than any barrier: in order with all */
        *write = (struct mark){of->start, MARK_STRONG | MARK_THREAD};
}

static void remote_lane(struct look *look, const struct block *block, uint64_t at)
{
    struct check_block *of = block->check;
    const int shift = look->warp->run->check->shift[0];
    const bool harmless = look->strong || (look->writes && leaves(look));
    const bool quiet = harmless || is_mingled(of) || is_mingled(look->block);
    if (!of->other)
        of->other =
            run_new(look->warp->run, &look->warp->worker->arena, of->cells * sizeof *of->other);
    for (uint64_t i = at >> shift; i <= (at + (uint64_t)look->bytes - 1) >> shift; i++) {
        if (of->other && !quiet)
            remote_cell(look, block, i);
        if (of->other && !harmless)
            note(look, of, i);
        if (look->writes)
            set_written(of, i);
    }
    if (look->strong) {
        check_mingle(of);
        check_mingle(look->block);
    }
}

void check_remote(struct warp *warp, const struct access *access, uint64_t mask,
                  const uint64_t *address, int bytes, bool writes, uint8_t *const *host)
{
    uint64_t within[MACHINE_LANES];
    struct look look = {.warp = warp,
                        .block = warp->block->check,
                        .own = &warp->block->check->warp[warp->number],
                        .access = access,
                        .address = within,
                        .host = host,
                        .mask = mask,
                        .what = check_place(warp),
                        .bytes = bytes,
                        .writes = writes,
                        .strong = op_is_atomic(access->op) || access->relaxed};
    if (writes && (access->releases || op_is_atomic(access->op)))
        check_release(warp, true, access->releases);
    else if (writes && look.strong)
        check_publish(warp);
    FOR_LANES(lane, mask)
    {
        const struct block *block = cluster_block(warp, address[lane], &within[lane]);
        look.lane = (int)lane;
        look.thread = warp->number * (uint32_t)warp->run->warp_lanes + (uint32_t)lane;
        if (block->alive)
            remote_lane(&look, block, within[lane]);
        else
            check_tell_ended(&look, block);
    }
}

void check_remote_copy(struct warp *warp, const struct access *access, int lane, uint64_t address,
                       uint32_t bytes)
{
    const int shift = warp->run->check->shift[0];
    uint64_t within[MACHINE_LANES];
    struct block *block = cluster_block(warp, address, &within[lane]);
    struct look look = {.warp = warp,
                        .block = warp->block->check,
                        .own = &warp->block->check->warp[warp->number],
                        .access = access,
                        .address = within,
                        .mask = UINT64_C(1) << lane,
                        .bytes = (int)bytes,
                        .writes = true};
    if (block->check->late)
        check_late_writes(&look, block->check, false);
    for (uint64_t i = within[lane] >> shift; i <= (within[lane] + bytes - 1) >> shift; i++)
        set_written(block->check, i);
    check_mingle(block->check);
    check_mingle(warp->block->check);
}

void check_local_lanes(struct look *look)
{
    const struct check_block *own = look->block;
    const int shift = look->warp->run->check->shift[0];
    if (look->strong || is_mingled(own))
        return;
    FOR_LANES(lane, look->mask)
    {
        const uint64_t from = look->address[lane] >> shift;
        look->lane = (int)lane;
        for (uint64_t i = from; i <= (look->address[lane] + (uint64_t)look->bytes - 1) >> shift;
             i++) {
            const struct check_other other = own->other[i];
            if (other.mark.time < own->cluster_base ||
                !(look->writes || other.mark.what & MARK_STRONG) || (look->writes && leaves(look)))
                continue;
            const struct block *block = block_numbered(look->warp->block->cluster, other.block);
            if (block && !is_mingled(block->check))
                check_tell_cluster(look, other.mark, other.block, other.mark.what & MARK_STRONG,
                                   look->warp->block);
        }
    }
}
