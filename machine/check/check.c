/* check.c - the checker looks at what lanes touch, before they do: is it inside of its variable, was it
 * written, may it be touched now.
 *
 * Shared and global memory have shadows, a cell for each word (check.h): of a block's shared memory in the
 * block, of global memory in pieces (check_global.c). That bytes of global memory were written stands in a
 * bit for each, with the ranges of memory, since it outlives launches; of local memory in the frame.
 *
 * Nearly all loads and stores are in order at first sight, and lanes side by side are looked at together
 * (operations/pattern.inc). What comes here goes lane by lane.
 */
#include "machine/check/track.h"
#include "machine/module.h"

#include <string.h>

/* ---- begin and end --------------------------------------------------------------------------- */

/* Bytes of a cell: of the kernel's smallest access, at most 8. */
static int cell_shift(int least)
{
    int shift = 0;
    while (shift < 3 && 2 << shift <= least)
        shift++;
    return least ? shift : 2;
}

bool check_begin(struct machine_run *run)
{
    struct check *check = arena_new(&run->arena, sizeof *check);
    enum { PAGE_BLOCKS = 256 };
    if (!check)
        return false;
    for (int i = 0; i < 2; i++)
        check->shift[i] = cell_shift(run->kernel->least[i]);
    for (int i = 0; i < run->kernel->accesses; i++)
        if (op_is_atomic(run->kernel->access[i].facts.op))
            check->atomics[run->kernel->access[i].facts.global] = true;
    check->released =
        arena_new(&run->arena, (size_t)(run->blocks / PAGE_BLOCKS + 1) * sizeof *check->released);
    check->start = run->memory->checked_until + 1;
    run->check = check;
    return check->released && check_global_begin(run);
}

void check_end(struct machine_run *run)
{
    if (run->check)
        check_global_end(run);
}

static struct check_block *new_check_block(struct block *block, struct worker *worker)
{
    const struct machine_run *run = worker->run;
    const size_t warps = (size_t)block->warps;
    struct check_block *check =
        arena_new(&worker->arena, sizeof *check + warps * sizeof *check->warp);
    if (!check)
        return NULL;
    check->warps = block->warps;
    check->slots = run->kernel->slots;
    check->cells = (run->shared_bytes >> run->check->shift[0]) + 1;
    check->cell.write = arena_new(&worker->arena, 3 * check->cells * sizeof *check->cell.write);
    if (!check->cell.write)
        return NULL;
    check->cell.read = check->cell.write + check->cells;
    check->cell.other = check->cell.read + check->cells;
    check->time = run->check->start;
    if (run->kernel->by_proxy)
        check->copied = arena_new(&worker->arena, check->cells * sizeof *check->copied);
    return !run->kernel->by_proxy || (check->copied && check_late_begin(check, &worker->arena))
               ? check
               : NULL;
}

/* How far the clocks have come. */
static void note_time(struct machine_run *run, uint32_t time)
{
    struct check *check = run->check;
    uint32_t before = atomic_load_explicit(&check->latest, memory_order_relaxed);
    while (before < time && !atomic_compare_exchange_weak(&check->latest, &before, time))
        ;
    if (time > CHECK_LAST_TIME)
        atomic_store(&check->overflowed, true);
}

void check_block_ends(struct block *block)
{
    if (block->check)
        note_time(block->warp[0]->run, block->check->time);
}

/* The clock goes on: marks of the block before are old. */
bool check_block_begins(struct block *block, struct worker *worker)
{
    if (!worker->run->check)
        return true;
    if (!block->check)
        block->check = new_check_block(block, worker);
    struct check_block *check = block->check;
    if (!check)
        return false;
    note_time(worker->run, check->time);
    check->start = ++check->time; /* what is written at that time is in order with all */
    check->base = ++check->time;
    check->cluster_base = check->base;
    check->acquired = check->released = check->fenced = check->mingled = 0;
    check->fences = false;
    for (int i = 0; i < check->warps; i++) {
        struct check_warp *warp = &check->warp[i];
        warp->full = warp->released = warp->acquired = warp->fenced = 0;
        memset(warp->look, 0, sizeof warp->look);
        memset(warp->swap, 0, sizeof warp->swap);
        check_copy_forget(warp);
        check_late_forget(warp);
        check_sums_forget(warp, worker->run->kernel->sums);
        check_absent_forget(warp);
    }
    check->bulks = 0;
    check->copies_arrive = false;
    for (int i = 0; i < BARRIERS; i++)
        if (check->gathering[i])
            memset(check->gathering[i], 0,
                   sizeof *check->gathering[i] + (size_t)check->warps * sizeof(uint32_t));
    return true;
}

/* ---- reads of what was never written ----------------------------------------------------------- */

static void tell_unwritten(struct look *look)
{
    char what[240];
    if (finding_again(look->warp, MACHINE_FAULT_UNWRITTEN, -1, 0))
        return;
    check_say(look, what, sizeof what);
    char text[400];
    __builtin_snprintf(text, sizeof text, "%s, which nothing has written", what);
    finding_put(look->warp, look->lane, MACHINE_FAULT_UNWRITTEN, -1, 0, text);
}

/* Whether of an element that somebody reads nothing is written. Of what is written in part the rest may be
 * the padding of a structure. */
static bool misses_element(const struct access *access, const uint8_t *bits, uint64_t from,
                           int bytes)
{
    const int each = access->bytes < bytes ? access->bytes : bytes;
    const uint8_t unread = op_is_atomic(access->op) ? 0 : access->unread;
    for (int i = 0; i * each < bytes; i++)
        if (!(unread >> i & 1) && !written_count(bits, from + (uint64_t)(i * each), (uint64_t)each))
            return true;
    return false;
}

/* ---- malloc in kernels ------------------------------------------------------------------------ */

/* Whether the bytes are of a piece that malloc returned and nobody has freed. */
static bool in_heap(struct look *look, uint64_t lane)
{
    struct heap_piece piece;
    const uint64_t address = look->address[lane];
    const bool found = heap_find(look->warp->run->memory, address, &piece);
    char what[240];
    look->lane = (int)lane;
    if (found && piece.used && address - piece.address + (uint64_t)look->bytes <= piece.bytes)
        return true;
    check_say(look, what, sizeof what);
    if (!found)
        fault(look->warp, (int)lane, MACHINE_FAULT_ADDRESS,
              "%s, outside of all that malloc returned", what);
    else
        fault(look->warp, (int)lane, MACHINE_FAULT_ADDRESS,
              "%s: at byte %llu of %llu that malloc in a kernel returned%s", what,
              (unsigned long long)(address - piece.address), (unsigned long long)piece.bytes,
              piece.used ? "" : " and that were freed");
    return false;
}

/* ---- spaces ---------------------------------------------------------------------------------- */

/* Global memory: the heap's pieces, and what was never written. */
static bool look_at_bytes(struct look *look)
{
    const struct machine_range *range = look->warp->worker->range;
    uint64_t before = 0; /* what the lane before touched, all of it written */
    FOR_LANES(lane, look->mask)
    {
        const uint64_t address = look->address[lane];
        if (address == before)
            continue;
        if (!range || address - range->address >= range->bytes || range->freed)
            range = machine_memory_find(look->warp->run->memory, address);
        if (!range)
            continue;
        look->range = range;
        if (range->kind == MACHINE_HEAP && !in_heap(look, lane))
            return false;
        const uint64_t from = address - range->address;
        if (!range->written || written_all(range->written, from, (uint64_t)look->bytes)) {
            before = address;
            continue;
        }
        look->lane = (int)lane;
        if (look->reads && misses_element(look->access, range->written, from, look->bytes))
            tell_unwritten(look);
        if (look->writes)
            written_set(range->written, from, (uint64_t)look->bytes);
    }
    return true;
}

/* Whether nothing has written one of the elements that somebody reads; cells: of the lane. The system's memory
 * may begin with any bits. */
static bool misses_cells(const struct look *look, const struct mark *write, int cells)
{
    const struct access *access = look->access;
    const struct machine_run *run = look->warp->run;
    const int shift = run->check->shift[0];
    const int each = access->bytes < look->bytes ? access->bytes >> shift : cells;
    const uint8_t unread = op_is_atomic(access->op) ? 0 : access->unread;
    if (run->reserved_at && look->address[look->lane] >= run->reserved_at)
        return false;
    for (int i = 0; i < cells; i += each) {
        bool written = unread >> i / each & 1;
        for (int k = i; k < i + each && !written; k++)
            written = write[k].time >= look->block->start;
        if (!written)
            return true;
    }
    return false;
}

/* A quick look at what a lane touches: whether it is enough. */
static bool touches_quickly(const struct look *look, uint64_t at, uint32_t cells)
{
    const struct cells *all = &look->block->cell;
    const struct quick quick = quick_of(look->warp, look->what, false);
    if (look->strong || look->what & MARK_COPY)
        return false;
    if (!look->access->late)
        return touch_cells(all, at, cells, 31, look->writes, false, &quick, look->thread);
    for (uint32_t i = 0; i < cells; i++)
        if (!may_load(all, at + i, false, &quick, look->thread))
            return false;
    return true;
}

/* A lane touches cells. */
static void look_at_cells(struct look *look, uint64_t at, int cells)
{
    if (touches_quickly(look, at, (uint32_t)cells))
        return;
    if (look->reads && misses_cells(look, look->block->cell.write + at, cells))
        tell_unwritten(look);
    for (int i = 0; i < cells; i++) {
        look->offset = i << look->warp->run->check->shift[0];
        check_cell(look, &look->block->cell, at + (uint64_t)i);
    }
}

static void look_at_shared(struct look *look, uint64_t slow)
{
    const int shift = look->warp->run->check->shift[0];
    const int cells = look->bytes >> shift ? look->bytes >> shift : 1;
    const uint32_t first = look->warp->number * (uint32_t)look->warp->run->warp_lanes;
    FOR_LANES(lane, slow)
    {
        look->lane = (int)lane;
        look->thread = first + (uint32_t)lane;
        look_at_cells(look, look->address[lane] >> shift, cells);
    }
}

/* The first lane that is outside; -1: none is. */
static int outside(const struct access *access, uint64_t mask, const uint64_t *address, int bytes)
{
    FOR_LANES(lane, mask)
    {
        const uint64_t from = address[lane] - access->array_at;
        if (from >= access->array_bytes || from + (uint64_t)bytes > access->array_bytes)
            return (int)lane;
    }
    return -1;
}

bool check_bounds(struct warp *warp, const struct access *access, uint64_t mask,
                  const uint64_t *address, int bytes)
{
    const int lane = access->array_bytes ? outside(access, mask, address, bytes) : -1;
    const struct look look = {
        .warp = warp, .access = access, .address = address, .bytes = bytes, .lane = lane};
    char what[240], text[400];
    if (lane < 0)
        return true;
    check_say(&look, what, sizeof what);
    if (address[lane] + (uint64_t)bytes > warp->run->shared_bytes) {
        fault(warp, lane, MACHINE_FAULT_ADDRESS, "%s, which has %u bytes", what,
              access->array_bytes);
        return false;
    }
    if (!finding_again(warp, MACHINE_FAULT_BOUNDS, -1, 0)) {
        __builtin_snprintf(text, sizeof text, "%s, which has %u bytes", what, access->array_bytes);
        finding_put(warp, lane, MACHINE_FAULT_BOUNDS, -1, 0, text);
    }
    return true;
}

/* Lanes load what an atomic operation may follow. */
static void note_glance(const struct look *look)
{
    struct check_warp *own = look->own;
    const uint32_t place = look->what >> MARK_PLACE;
    if (!own->glance)
        own->glance =
            run_new(look->warp->run, &look->warp->worker->arena, GLANCES * sizeof *own->glance);
    if (!own->glance)
        return;
    struct check_glance *glance = &own->glance[(own->glances + GLANCES - 1) % GLANCES];
    if (glance->place != place || glance->global != look->global)
        glance = &own->glance[own->glances++ % GLANCES];
    glance->mask = look->mask;
    glance->place = place;
    glance->time = look->block->time;
    glance->global = look->global;
    memcpy(glance->address, look->address, (size_t)look->block->slots * sizeof *glance->address);
}

bool check_access(struct warp *warp, const struct access *access, enum ptx_space space,
                  uint64_t mask, uint64_t slow, const uint64_t *address, int bytes, bool writes,
                  uint8_t *const *host)
{
    struct check_block *block = warp->block->check;
    const bool atomic = op_is_atomic(access->op);
    struct look look = {.warp = warp,
                        .block = block,
                        .own = &block->warp[warp->number],
                        .access = access,
                        .address = address,
                        .host = host,
                        .mask = mask,
                        .released = block->warp[warp->number].released,
                        .released_any = block->released,
                        .bytes = bytes,
                        .global = space == PTX_GLOBAL,
                        .writes = writes,
                        .reads = !writes || atomic,
                        .strong = atomic || access->relaxed};
    look.what = check_place(warp) | (look.strong ? MARK_STRONG : 0) |
                (access->op == OP_ASYNC_STORE ? MARK_COPY : 0);
    if (look.global && is_store_of_registers(access))
        check_stores(warp);
    if (writes && (access->releases || atomic))
        check_release(warp, look.global, access->releases);
    else if (writes && look.strong && look.global)
        check_publish(warp);
    if (look.global && !look_at_bytes(&look))
        return false;
    if (block->time > CHECK_LAST_TIME)
        return true;
    if (!writes && !look.strong && warp->run->check->atomics[look.global])
        note_glance(&look);
    if (writes && !look.global && block->late)
        check_late_writes(&look, block, true);
    if (!look.global && block->other)
        check_local_lanes(&look);
    if (look.global)
        check_global_lanes(&look, slow);
    else
        look_at_shared(&look, slow);
    if (access->late)
        check_late_read(&look);
    return true;
}

/* ---- what is seen ---------------------------------------------------------------------------- */

static bool seen_shared(struct warp *warp, uint64_t lane, uint64_t address)
{
    const struct check_block *block = warp->block->check;
    const uint64_t cell = address >> warp->run->check->shift[0];
    const uint32_t thread = warp->number * (uint32_t)warp->run->warp_lanes + (uint32_t)lane;
    const struct mark write = cell < block->cells ? block->cell.write[cell] : (struct mark){0, 0};
    if (write.time < block->start || (write.what & MARK_THREAD) == thread)
        return false;
    const bool chance = check_is_chance(warp, (int)lane, false, write, 0);
    if (write.what & MARK_STRONG)
        check_acquire(warp, write);
    return chance;
}

uint64_t check_seen(struct warp *warp, const struct access *access, const uint64_t *address)
{
    uint64_t chance = 0;
    if (op_is_atomic(access->op) && access->unread)
        return 0;
    FOR_LANES(lane, warp->mask)
    {
        const bool generic = access->space == PTX_GENERIC;
        const uint64_t window = generic ? WINDOW(address[lane]) : 0;
        bool here = false;
        if (access->space == PTX_SHARED || (generic && window == WINDOW_SHARED))
            here = seen_shared(warp, lane, address[lane] - window);
        else if (access->space == PTX_GLOBAL || (generic && !window))
            here = check_global_seen(warp, (int)lane, address[lane]);
        chance |= (uint64_t)here << lane;
    }
    return chance;
}

void check_mbarrier(struct warp *warp, uint64_t address, bool arrives, bool over)
{
    uint64_t within;
    const struct block *of = cluster_block(warp, address & UINT32_MAX, &within);
    struct check_block *block = of ? of->check : NULL;
    if (!block || within >> warp->run->check->shift[0] >= block->cells)
        return;
    struct mark *write = &block->cell.write[within >> warp->run->check->shift[0]];
    if (over && of == warp->block) {
        uint64_t state;
        memcpy(&state, of->shared + within, sizeof state);
        if (check_bulk_done(warp, (uint32_t)within, (uint32_t)(state >> 61)))
            write->time = block->time;
        check_acquire(warp, *write);
    }
    if (!arrives)
        return;
    if (of == warp->block) {
        check_release(warp, false, false);
    } else {
        block->time++;
        check_mingle(block);
        check_mingle(warp->block->check);
    }
    *write = (struct mark){block->time, MARK_STRONG | MARK_THREAD};
}

void check_mbarrier_ends(struct warp *warp, uint64_t lane, uint64_t address)
{
    struct check_block *block = warp->block->check;
    const int shift = warp->run->check->shift[0];
    const uint32_t thread = warp->number * (uint32_t)warp->run->warp_lanes + (uint32_t)lane;
    const uint64_t at = address & UINT32_MAX;
    for (uint64_t cell = at >> shift; cell <= (at + 7) >> shift && cell < block->cells; cell++)
        block->cell.write[cell] = (struct mark){block->time, check_place(warp) | thread};
}
