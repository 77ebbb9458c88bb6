/* check_global.c - the shadow of global memory: cells for what is touched, in pieces made as they are needed,
 * for one launch. Workers share them; a piece has a lock. Launches of one stream are in order, so no mark
 * outlives its launch.
 */
#include "machine/check.h"
#include "machine/module.h"

#include <string.h>

enum { PIECE_CELLS = 1024, SHEET_PIECES = 1024, SHEET_CELLS = SHEET_PIECES * PIECE_CELLS };
#define SHADOW_MOST (UINT64_C(1) << 30) /* bytes of shadows of a launch, unless it says otherwise */
#define SPARE_MOST (UINT64_C(1) << 27)  /* that are kept for the next one */

struct shadow_piece {
    atomic_flag lock;
    struct shadow_piece *next;  /* of those that are spare */
    struct other_reader *other; /* of all cells; NULL: none was needed */
    struct global_cell cell[PIECE_CELLS];
};
typedef _Atomic(struct shadow_piece *) shadow_slot;
/* Pieces side by side: of a large range a launch makes those sheets only that it touches. */
struct shadow_sheet {
    shadow_slot slot[SHEET_PIECES];
};
typedef _Atomic(struct shadow_sheet *) sheet_slot;
/* Of a range of memory. */
struct check_shadow {
    _Atomic(sheet_slot *) sheet; /* NULL: nothing of it was touched */
    size_t sheets;
};

/* ---- pieces ---------------------------------------------------------------------------------- */

/* One that is spare has marks of earlier launches, which are old. */
static struct shadow_piece *new_piece(struct machine_run *run)
{
    struct machine_memory *memory = run->memory;
    struct shadow_piece *piece = memory->spare_shadow;
    if (piece) {
        memory->spare_shadow = piece->next;
        return piece;
    }
    piece = memory->allocator.resize(memory->allocator.context, NULL, 0, sizeof *piece);
    if (piece) {
        memset(piece, 0, sizeof *piece);
        atomic_flag_clear(&piece->lock);
    }
    return piece;
}

static struct other_reader *others_of(struct machine_run *run, struct shadow_piece *piece)
{
    const struct allocator *allocator = &run->memory->allocator;
    const size_t bytes = PIECE_CELLS * sizeof *piece->other;
    if (piece->other)
        return piece->other;
    run_lock(run);
    piece->other = allocator->resize(allocator->context, NULL, 0, bytes);
    run_unlock(run);
    if (piece->other) {
        memset(piece->other, 0, bytes);
        atomic_fetch_add(&run->check->shadow_bytes, bytes);
    }
    return piece->other;
}

static void free_piece(struct machine_memory *memory, struct shadow_piece *piece)
{
    const struct allocator *allocator = &memory->allocator;
    if (piece->other)
        allocator->resize(allocator->context, piece->other, PIECE_CELLS * sizeof *piece->other, 0);
    allocator->resize(allocator->context, piece, sizeof *piece, 0);
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

static void keep_piece(struct machine_memory *memory, struct shadow_piece *piece, uint64_t *spare)
{
    *spare += sizeof *piece;
    if (*spare > SPARE_MOST) {
        free_piece(memory, piece);
        return;
    }
    piece->next = memory->spare_shadow;
    memory->spare_shadow = piece;
}

/* Memory of zeros; NULL: there is none. */
static void *new_zeros(struct machine_memory *memory, size_t bytes)
{
    void *zeros = memory->allocator.resize(memory->allocator.context, NULL, 0, bytes);
    return zeros ? memset(zeros, 0, bytes) : NULL;
}

static void end_shadow(struct machine_memory *memory, struct check_shadow *shadow, uint64_t *spare)
{
    const struct allocator *allocator = &memory->allocator;
    sheet_slot *sheets = atomic_load(&shadow->sheet);
    for (size_t i = 0; sheets && i < shadow->sheets; i++) {
        struct shadow_sheet *sheet = atomic_load_explicit(&sheets[i], memory_order_relaxed);
        for (size_t k = 0; sheet && k < SHEET_PIECES; k++) {
            struct shadow_piece *piece =
                atomic_load_explicit(&sheet->slot[k], memory_order_relaxed);
            if (piece)
                keep_piece(memory, piece, spare);
        }
        if (sheet)
            allocator->resize(allocator->context, sheet, sizeof *sheet, 0);
    }
    if (sheets)
        allocator->resize(allocator->context, sheets, shadow->sheets * sizeof *sheets, 0);
}

void check_global_end(struct machine_run *run)
{
    struct machine_memory *memory = run->memory;
    uint64_t spare = 0;
    for (const struct shadow_piece *piece = memory->spare_shadow; piece; piece = piece->next)
        spare += sizeof *piece;
    for (int i = 0; i < memory->ranges; i++)
        end_shadow(memory, &run->check->shadow[i], &spare);
    memory->checked_until = atomic_load(&run->check->latest);
    if (memory->checked_until > CHECK_LAST_TIME / 2) { /* the clocks begin again */
        check_free_spare(memory);
        memory->checked_until = 0;
    }
}

/* The sheets of a range, made when it is first touched. */
static sheet_slot *sheets_of(struct machine_run *run, struct check_shadow *shadow,
                             const struct machine_range *range)
{
    sheet_slot *sheets = atomic_load_explicit(&shadow->sheet, memory_order_acquire);
    if (sheets)
        return sheets;
    run_lock(run);
    sheets = atomic_load(&shadow->sheet);
    if (!sheets) {
        shadow->sheets = (size_t)(range->bytes >> run->check->shift[1]) / SHEET_CELLS + 1;
        sheets = new_zeros(run->memory, shadow->sheets * sizeof *sheets);
        atomic_store_explicit(&shadow->sheet, sheets, memory_order_release);
    }
    run_unlock(run);
    return sheets;
}

/* The same of one sheet. */
static struct shadow_sheet *sheet_in(struct machine_run *run, sheet_slot *slot)
{
    struct shadow_sheet *sheet = atomic_load_explicit(slot, memory_order_acquire);
    if (sheet)
        return sheet;
    run_lock(run);
    sheet = atomic_load(slot);
    if (!sheet) {
        sheet = new_zeros(run->memory, sizeof *sheet);
        atomic_store_explicit(slot, sheet, memory_order_release);
    }
    run_unlock(run);
    return sheet;
}

static struct shadow_piece *make_piece(struct machine_run *run, shadow_slot *slot)
{
    struct check *check = run->check;
    const uint64_t most = run->launch.shadow_bytes ? run->launch.shadow_bytes : SHADOW_MOST;
    run_lock(run);
    struct shadow_piece *piece = atomic_load(slot);
    if (!piece && atomic_load(&check->shadow_bytes) < most) {
        piece = new_piece(run);
        atomic_fetch_add(&check->shadow_bytes,
                         sizeof *piece +
                             (piece && piece->other ? PIECE_CELLS * sizeof *piece->other : 0));
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
    sheet_slot *sheets = sheets_of(run, shadow, range);
    struct shadow_sheet *sheet = sheets ? sheet_in(run, &sheets[cell / SHEET_CELLS]) : NULL;
    if (!sheet)
        return NULL;
    shadow_slot *slot = &sheet->slot[cell / PIECE_CELLS % SHEET_PIECES];
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

/* Pieces that a warp's access touches, one after the other. */
struct cursor {
    struct machine_run *run;
    struct shadow_piece *piece; /* locked */
    const struct machine_range *range;
    uint64_t number; /* of the piece in the range */
};

static inline struct shadow_piece *move_to(struct cursor *cursor, const struct machine_range *range,
                                           uint64_t number)
{
    if (cursor->piece && cursor->range == range && cursor->number == number)
        return cursor->piece;
    if (cursor->piece)
        unlock_piece(cursor->piece);
    cursor->range = range;
    cursor->number = number;
    cursor->piece = piece_of(cursor->run, range, number * PIECE_CELLS);
    if (cursor->piece)
        lock_piece(cursor->piece);
    return cursor->piece;
}

/* What a quick look at global memory needs besides. */
struct quick_block {
    struct quick quick;
    uint32_t start, block; /* of the launch; the block's number */
};

static inline bool is_quick(struct mark mark, uint32_t of, const struct quick_block *here,
                            uint32_t thread)
{
    return mark.time < here->start ||
           (of == here->block && mark_is_quick(mark, &here->quick, thread));
}

/* A cell that nobody has touched in this launch, or only this thread, or its block before the last barrier. */
static inline bool touch_quickly(struct global_cell *cell, const struct quick_block *here,
                                 bool writes, uint32_t thread)
{
    const struct mark read = cell->cell.read;
    const struct mark mine = {here->quick.time, here->quick.what | thread};
    if (!is_quick(cell->cell.write, cell->block[BLOCK_WRITE], here, thread) ||
        !is_quick(read, cell->block[BLOCK_READ], here, thread) ||
        (read.what & (MARK_MANY | MARK_MORE) && read.time >= here->start))
        return false;
    if (writes) {
        cell->cell = (struct cell){mine, {0, 0}};
        cell->block[BLOCK_WRITE] = here->block;
    } else {
        cell->cell.read = mine;
        cell->block[BLOCK_READ] = here->block;
    }
    return true;
}

static void touch_slowly(struct look *look, struct shadow_piece *piece, uint64_t number, int lane,
                         uint32_t thread)
{
    struct other_reader *other = others_of(look->warp->run, piece);
    look->lane = lane;
    look->thread = thread;
    check_cell(look, &piece->cell[number].cell, other ? &other[number] : NULL,
               piece->cell[number].block);
}

static inline void lane_cells(struct look *look, struct cursor *cursor, int lane, bool quickly,
                              const struct quick_block *here, int shift)
{
    const uint32_t thread = here->quick.first + (uint32_t)lane;
    const uint64_t from = look->address[lane] - look->range->address;
    const uint64_t first = from >> shift, last = (from + (uint64_t)look->bytes - 1) >> shift;
    for (uint64_t i = first; i <= last; i++) {
        struct shadow_piece *piece = move_to(cursor, look->range, i / PIECE_CELLS);
        if (!piece)
            return;
        look->offset = (int)((i - first) << shift);
        if (!quickly || !touch_quickly(&piece->cell[i % PIECE_CELLS], here, look->writes, thread))
            touch_slowly(look, piece, i % PIECE_CELLS, lane, thread);
    }
}

/* The lane goes into another range. */
static void enter_range(struct look *look, int lane)
{
    look->range = range_of(look->warp, look->address[lane], look->range);
    if (!look->range)
        return;
    if (!look->writes && !look->strong)
        note_look(look);
    if (look->access->chooses)
        acquit_looks(look);
}

void check_global_lanes(struct look *look)
{
    const struct machine_run *run = look->warp->run;
    struct cursor cursor = {.run = look->warp->run};
    const struct quick_block here = {quick_of(look), run->check->start,
                                     (uint32_t)look->warp->block->number};
    const int shift = run->check->shift[1];
    const bool single = look->bytes == 1 << shift, quickly = !look->strong;
    const bool writes = look->writes;
    uint64_t from = 0, bytes = 0; /* of the range */
    bool skip = false;
    look->range = look->warp->worker->range;
    FOR_LANES(lane, look->mask)
    {
        const uint64_t address = look->address[lane];
        if (address - from >= bytes) {
            enter_range(look, (int)lane);
            from = look->range ? look->range->address : 0;
            bytes = look->range ? look->range->bytes : 0;
            skip = !look->range || (look->range->read_only && !writes);
        }
        const uint64_t cell = (address - from) >> shift;
        if (skip || (single && quickly && cursor.piece && cell / PIECE_CELLS == cursor.number &&
                     cursor.range == look->range &&
                     touch_quickly(&cursor.piece->cell[cell % PIECE_CELLS], &here, writes,
                                   here.quick.first + (uint32_t)lane)))
            continue;
        lane_cells(look, &cursor, (int)lane, quickly, &here, shift);
    }
    if (cursor.piece)
        unlock_piece(cursor.piece);
}

void check_global_forget(struct machine_run *run, const struct machine_range *range, uint64_t from,
                         uint64_t bytes)
{
    const int shift = run->check->shift[1];
    const struct check_shadow *shadow = &run->check->shadow[range - run->memory->range];
    sheet_slot *sheets = atomic_load_explicit(&shadow->sheet, memory_order_acquire);
    for (uint64_t cell = from >> shift; sheets && cell <= (from + bytes - 1) >> shift; cell++) {
        struct shadow_sheet *sheet =
            atomic_load_explicit(&sheets[cell / SHEET_CELLS], memory_order_acquire);
        struct shadow_piece *piece =
            sheet ? atomic_load_explicit(&sheet->slot[cell / PIECE_CELLS % SHEET_PIECES],
                                         memory_order_acquire)
                  : NULL;
        if (!piece) {
            cell |= (sheet ? PIECE_CELLS : SHEET_CELLS) - 1;
            continue;
        }
        lock_piece(piece);
        piece->cell[cell % PIECE_CELLS].cell = (struct cell){.write = {0, 0}};
        unlock_piece(piece);
    }
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
    const bool own = cell->block[BLOCK_WRITE] == (uint32_t)warp->block->number &&
                     (write.what & MARK_THREAD) ==
                         warp->number * (uint32_t)warp->run->warp_lanes + (uint32_t)lane;
    if (write.time >= run->check->start && write.what & MARK_STRONG && !own)
        check_acquire(warp, write);
    unlock_piece(piece);
}
