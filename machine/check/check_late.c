/* check_late.c - what wgmma and bulk copies to global memory may still read of shared memory: who writes there before their
 * thread has waited for them, or without having been put in order behind that.
 *
 *     wgmma.mma_async ...;          reads A and B        cp.async.bulk.global.shared::cta ...;      reads its source
 *     wgmma.commit_group;           of a group           cp.async.bulk.commit_group;
 *     wgmma.wait_group N;           read, but for the    cp.async.bulk.wait_group N;
 *                                   last N groups
 *
 * A cell has the last such reader, of two groups of four warps each; a warp (of products) and a lane (of copies) have
 * when they waited for which groups. A product is over when one of its four warps has seen so.
 */
#include "machine/check/check.h"

#include <string.h>

enum { WAITS = 8, READERS = 2, PRODUCTS = MACHINE_LANES, PRODUCT_WARPS = 4 };

/* A reader: when it began; MARK_STRONG: it is a product. */
struct check_late {
    struct mark mark;
    uint32_t group; /* of its warp or thread */
};

/* Groups of a warp's products, or of a lane's copies. */
struct check_waits {
    uint32_t open; /* the group that the next one is of */
    uint32_t
        waits; /* that have been, and the last of them: groups below `over` are, since that time */
    struct {
        uint32_t over, time;
    } wait[WAITS];
};

bool check_late_begin(struct check_block *block, struct arena *arena)
{
    block->late = arena_new(arena, (size_t)block->cells * READERS * sizeof *block->late);
    return block->late != NULL;
}

void check_late_forget(struct check_warp *own)
{
    if (own->waits)
        memset(own->waits, 0, (PRODUCTS + 1) * sizeof *own->waits);
}

static struct check_waits *waits_of(struct warp *warp)
{
    struct check_warp *own = &warp->block->check->warp[warp->number];
    if (!own->waits)
        own->waits = run_new(warp->run, &warp->worker->arena, (PRODUCTS + 1) * sizeof *own->waits);
    return own->waits;
}

/* The lanes whose groups these are: one row, of products. */
static uint64_t rows_of(const struct warp *warp, bool products)
{
    return products ? UINT64_C(1) : warp->mask;
}

void check_late_commit(struct warp *warp, bool products)
{
    struct check_waits *waits = warp->run->check ? waits_of(warp) : NULL;
    FOR_LANES(i, waits ? rows_of(warp, products) : 0)
    waits[products ? PRODUCTS : i].open++;
}

void check_late_wait(struct warp *warp, bool products, int64_t left)
{
    struct check_waits *waits = warp->run->check ? waits_of(warp) : NULL;
    FOR_LANES(i, waits ? rows_of(warp, products) : 0)
    {
        struct check_waits *row = &waits[products ? PRODUCTS : i];
        if ((int64_t)row->open <= left)
            continue;
        const uint32_t over = row->open - (uint32_t)left;
        if (!row->waits || row->wait[(row->waits - 1) % WAITS].over < over) {
            row->wait[row->waits % WAITS].over = over;
            row->wait[row->waits++ % WAITS].time = warp->block->check->time;
        }
    }
}

uint32_t check_late_open(struct warp *warp)
{
    const struct check_waits *waits = waits_of(warp);
    return waits ? waits[PRODUCTS].open : 0;
}

uint32_t check_late_over(struct warp *warp)
{
    const struct check_waits *waits = waits_of(warp), *row = waits ? &waits[PRODUCTS] : NULL;
    return row && row->waits ? row->wait[(row->waits - 1) % WAITS].over : 0;
}

void check_late_read(const struct look *look)
{
    struct check_block *block = look->block;
    struct warp *warp = look->warp;
    const struct check_waits *waits = block->late ? waits_of(warp) : NULL;
    const bool product = look->access->op == OP_WGMMA_LOAD;
    const int shift = warp->run->check->shift[0];
    const uint32_t first = warp->number * (uint32_t)warp->run->warp_lanes;
    FOR_LANES(lane, waits ? look->mask : 0)
    {
        const struct check_late late = {{block->time, look->what | (product ? MARK_STRONG : 0) |
                                                          (first + (product ? 0 : (uint32_t)lane))},
                                        waits[product ? PRODUCTS : lane].open};
        const uint64_t from = look->address[lane] >> shift;
        for (uint64_t i = from; i < from + (uint64_t)(look->bytes >> shift); i++)
            block->late[i * READERS + warp->number / PRODUCT_WARPS % READERS] = late;
    }
}

/* When the row's thread waited for the group; 0: it has not; UINT32_MAX: long ago. */
static uint32_t waited(const struct check_waits *row, uint32_t group)
{
    const uint32_t oldest = row->waits > WAITS ? row->waits - WAITS : 0;
    for (uint32_t i = oldest; i < row->waits; i++)
        if (row->wait[i % WAITS].over > group)
            return oldest && i == oldest ? UINT32_MAX : row->wait[i % WAITS].time;
    return 0;
}

enum late { LATE_READS, LATE_UNORDERED, LATE_OVER };

/* look: of the writer; NULL: whose order is not known. */
static enum late state_of(const struct look *look, const struct check_block *block, uint32_t lanes,
                          const struct check_late *late)
{
    const bool product = late->mark.what & MARK_STRONG;
    const uint32_t thread = late->mark.what & MARK_THREAD, of = thread / lanes;
    const uint32_t from = product ? of / PRODUCT_WARPS * PRODUCT_WARPS : of;
    enum late state = LATE_READS;
    for (uint32_t i = from; i < (uint32_t)block->warps && i < from + (product ? PRODUCT_WARPS : 1);
         i++) {
        const struct check_waits *waits = block->warp[i].waits;
        const uint32_t time =
            waits ? waited(&waits[product ? PRODUCTS : thread % lanes], late->group) : 0;
        if (!time)
            continue;
        state = LATE_UNORDERED;
        if (!look || time == UINT32_MAX || i == look->warp->number ||
            check_in_order(look, (struct mark){time, i * lanes + (product ? 0 : thread % lanes)},
                           0))
            return LATE_OVER;
    }
    return state;
}

void check_late_writes(struct look *look, struct check_block *block, bool ordered)
{
    const int shift = look->warp->run->check->shift[0];
    const uint32_t lanes = (uint32_t)look->warp->run->warp_lanes;
    FOR_LANES(lane, look->mask)
    {
        const uint64_t from = look->address[lane] >> shift;
        const uint64_t behind = from + (uint64_t)(look->bytes >> shift ? look->bytes >> shift : 1);
        look->lane = (int)lane;
        look->thread = look->warp->number * lanes + (uint32_t)lane;
        for (uint64_t i = from * READERS; i < behind * READERS; i++) {
            struct check_late *late = &block->late[i];
            if (late->mark.time < block->start)
                continue;
            const enum late state = state_of(ordered ? look : NULL, block, lanes, late);
            if (state != LATE_OVER)
                check_tell_overwrite(look, late->mark, state == LATE_READS);
            late->mark.time = 0;
        }
    }
}
