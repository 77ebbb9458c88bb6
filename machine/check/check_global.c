/* check_global.c - the shadow of global memory: cells for what is touched, in pieces made as they are needed,
 * for one launch. Workers share them; a piece has a lock. Launches of one stream are in order, so no mark
 * outlives its launch.
 *
 * Most warps touch 32 cells side by side, lane i the i-th of them. The cells of such a row are alike but for the
 * threads, which follow each other, and so the row has one cell for all of them, that of its first:
 *
 *     a warp of threads 64-95 loads row 5      row 5: read by thread 64 (and so cell i by thread 64 + i)
 *     thread 3 stores to cell 7 of row 5       row 5 is mixed: each of its 32 cells stands by itself
 *
 * A row is mixed as soon as anything else touches it, and stays so until the launch ends.
 */
#include "machine/check/check.h"
#include "machine/lock.h"
#include "machine/module.h"

#include <string.h>

enum {
    ROW_CELLS = 32,
    PIECE_ROWS = 32,
    PIECE_CELLS = PIECE_ROWS * ROW_CELLS,
    SHEET_PIECES = 1024,
    SHEET_CELLS = SHEET_PIECES * PIECE_CELLS,
};
#define SHADOW_MOST (UINT64_C(1) << 30) /* bytes of shadows of a launch, unless it says otherwise */
#define SPARE_MOST (UINT64_C(1) << 27)  /* that are kept for the next one */

/* A cell, or of a row the first one, and the other reader of it. */
struct spot {
    struct global_cell cell;
    struct other_reader other;
};
struct shadow_piece {
    atomic_flag lock;
    uint32_t mixed;            /* a bit for each row */
    struct shadow_piece *next; /* of those that are spare */
    struct spot *cell;         /* [PIECE_CELLS], of rows that are mixed; NULL: none was yet */
    struct spot row[PIECE_ROWS];
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

/* Memory of zeros; NULL: there is none. */
static void *new_zeros(struct machine_memory *memory, size_t bytes)
{
    void *zeros = memory->allocator.resize(memory->allocator.context, NULL, 0, bytes);
    return zeros ? memset(zeros, 0, bytes) : NULL;
}

/* One that is spare has marks of earlier launches, which are old. */
static struct shadow_piece *new_piece(struct machine_memory *memory)
{
    struct shadow_piece *piece = memory->spare_shadow;
    if (piece) {
        memory->spare_shadow = piece->next;
        piece->mixed = 0;
        return piece;
    }
    piece = new_zeros(memory, sizeof *piece);
    if (piece)
        atomic_flag_clear(&piece->lock);
    return piece;
}

static size_t piece_bytes(const struct shadow_piece *piece)
{
    return sizeof *piece + (piece->cell ? PIECE_CELLS * sizeof *piece->cell : 0);
}

static void free_piece(struct machine_memory *memory, struct shadow_piece *piece)
{
    const struct allocator *allocator = &memory->allocator;
    if (piece->cell)
        allocator->resize(allocator->context, piece->cell, PIECE_CELLS * sizeof *piece->cell, 0);
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
    *spare += piece_bytes(piece);
    if (*spare > SPARE_MOST) {
        free_piece(memory, piece);
        return;
    }
    piece->next = memory->spare_shadow;
    memory->spare_shadow = piece;
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
        spare += piece_bytes(piece);
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

/* A sheet, made when a cell of it is first touched. NULL: no memory. */
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

/* Whether there is room for more shadows; if not, the launch is checked in part. */
static bool has_room(struct machine_run *run)
{
    const uint64_t most = run->launch.shadow_bytes ? run->launch.shadow_bytes : SHADOW_MOST;
    const bool room = atomic_load_explicit(&run->check->shadow_bytes, memory_order_relaxed) < most;
    if (!room)
        atomic_store_explicit(&run->check->overflowed, true, memory_order_relaxed);
    return room;
}

static struct shadow_piece *make_piece(struct machine_run *run, shadow_slot *slot)
{
    if (!has_room(run))
        return NULL;
    run_lock(run);
    struct shadow_piece *piece = atomic_load(slot);
    if (!piece) {
        piece = new_piece(run->memory);
        if (piece)
            atomic_fetch_add(&run->check->shadow_bytes, piece_bytes(piece));
        else
            atomic_store(&run->check->overflowed, true);
        atomic_store_explicit(slot, piece, memory_order_release);
    }
    run_unlock(run);
    return piece;
}

/* Cells for rows that are mixed. false: there is no memory for them. */
static bool make_cells(struct machine_run *run, struct shadow_piece *piece)
{
    const size_t bytes = PIECE_CELLS * sizeof *piece->cell;
    if (piece->cell)
        return true;
    if (!has_room(run))
        return false;
    run_lock(run);
    piece->cell = new_zeros(run->memory, bytes);
    run_unlock(run);
    if (piece->cell)
        atomic_fetch_add(&run->check->shadow_bytes, bytes);
    else
        atomic_store(&run->check->overflowed, true);
    return piece->cell != NULL;
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
    lock_take(&piece->lock);
}

static void unlock_piece(struct shadow_piece *piece)
{
    lock_give(&piece->lock);
}

/* The spot of a cell of the piece, whose row is mixed if it was not. NULL: there is no memory for it. */
static inline struct spot *spot_of(struct machine_run *run, struct shadow_piece *piece,
                                   uint64_t cell)
{
    const uint64_t number = cell % PIECE_CELLS, row = number / ROW_CELLS;
    if (!(piece->mixed >> row & 1)) {
        if (!make_cells(run, piece))
            return NULL;
        for (uint32_t i = 0; i < ROW_CELLS; i++) {
            struct spot *spot = &piece->cell[row * ROW_CELLS + i];
            *spot = piece->row[row];
            spot->cell.cell.write.what += i;
            spot->cell.cell.read.what += i;
            spot->other.read.what += i;
        }
        piece->mixed |= UINT32_C(1) << row;
    }
    return &piece->cell[number];
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

/* A store to a cell that nobody has touched in this launch, or only this thread, or its block before the last
 * barrier. */
static inline bool store_quickly(struct global_cell *cell, const struct quick *quick,
                                 uint32_t thread)
{
    const struct mark read = cell->cell.read;
    if (!is_quick(cell->cell.write, cell->block[BLOCK_WRITE], quick, thread) ||
        !is_quick(read, cell->block[BLOCK_READ], quick, thread) ||
        (read.what & (MARK_MANY | MARK_MORE) && read.time >= quick->launch))
        return false;
    cell->cell = (struct cell){{quick->time, quick->what | thread}, {0, 0}};
    cell->block[BLOCK_WRITE] = quick->block;
    return true;
}

/* A load from a cell into which nobody has stored in this launch, or only this thread, or its block before the last
 * barrier. */
static inline bool load_quickly(struct spot *spot, const struct quick *quick, uint32_t thread)
{
    struct global_cell *cell = &spot->cell;
    if (!is_quick(cell->cell.write, cell->block[BLOCK_WRITE], quick, thread))
        return false;
    note_reader(&cell->cell.read, &cell->block[BLOCK_READ], &spot->other, quick, thread);
    return true;
}

static inline bool touch_quickly(const struct look *look, struct spot *spot,
                                 const struct quick *quick, uint32_t thread)
{
    return !look->strong && (look->writes ? store_quickly(&spot->cell, quick, thread)
                                          : load_quickly(spot, quick, thread));
}

/* The spot is one of the piece, which is locked. */
static inline void touch(struct look *look, struct shadow_piece *piece, struct spot *spot,
                         const struct quick *quick, int lane)
{
    const uint32_t thread = quick->first + (uint32_t)lane;
    if (!spot || touch_quickly(look, spot, quick, thread))
        return;
    look->lane = lane;
    look->thread = thread;
    look->waited = false;
    check_cell(look, &spot->cell.cell, &spot->other, spot->cell.block);
    while (look->unsettled) {
        unlock_piece(piece);
        check_wait(look);
        lock_piece(piece);
        check_cell(look, &spot->cell.cell, &spot->other, spot->cell.block);
    }
}

/* A load of one cell into which nobody has stored in this launch, or its block before the last barrier: lanes that
 * load the same change nothing but the reader's thread. */
static inline bool is_repeatable(const struct look *look, const struct spot *spot,
                                 const struct quick *quick)
{
    const struct mark write = spot->cell.cell.write;
    return !look->writes && !look->strong &&
           write.time <
               (spot->cell.block[BLOCK_WRITE] == quick->block ? quick->base : quick->launch);
}

static inline void repeat(struct spot *spot, uint32_t thread)
{
    uint32_t *what = &spot->cell.cell.read.what;
    *what = (*what & ~(uint32_t)MARK_THREAD) | MARK_MANY | thread;
}

/* The cells of what the lane touches. The last one, if there is one only. */
static inline struct spot *lane_cells(struct look *look, struct cursor *cursor, int lane,
                                      const struct quick *quick, int shift)
{
    const uint64_t from = look->address[lane] - look->range->address;
    const uint64_t first = from >> shift, last = (from + (uint64_t)look->bytes - 1) >> shift;
    struct spot *spot = NULL;
    for (uint64_t i = first; i <= last; i++) {
        struct shadow_piece *piece = move_to(cursor, look->range, i / PIECE_CELLS);
        if (!piece)
            return NULL;
        look->offset = (int)((i - first) << shift);
        spot = spot_of(cursor->run, piece, i);
        touch(look, piece, spot, quick, lane);
    }
    return first == last && spot && is_repeatable(look, spot, quick) ? spot : NULL;
}

/* The lanes touch a row, lane by lane. false: it is not one, or mixed, or a quick look is not enough. */
static bool touch_row(struct look *look, struct cursor *cursor, const struct quick *quick,
                      int shift)
{
    const uint64_t from = look->address[0] - look->range->address, cell = from >> shift;
    if (!look->in_line || look->bytes != 1 << shift || quick->lanes != ROW_CELLS ||
        cell % ROW_CELLS || (uint64_t)look->bytes * ROW_CELLS > look->range->bytes - from)
        return false;
    struct shadow_piece *piece = move_to(cursor, look->range, cell / PIECE_CELLS);
    const uint64_t row = cell % PIECE_CELLS / ROW_CELLS;
    return !piece || (!(piece->mixed >> row & 1) &&
                      touch_quickly(look, &piece->row[row], quick, quick->first));
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

/* Whether a range has no shadow: nobody knows it, or nothing changes it. */
static bool is_bare(const struct look *look)
{
    return !look->range || (look->range->read_only && !look->writes);
}

void check_global_lanes(struct look *look)
{
    struct machine_run *run = look->warp->run;
    struct cursor cursor = {.run = run};
    const struct quick quick = quick_of(look);
    const int shift = run->check->shift[1], lead = __builtin_ctzll(look->mask);
    look->range = look->warp->worker->range;
    enter_range(look, lead);
    bool bare = is_bare(look);
    struct spot *last = NULL; /* of the lane before, if it may be repeated */
    uint64_t before = 0;
    const bool done = !bare && touch_row(look, &cursor, &quick, shift);
    FOR_LANES(lane, done ? 0 : look->mask)
    {
        const uint64_t address = look->address[lane];
        if (last && address == before) {
            repeat(last, quick.first + (uint32_t)lane);
            continue;
        }
        if (!look->range || address - look->range->address >= look->range->bytes) {
            enter_range(look, (int)lane);
            bare = is_bare(look);
        }
        last = bare ? NULL : lane_cells(look, &cursor, (int)lane, &quick, shift);
        before = address;
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
        struct spot *spot = spot_of(run, piece, cell);
        if (spot)
            spot->cell.cell = (struct cell){.write = {0, 0}};
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
    const struct spot *spot =
        spot_of(run, piece, (address - range->address) >> run->check->shift[1]);
    const struct mark write = spot ? spot->cell.cell.write : (struct mark){0, 0};
    const bool own = spot && spot->cell.block[BLOCK_WRITE] == (uint32_t)warp->block->number &&
                     (write.what & MARK_THREAD) ==
                         warp->number * (uint32_t)warp->run->warp_lanes + (uint32_t)lane;
    if (write.time >= run->check->start && write.what & MARK_STRONG && !own)
        check_acquire(warp, write);
    unlock_piece(piece);
}
