/* check_global.c - the shadow of global memory: cells for what is touched, in pieces made as they are needed,
 * for one launch. Workers share them; a piece has a lock. Launches of one stream are in order, so no mark
 * outlives its launch.
 */
#include "machine/check.h"
#include "machine/module.h"

#include <string.h>

enum { PIECE_CELLS = 1024 };
#define SHADOW_MOST (UINT64_C(1) << 30) /* bytes of shadows of a launch */
#define SPARE_MOST (UINT64_C(1) << 27)  /* that are kept for the next one */

struct shadow_piece {
    atomic_flag lock;
    struct shadow_piece *next; /* of those that are spare */
    struct global_cell cell[PIECE_CELLS];
};
typedef _Atomic(struct shadow_piece *) shadow_slot;
/* Of a range of memory. */
struct check_shadow {
    _Atomic(shadow_slot *) slot;
    size_t slots;
};

/* ---- pieces ---------------------------------------------------------------------------------- */

static struct shadow_piece *new_piece(struct machine_run *run)
{
    struct machine_memory *memory = run->memory;
    struct shadow_piece *piece = memory->spare_shadow;
    if (piece)
        memory->spare_shadow = piece->next;
    else
        piece = memory->allocator.resize(memory->allocator.context, NULL, 0, sizeof *piece);
    if (!piece)
        return NULL;
    memset(piece, 0, sizeof *piece);
    atomic_flag_clear(&piece->lock);
    return piece;
}

static void free_piece(struct machine_memory *memory, struct shadow_piece *piece)
{
    memory->allocator.resize(memory->allocator.context, piece, sizeof *piece, 0);
}

void check_free_spare(struct machine_memory *memory)
{
    while (memory->spare_shadow) {
        struct shadow_piece *piece = memory->spare_shadow;
        memory->spare_shadow = piece->next;
        free_piece(memory, piece);
    }
}

bool check_global_begin(struct machine_run *run)
{
    struct check *check = run->check;
    check->shadow =
        arena_new(&run->arena, ((size_t)run->memory->ranges + 1) * sizeof *check->shadow);
    return check->shadow != NULL;
}

void check_global_end(struct machine_run *run)
{
    struct machine_memory *memory = run->memory;
    uint64_t spare = 0;
    for (int i = 0; i < memory->ranges; i++) {
        struct check_shadow *shadow = &run->check->shadow[i];
        shadow_slot *slot = atomic_load(&shadow->slot);
        for (size_t k = 0; slot && k < shadow->slots; k++) {
            struct shadow_piece *piece = atomic_load_explicit(&slot[k], memory_order_relaxed);
            if (!piece)
                continue;
            spare += sizeof *piece;
            if (spare > SPARE_MOST) {
                free_piece(memory, piece);
                continue;
            }
            piece->next = memory->spare_shadow;
            memory->spare_shadow = piece;
        }
        if (slot)
            memory->allocator.resize(memory->allocator.context, slot, shadow->slots * sizeof *slot,
                                     0);
    }
}

/* The slots of a range, made when it is first touched. */
static shadow_slot *slots_of(struct machine_run *run, struct check_shadow *shadow,
                             const struct machine_range *range)
{
    struct machine_memory *memory = run->memory;
    shadow_slot *slot = atomic_load_explicit(&shadow->slot, memory_order_acquire);
    if (slot)
        return slot;
    run_lock(run);
    slot = atomic_load(&shadow->slot);
    if (!slot) {
        const size_t slots = (size_t)(range->bytes >> run->check->shift[1]) / PIECE_CELLS + 1;
        slot = memory->allocator.resize(memory->allocator.context, NULL, 0, slots * sizeof *slot);
        if (slot) {
            memset((void *)slot, 0, slots * sizeof *slot);
            shadow->slots = slots;
            atomic_store_explicit(&shadow->slot, slot, memory_order_release);
        }
    }
    run_unlock(run);
    return slot;
}

static struct shadow_piece *make_piece(struct machine_run *run, shadow_slot *slot)
{
    struct check *check = run->check;
    run_lock(run);
    struct shadow_piece *piece = atomic_load(slot);
    if (!piece && atomic_load(&check->shadow_bytes) < SHADOW_MOST) {
        piece = new_piece(run);
        atomic_fetch_add(&check->shadow_bytes, sizeof *piece);
        atomic_store_explicit(slot, piece, memory_order_release);
    }
    if (!piece)
        atomic_store(&check->overflowed, true);
    run_unlock(run);
    return piece;
}

/* The piece that has a cell of the range. NULL: there is no memory for it. */
static struct shadow_piece *piece_of(struct machine_run *run, const struct machine_range *range,
                                     uint64_t cell)
{
    struct check_shadow *shadow = &run->check->shadow[range - run->memory->range];
    shadow_slot *slot = slots_of(run, shadow, range);
    if (!slot)
        return NULL;
    slot += cell / PIECE_CELLS;
    struct shadow_piece *piece = atomic_load_explicit(slot, memory_order_acquire);
    return piece ? piece : make_piece(run, slot);
}

static void lock_piece(struct shadow_piece *piece)
{
    while (atomic_flag_test_and_set_explicit(&piece->lock, memory_order_acquire))
        ;
}

static void unlock_piece(struct shadow_piece *piece)
{
    atomic_flag_clear_explicit(&piece->lock, memory_order_release);
}

/* The range of an address; the one that was found last is looked at first. */
static const struct machine_range *range_of(struct warp *warp, uint64_t address,
                                            const struct machine_range *last)
{
    return last && address - last->address < last->bytes && !last->freed
               ? last
               : machine_memory_find(warp->run->memory, address);
}

/* ---- loads that look before an atomic operation ------------------------------------------------ */

static void note_look(struct look *look)
{
    struct check_look *last = &look->own->look[(look->own->looks + LOOKS - 1) % LOOKS];
    const uint32_t place = look->what >> MARK_PLACE;
    if (last->place == place && last->range == look->range) {
        last->time = look->block->time;
        return;
    }
    look->own->look[look->own->looks % LOOKS] =
        (struct check_look){look->range, place, look->block->time};
    look->own->looks++;
}

/* An atomic operation that leaves one of two values: what its warp has loaded of that allocation since
 * the last barrier may have been what it chose from. */
static void acquit_looks(const struct look *look)
{
    for (int i = 0; i < LOOKS; i++) {
        const struct check_look *before = &look->own->look[i];
        if (before->range == look->range && before->time >= look->block->base)
            finding_acquit(look->warp->run, before->place);
    }
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static void lane_cells(struct look *look, struct shadow_piece **held, uint64_t lane)
{
    struct machine_run *run = look->warp->run;
    const int shift = run->check->shift[1];
    const uint64_t from = look->address[lane] - look->range->address;
    const uint64_t first = from >> shift, last = (from + (uint64_t)look->bytes - 1) >> shift;
    for (uint64_t i = first; i <= last; i++) {
        struct shadow_piece *piece = piece_of(run, look->range, i);
        if (piece != *held) {
            if (*held)
                unlock_piece(*held);
            if (piece)
                lock_piece(piece);
            *held = piece;
        }
        if (!piece)
            return;
        struct global_cell *cell = &piece->cell[i % PIECE_CELLS];
        look->offset = (int)((i - first) << shift);
        check_cell(look, &cell->cell, cell->block);
    }
}

void check_global_lanes(struct look *look)
{
    struct shadow_piece *held = NULL;
    const bool plain_load = !look->writes && !look->strong;
    const bool chooses = look->access->chooses;
    const uint32_t first = look->warp->number * (uint32_t)look->warp->run->warp_lanes;
    look->range = look->warp->worker->range;
    FOR_LANES(lane, look->mask)
    {
        const struct machine_range *before = look->range;
        look->range = range_of(look->warp, look->address[lane], look->range);
        if (!look->range || (look->range->read_only && !look->writes))
            continue;
        look->lane = (int)lane;
        look->thread = first + (uint32_t)lane;
        if (look->range != before || lane == (uint64_t)__builtin_ctzll(look->mask)) {
            if (plain_load)
                note_look(look);
            if (chooses)
                acquit_looks(look);
        }
        lane_cells(look, &held, lane);
    }
    if (held)
        unlock_piece(held);
}

void check_global_seen(struct warp *warp, int lane, uint64_t address)
{
    struct machine_run *run = warp->run;
    const struct machine_range *range = range_of(warp, address, warp->worker->range);
    struct shadow_piece *piece =
        range ? piece_of(run, range, (address - range->address) >> run->check->shift[1]) : NULL;
    if (!piece)
        return;
    lock_piece(piece);
    const struct global_cell *cell =
        &piece->cell[((address - range->address) >> run->check->shift[1]) % PIECE_CELLS];
    const struct mark write = cell->cell.write;
    const bool own = cell->block[0] == (uint32_t)warp->block->number &&
                     (write.what & MARK_THREAD) ==
                         warp->number * (uint32_t)warp->run->warp_lanes + (uint32_t)lane;
    if (write.time && write.what & MARK_STRONG && !own)
        check_acquire(warp, write);
    unlock_piece(piece);
}
