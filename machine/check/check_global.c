/* check_global.c - the shadow of global memory: cells for what is touched, in pieces made as they are needed,
 * for one launch. Workers share them; a piece has a lock. Launches of one stream are in order, so no mark
 * outlives its launch.
 *
 * Most warps touch 32 cells side by side, lane i the i-th of them, or halves of them 16. The cells of such a pair of rows, or of
 * a row, are alike but for the threads, which follow each other, and so one cell stands for all of them, the first:
 *
 *     threads 64-95 load rows 6 and 7          the pair: read by thread 64 (and so cell i by thread 64 + i)
 *     threads 32-47 load row 6                 apart: row 6 read by thread 32, row 7 by thread 80
 *     thread 3 stores to cell 7 of row 6       row 6 is mixed: each of its 16 cells stands by itself
 *
 * Rows are apart, or mixed, as soon as anything else touches them, and stay so until the launch ends. Whole rows are touched in
 * operations/pattern.inc, what goes lane by lane is here.
 */
#include "machine/check/track.h"
#include "machine/lock.h"
#include "machine/module.h"

#include <string.h>

#define SHADOW_MOST (UINT64_C(1) << 30) /* bytes of shadows of a launch, unless it says otherwise */
#define SPARE_MOST (UINT64_C(1) << 27)  /* that are kept for the next one */

typedef _Atomic(struct shadow_piece *) shadow_slot;
enum { SHEET_PIECES = 1024, SHEET_CELLS = SHEET_PIECES * PIECE_CELLS };
/* Pieces side by side: of a large range a launch makes those sheets only that it touches. */
struct shadow_sheet {
    shadow_slot slot[SHEET_PIECES];
};
typedef _Atomic(struct shadow_sheet *) sheet_slot;
/* The shadow of a range of memory. */
struct check_shadow {
    _Atomic(sheet_slot *) sheet; /* NULL: nothing of it was touched */
    size_t sheets;
};

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Memory of zeros; NULL: there is none, and the launch is checked in part. */
static void *new_zeros(struct machine_run *run, size_t bytes)
{
    void *zeros = run->allocator.resize(run->allocator.context, NULL, 0, bytes);
    if (!zeros)
        atomic_store(&run->check->overflowed, true);
    return zeros ? memset(zeros, 0, bytes) : NULL;
}

/* One that is spare has marks of earlier launches, which are old. */
static struct shadow_piece *new_piece(struct machine_run *run)
{
    struct shadow_piece *piece = run->memory->spare_shadow;
    if (piece) {
        run->memory->spare_shadow = piece->next;
        piece->mixed = 0;
        piece->apart = 0;
        return piece;
    }
    piece = new_zeros(run, sizeof *piece);
    if (piece)
        atomic_flag_clear(&piece->lock);
    return piece;
}

static size_t piece_bytes(const struct shadow_piece *piece)
{
    return sizeof *piece + (piece->cell ? sizeof *piece->cell : 0);
}

static void free_piece(struct machine_memory *memory, struct shadow_piece *piece)
{
    const struct allocator *allocator = &memory->allocator;
    if (piece->cell)
        allocator->resize(allocator->context, piece->cell, sizeof *piece->cell, 0);
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
    if (memory->checked_until < atomic_load(&run->check->latest))
        memory->checked_until = atomic_load(&run->check->latest);
    if (memory->checked_until > CHECK_LAST_TIME / 2) { /* the clocks begin again */
        check_free_spare(memory);
        memory->checked_until = 0;
    }
}

/* ---- what a launch touched --------------------------------------------------------------------- */

/* Bytes side by side that were touched alike, as far as they are known. */
struct touched {
    const struct check *check;
    void (*tell)(void *context, enum machine_touch touch, uint64_t address, uint64_t bytes);
    void *context;
    enum machine_touch touch;
    uint64_t address, bytes; /* 0: none yet */
};

static void tell_touched(struct touched *touched)
{
    if (touched->bytes)
        touched->tell(touched->context, touched->touch, touched->address, touched->bytes);
    touched->bytes = 0;
}

static void add_touched(struct touched *touched, enum machine_touch touch, uint64_t address,
                        uint64_t bytes)
{
    if (touched->bytes && touched->touch == touch && touched->address + touched->bytes == address) {
        touched->bytes += bytes;
        return;
    }
    tell_touched(touched);
    touched->touch = touch;
    touched->address = address;
    touched->bytes = bytes;
}

/* What was done to a cell; MACHINE_TOUCHES: nothing. */
static enum machine_touch touch_of(const struct check *check, struct mark write, struct mark read)
{
    const bool strong = write.what & MARK_STRONG && !mark_is_stored(write);
    if (write.time >= check->start)
        return strong ? MACHINE_TOUCH_STORED_STRONG : MACHINE_TOUCH_STORED;
    if (read.time >= check->start)
        return read.what & MARK_STRONG ? MACHINE_TOUCH_READ_STRONG : MACHINE_TOUCH_READ;
    return MACHINE_TOUCHES;
}

static void touched_piece(void *context, struct shadow_piece *piece, uint64_t address)
{
    struct touched *touched = context;
    const struct check *check = touched->check;
    for (uint32_t row = 0; row < PIECE_ROWS; row++) {
        const bool mixed = piece->mixed >> row & 1;
        const struct cells cells = mixed ? shadow_cells(piece) : shadow_rows(piece);
        const uint32_t count = mixed ? ROW_CELLS : 1, first = (uint32_t)first_mark(piece, row);
        for (uint32_t i = first; i < first + count; i++) {
            const enum machine_touch touch = touch_of(check, cells.write[i], cells.read[i]);
            const uint64_t cell = row * ROW_CELLS + (i - first);
            if (touch < MACHINE_TOUCHES)
                add_touched(touched, touch, address + (cell << check->shift[1]),
                            (uint64_t)(ROW_CELLS / count) << check->shift[1]);
        }
    }
}

void check_each_piece(const struct machine_run *run,
                      void (*each)(void *context, struct shadow_piece *piece, uint64_t address),
                      void *context)
{
    const struct check *check = run->check;
    for (int r = 0; r < run->memory->ranges; r++) {
        const struct machine_range *range = &run->memory->range[r];
        sheet_slot *sheets = atomic_load(&check->shadow[r].sheet);
        if (range->kind == MACHINE_HEAP || range->kind == MACHINE_PASSED)
            continue;
        for (size_t i = 0; sheets && i < check->shadow[r].sheets; i++) {
            struct shadow_sheet *sheet = atomic_load(&sheets[i]);
            for (size_t k = 0; sheet && k < SHEET_PIECES; k++) {
                struct shadow_piece *piece = atomic_load(&sheet->slot[k]);
                const uint64_t first = (i * SHEET_PIECES + k) * PIECE_CELLS;
                if (piece)
                    each(context, piece, range->address + (first << check->shift[1]));
            }
        }
    }
}

bool machine_touched(const struct machine_run *run,
                     void (*tell)(void *context, enum machine_touch touch, uint64_t address,
                                  uint64_t bytes),
                     void *context)
{
    struct touched touched = {.check = run->check, .tell = tell, .context = context};
    if (!run->check)
        return false;
    check_each_piece(run, touched_piece, &touched);
    tell_touched(&touched);
    return !atomic_load(&run->check->overflowed);
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
        sheets = new_zeros(run, shadow->sheets * sizeof *sheets);
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
        sheet = new_zeros(run, sizeof *sheet);
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
        piece = new_piece(run);
        if (piece)
            atomic_fetch_add(&run->check->shadow_bytes, piece_bytes(piece));
        atomic_store_explicit(slot, piece, memory_order_release);
    }
    run_unlock(run);
    return piece;
}

/* Cells for rows that are mixed. false: there is no memory for them. */
static bool make_cells(struct machine_run *run, struct shadow_piece *piece)
{
    const size_t bytes = sizeof *piece->cell;
    if (piece->cell)
        return true;
    if (!has_room(run))
        return false;
    run_lock(run);
    piece->cell = new_zeros(run, bytes);
    run_unlock(run);
    if (piece->cell)
        atomic_fetch_add(&run->check->shadow_bytes, bytes);
    return piece->cell != NULL;
}

struct shadow_piece *check_piece(struct machine_run *run, const struct machine_range *range,
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

#ifndef __wasm__ /* which has no such instruction */
void check_ask(const struct machine_run *run, const struct machine_range *range, int count,
               const uint64_t *cell, bool writes)
{
    struct check_shadow *shadow = &run->check->shadow[range - run->memory->range];
    sheet_slot *sheets = atomic_load_explicit(&shadow->sheet, memory_order_acquire);
    struct shadow_piece *piece[MACHINE_LANES];
    for (int i = 0; sheets && i < count; i++) {
        struct shadow_sheet *sheet =
            atomic_load_explicit(&sheets[cell[i] / SHEET_CELLS], memory_order_acquire);
        piece[i] = sheet ? atomic_load_explicit(&sheet->slot[cell[i] / PIECE_CELLS % SHEET_PIECES],
                                                memory_order_acquire)
                         : NULL;
        if (piece[i])
            __builtin_prefetch(piece[i], 1);
    }
    for (int i = 0; sheets && i < count; i++) {
        struct shadow_cells *cells =
            piece[i] ? atomic_load_explicit(&piece[i]->cell, memory_order_acquire) : NULL;
        const uint64_t at = cell[i] % PIECE_CELLS;
        for (int k = 0; cells && k < (writes ? MARK_OTHER : MARKS); k++) {
            __builtin_prefetch(&cells->mark[k][at], 1);
            __builtin_prefetch(&cells->block[k][at], 1);
        }
    }
}
#endif

/* Whether the launch has touched cells for which a mark of rows stands. */
static bool is_touched(const struct machine_run *run, const struct shadow_piece *piece,
                       uint64_t row)
{
    bool touched = false;
    for (int k = 0; k < MARKS; k++)
        touched |= piece->mark[k][row_at(row)].time >= run->check->start;
    return touched;
}

/* What rows and cells have of earlier launches is as good as what stood for them. */
void check_part(const struct machine_run *run, struct shadow_piece *piece, uint64_t pair)
{
    if (piece->apart >> pair & 1)
        return;
    const uint64_t first = row_at(2 * pair), second = row_at(2 * pair + 1);
    for (int k = 0; is_touched(run, piece, 2 * pair) && k < MARKS; k++) {
        piece->mark[k][second] = piece->mark[k][first];
        piece->mark[k][second].what += ROW_CELLS;
        piece->block[k][second] = piece->block[k][first];
    }
    piece->apart |= UINT32_C(1) << pair;
}

/* The row's cells stand by themselves from now on. */
static void mix(const struct machine_run *run, struct shadow_piece *piece, uint64_t row)
{
    check_part(run, piece, row / 2);
    for (int k = 0; is_touched(run, piece, row) && k < MARKS; k++)
        for (uint32_t i = 0; i < ROW_CELLS; i++) {
            struct mark *mark = &piece->cell->mark[k][row * ROW_CELLS + i];
            *mark = piece->mark[k][row_at(row)];
            mark->what += i;
            piece->cell->block[k][row * ROW_CELLS + i] = piece->block[k][row_at(row)];
        }
    piece->mixed |= UINT64_C(1) << row;
}

bool check_mix(struct machine_run *run, struct shadow_piece *piece, uint64_t first, uint64_t last)
{
    for (uint64_t row = first / ROW_CELLS; row <= last / ROW_CELLS; row++)
        if (!(piece->mixed >> row & 1)) {
            if (!make_cells(run, piece))
                return false;
            mix(run, piece, row);
        }
    return true;
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
        lock_give(&cursor->piece->lock);
    cursor->range = range;
    cursor->number = number;
    cursor->piece = check_piece(cursor->run, range, number * PIECE_CELLS);
    if (cursor->piece)
        lock_take(&cursor->piece->lock);
    return cursor->piece;
}

/* The cell is one of the piece, which is locked. */
static inline void touch(struct look *look, struct shadow_piece *piece, uint64_t at,
                         const struct quick *quick, int lane)
{
    const uint32_t thread = quick->first + (uint32_t)lane;
    const struct cells cells = shadow_cells(piece);
    if (!look->strong && touch_cells(&cells, at, 1, 0, look->writes, true, quick, thread))
        return;
    look->lane = lane;
    look->thread = thread;
    look->waited = false;
    check_cell(look, &cells, at);
    while (look->unsettled) {
        lock_give(&piece->lock);
        check_wait(look);
        lock_take(&piece->lock);
        check_cell(look, &cells, at);
    }
}

/* The lane touches all cells of its access. */
static inline void lane_cells(struct look *look, struct cursor *cursor, int lane,
                              const struct quick *quick, int shift)
{
    const uint64_t from = look->address[lane] - look->range->address;
    const uint64_t first = from >> shift, last = (from + (uint64_t)look->bytes - 1) >> shift;
    for (uint64_t i = first; i <= last; i++) {
        struct shadow_piece *piece = move_to(cursor, look->range, i / PIECE_CELLS);
        const uint64_t at = i % PIECE_CELLS;
        const bool has = piece && check_mix(cursor->run, piece, at, at);
        look->offset = (int)((i - first) << shift);
        if (has)
            touch(look, piece, at, quick, lane);
        else if (look->strong)
            atomic_store_explicit(&cursor->run->check->disordered, true, memory_order_relaxed);
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

/* Whether a range has no shadow: nobody knows it, or nothing changes it. */
static bool is_bare(const struct look *look)
{
    return !look->range || (look->range->read_only && !look->writes);
}

void check_global_lanes(struct look *look, uint64_t slow)
{
    struct machine_run *run = look->warp->run;
    struct cursor cursor = {.run = run};
    const struct quick quick = quick_of(look->warp, look->what, true);
    const int shift = run->check->shift[1], lead = __builtin_ctzll(look->mask);
    look->range = look->warp->worker->range;
    enter_range(look, lead);
    bool bare = is_bare(look);
    FOR_LANES(lane, slow)
    {
        const uint64_t address = look->address[lane];
        if (!look->range || address - look->range->address >= look->range->bytes) {
            enter_range(look, (int)lane);
            bare = is_bare(look);
        }
        if (!bare)
            lane_cells(look, &cursor, (int)lane, &quick, shift);
    }
    if (cursor.piece)
        lock_give(&cursor.piece->lock);
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
        lock_take(&piece->lock);
        if (check_mix(run, piece, cell % PIECE_CELLS, cell % PIECE_CELLS)) {
            piece->cell->mark[MARK_WRITE][cell % PIECE_CELLS] = (struct mark){0, 0};
            piece->cell->mark[MARK_READ][cell % PIECE_CELLS] = (struct mark){0, 0};
        }
        lock_give(&piece->lock);
    }
}

bool check_global_seen(struct warp *warp, int lane, uint64_t address)
{
    struct machine_run *run = warp->run;
    const struct machine_range *range = range_of(warp, address, warp->worker->range);
    const uint64_t cell = range ? (address - range->address) >> run->check->shift[1] : 0;
    const uint64_t at = cell % PIECE_CELLS;
    struct shadow_piece *piece = range ? check_piece(run, range, cell) : NULL;
    bool chance = false;
    if (!piece)
        return false;
    lock_take(&piece->lock);
    const bool mixed = check_mix(run, piece, at, at);
    const struct mark write = mixed ? piece->cell->mark[MARK_WRITE][at] : (struct mark){0, 0};
    const uint32_t block = mixed ? piece->cell->block[MARK_WRITE][at] : 0;
    const bool own = block == (uint32_t)warp->block->number &&
                     (write.what & MARK_THREAD) ==
                         warp->number * (uint32_t)warp->run->warp_lanes + (uint32_t)lane;
    if (write.time >= run->check->start && !own) {
        chance = check_is_chance(warp, lane, true, write, block);
        if (write.what & MARK_STRONG)
            check_acquire(warp, write);
    }
    lock_give(&piece->lock);
    return chance;
}
