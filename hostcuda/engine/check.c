/* check.c - what is wrong with a kernel: races, bounds, reads before the first write, barriers that not
 * all threads reach.
 *
 * Every word of shared and global memory that a recorded block touches has a cell: who wrote it
 * last, and two who read it since. A word that is touched in parts gets a cell for each byte.
 * Time is one counter for the launch; it moves at every barrier, fence and atomic operation. Two
 * accesses by different threads, one of them a store, are in order when after the first
 *
 *     all threads of the block met at a barrier (or of the grid, or of the warp), or
 *     a thread of the first one's warp released (a fence, an atomic operation), and a thread of the
 *     second one's warp acquired (a fence, an atomic operation, a volatile load), or its block met
 *     after one of its threads had.
 *
 * Else they race. The second rule asks less than the hardware does, so that no correct program is
 * blamed. Atomic and volatile accesses do not race with each other, nor do stores of what is there.
 *
 * A plain load may look at a word before an atomic operation that does not trust what it saw:
 *
 *     old = *address;                                     if (distance < best[v])
 *     do                                                      atomicMin(&best[v], distance);
 *         old = atomicCAS(address, assumed = old, ...);
 *
 * A load that only atomic operations are out of order with is therefore a suspect until the launch
 * ends. It is acquitted, everywhere, when a thread that did it goes on to an atomic operation on that
 * word before its next barrier; in global memory, to one on any word of that allocation that leaves one
 * of two values:
 *
 *     best = min(label[i], label[i + 1]);
 *     atomicMin(&label[i], best);
 *
 * The read of a histogram without the barrier before it is not.
 *
 * If several threads store the same value in a word, reading it is no race with the later ones.
 */
#define _GNU_SOURCE
#include "hostcuda/engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct access_mark {
    uint32_t pc, time, block;
    uint16_t thread;
    uint8_t relaxed, known;
    uint8_t agreed; /* of a writer: others, not in order with it, wrote the same */
};

struct cell {
    uint32_t generation;
    uint32_t split; /* first of its bytes' four cells, 0: not split */
    struct access_mark writer, reader[2];
};

enum {
    PAGE_WORDS = 1024,
    POOL = 1 << 22,
    SUSPECTS = 64,
    ALIKE = 8,
    ACQUITTED = 256,
    STORED = 16,
    LOADS = 8
};

/* Only the worker that records touches this. */
static struct {
    uint32_t time, shared_generation, global_generation;
    uint32_t grid_time;             /* of the last barrier of the grid */
    uint32_t block_time;            /* of the last barrier of the block */
    uint32_t block_acquire;         /* what all threads of the block know by that barrier */
    uint32_t full[MAX_BLOCK_WARPS]; /* of the last barrier of all lanes of a warp */
    uint32_t (*pair)[WARP][WARP];   /* of the last one of two lanes */
    uint32_t release[MAX_BLOCK_WARPS], acquire[MAX_BLOCK_WARPS];
    uint32_t *block_release; /* of blocks of this launch */
    uint64_t blocks;
    uint64_t launch;
    struct {
        uint32_t from, to;
    } variable;              /* the shared variable touched last */
    struct data_symbol data; /* the __device__ variable touched last */
    struct cell *data_cells; /* of the words of all of them */
    struct cell *shared;     /* of the words of the segment */
    size_t shared_words;
    uint32_t shared_front; /* bytes of the segment that are the engine's */
    struct cell **page;    /* of the arena */
    struct cell *pool;     /* cells of bytes */
    uint32_t pooled;
    struct record_fault late; /* two stores race unless the second one changes nothing */
    bool has_late;
    struct suspect { /* a plain load among atomic operations */
        const struct cell *cell;
        struct access_mark load;
        struct record_fault fault;
    } suspect[SUSPECTS];
    int suspects;
    struct look_back {
        uintptr_t at;
        uint32_t pc, time;
    } loads[MAX_BLOCK_THREADS][LOADS]; /* the thread's last ones from global memory */
    uint8_t next_load[MAX_BLOCK_THREADS];
    struct {
        struct cell *cell;
        struct access_mark before; /* its writer until then */
    } stored[STORED];              /* by the store that is not done yet */
    int stores;
    uint32_t acquitted[ACQUITTED]; /* instructions; 0: none */
} state;

/* __device__, __constant__ and __managed__ variables are the program's ordinary ones. */
extern char __data_start[], _end[];

static bool is_data(const void *at)
{
    return (const char *)at >= __data_start && (const char *)at < _end;
}

static void *reserve(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void begin_launch(struct worker *s)
{
    if (!state.pool) {
        state.shared_words = (size_t)(shared_segment.to - shared_segment.from) / 4 + 2;
        state.shared_front = (uint32_t)(launch_shared() - shared_segment.from);
        state.shared = reserve(state.shared_words * sizeof *state.shared);
        state.page = reserve(ARENA_BYTES / 4 / PAGE_WORDS * sizeof *state.page);
        state.pool = reserve((size_t)POOL * sizeof *state.pool);
        state.pair = reserve(MAX_BLOCK_WARPS * sizeof *state.pair);
        state.data_cells =
            reserve(((size_t)(_end - __data_start) / 4 + 2) * sizeof *state.data_cells);
        state.time = 1;
    }
    state.launch = s->launch->number;
    state.global_generation++;
    state.pooled = 1;
    free(state.block_release);
    state.blocks = s->launch->blocks < (1 << 20) ? s->launch->blocks : 0;
    state.block_release = calloc(state.blocks + 1, sizeof *state.block_release);
}

void check_block_begins(struct worker *s)
{
    if (!s->recorded)
        return;
    if (!state.pool || state.launch != s->launch->number || !state.global_generation)
        begin_launch(s);
    state.has_late = false;
    state.stores = 0;
    state.shared_generation++;
    state.time++;
    state.block_time = state.time;
    state.block_acquire = 0;
    memset(state.full, 0, sizeof state.full);
    memset(state.release, 0, sizeof state.release);
    memset(state.acquire, 0, sizeof state.acquire);
    memset(state.pair, 0, (size_t)s->warps * sizeof *state.pair);
}

/* ---- order ----------------------------------------------------------------------------------- */

void check_barrier(struct worker *s)
{
    if (!s->recorded)
        return;
    state.block_time = ++state.time;
    for (int i = 0; i < s->warps; i++)
        if (state.block_acquire < state.acquire[i])
            state.block_acquire = state.acquire[i];
}

void check_warp_barrier(struct worker *s, int warp, uint32_t lanes)
{
    if (!s->recorded)
        return;
    const struct warp *w = &s->warp[warp];
    state.time++;
    if (lanes == (w->all & ~w->done)) {
        state.full[warp] = state.time;
        return;
    }
    for (uint32_t a = lanes; a; a &= a - 1)
        for (uint32_t b = lanes; b; b &= b - 1)
            state.pair[warp][__builtin_ctz(a)][__builtin_ctz(b)] = state.time;
}

void check_grid_barrier(void)
{
    state.grid_time = ++state.time;
}

static void release(const struct worker *s)
{
    state.release[s->current / WARP] = ++state.time;
    if (s->block < state.blocks && state.block_release)
        state.block_release[s->block] = state.time;
}

static void acquire(const struct worker *s)
{
    state.acquire[s->current / WARP] = ++state.time;
}

/* What an access says about those before and behind it. */
static void order(const struct worker *s, int operation, bool relaxed)
{
    if (relaxed && operation != HOSTCUDA_STORE)
        acquire(s);
    if (is_atomic(operation))
        release(s);
}

void hostcuda_fence(int scope)
{
    (void)scope;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (hostcuda_in_kernel && worker->recorded) {
        release(worker);
        acquire(worker);
    }
}

static bool in_order(const struct worker *s, const struct access_mark *mark)
{
    int self = s->current, warp = self / WARP;
    uint32_t acquired =
        state.acquire[warp] > state.block_acquire ? state.acquire[warp] : state.block_acquire;
    if (mark->time < state.grid_time)
        return true;
    if (mark->block != (uint32_t)s->block) {
        bool released = mark->block >= state.blocks || !state.block_release ||
                        state.block_release[mark->block] > mark->time;
        return released && acquired > mark->time;
    }
    if (mark->thread == self || mark->time < state.block_time)
        return true;
    int other = mark->thread / WARP;
    if (other == warp && (mark->time < state.full[warp] ||
                          mark->time < state.pair[warp][self % WARP][mark->thread % WARP]))
        return true;
    return state.release[other] > mark->time && acquired > mark->time;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void fill_other(const struct worker *s, struct record_thread *to,
                       const struct access_mark *mark, int operation)
{
    const struct hostcuda_dim3 *grid = &s->launch->launch->grid;
    const struct hostcuda_dim3 *index = &s->index[mark->thread];
    *to = (struct record_thread){.pc = mark->pc, .operation = (uint8_t)operation, .known = 1};
    memcpy(to->thread, index, sizeof to->thread);
    to->block[0] = mark->block % grid->x;
    to->block[1] = mark->block / grid->x % grid->y;
    to->block[2] = mark->block / grid->x / grid->y;
}

/* What is being checked. */
struct look {
    struct worker *s;
    const void *at;
    size_t bytes;
    uintptr_t pc;
    int operation;
    enum fault_space space;
    uint64_t address;                   /* as the report has it */
    bool reads, writes, relaxed, whole; /* whole: not part of a larger copy */
};

/* Says in a fault which variable it is about. */
static void name_variable(struct record_fault *fault, const struct data_symbol *variable)
{
    fault->space = SPACE_VARIABLE;
    fault->base = variable->from;
    fault->length = variable->to - variable->from;
    snprintf(fault->text, sizeof fault->text, "%s", variable->name);
}

static struct record_fault race(const struct look *look, const struct access_mark *mark,
                                int operation)
{
    struct record_fault fault = {.kind = FAULT_RACE, .space = look->space, .launch = UINT64_MAX};
    struct hostcuda_region region;
    bool freed;
    fault.address = look->address;
    fault.size = look->bytes;
    if (is_data(look->at))
        name_variable(&fault, &state.data);
    else if (look->space == SPACE_GLOBAL && arena_nearest(look->at, &region, &freed)) {
        fault.base = (uintptr_t)region.base;
        fault.length = region.bytes;
    }
    fault.who = report_self(look->pc, look->operation);
    fill_other(look->s, &fault.other, mark, operation);
    return fault;
}

/* ---- loads before atomic operations ---------------------------------------------------------- */

static bool is_acquitted(uint32_t pc)
{
    for (uint32_t i = 0; i < ACQUITTED && state.acquitted[(pc + i) % ACQUITTED]; i++)
        if (state.acquitted[(pc + i) % ACQUITTED] == pc)
            return true;
    return false;
}

static void acquit(uint32_t pc)
{
    uint32_t at = pc % ACQUITTED, tries = 0;
    while (state.acquitted[at] && state.acquitted[at] != pc && ++tries < ACQUITTED)
        at = (at + 1) % ACQUITTED;
    state.acquitted[at] = pc;
    int kept = 0;
    for (int i = 0; i < state.suspects; i++)
        if (state.suspect[i].load.pc != pc)
            state.suspect[kept++] = state.suspect[i];
    state.suspects = kept;
}

/* A load races with an atomic operation; of the two, `mark` is the earlier one. To be reported unless
 * the load is acquitted. */
static void suspect(const struct look *look, const struct cell *cell,
                    const struct access_mark *load, const struct access_mark *mark, int operation)
{
    int alike = 0;
    if (state.suspects == SUSPECTS || is_acquitted(load->pc))
        return;
    for (int i = 0; i < state.suspects; i++)
        alike += state.suspect[i].load.pc == load->pc;
    if (alike < ALIKE)
        state.suspect[state.suspects++] =
            (struct suspect){cell, *load, race(look, mark, operation)};
}

/* Whether the load is of the running thread, since its last barrier. */
static bool is_own_load(const struct worker *s, const struct access_mark *load)
{
    return load->known && !load->relaxed && load->thread == s->current &&
           load->block == (uint32_t)s->block && load->time >= state.block_time;
}

/* The running thread does an atomic operation on the cell's word. */
static void acquit_looks(const struct worker *s, const struct cell *cell)
{
    for (int i = 0; i < 2; i++)
        if (is_own_load(s, &cell->reader[i]) && !is_acquitted(cell->reader[i].pc))
            acquit(cell->reader[i].pc);
    for (int i = 0; i < state.suspects; i++)
        if (state.suspect[i].cell == cell && is_own_load(s, &state.suspect[i].load)) {
            acquit(state.suspect[i].load.pc);
            i = -1;
        }
}

void check_choice(const void *at)
{
    const struct worker *s = worker;
    struct hostcuda_region region;
    bool freed;
    if (!arena_has(at) || !arena_nearest(at, &region, &freed))
        return;
    for (int i = 0; i < LOADS; i++) {
        const struct look_back *load = &state.loads[s->current][i];
        if (load->time >= state.block_time && load->at - (uintptr_t)region.base < region.bytes &&
            !is_acquitted(load->pc))
            acquit(load->pc);
    }
}

void check_launch_ends(void)
{
    for (int i = 0; i < state.suspects; i++)
        report_fault(&state.suspect[i].fault);
    state.suspects = 0;
}

/* Reports a race; with a store, which is not done yet, only if that changes memory. */
static void tell_race(const struct look *look, const struct access_mark *mark, int operation)
{
    struct record_fault fault = race(look, mark, operation);
    bool wait = look->writes && !look->reads && !look->relaxed;
    if (!wait)
        report_fault(&fault);
    else if (!state.has_late)
        state.late = fault;
    state.has_late |= wait;
}

void check_settled(bool changed)
{
    for (int i = 0; i < state.stores && !changed; i++) {
        struct access_mark *writer = &state.stored[i].cell->writer,
                           *before = &state.stored[i].before;
        if (before->known && !in_order(worker, before))
            before->agreed = 1;
        if (before->known)
            *writer = *before;
    }
    state.stores = 0;
    if (state.has_late && changed)
        report_fault(&state.late);
    state.has_late = false;
}

static void check_cell(const struct look *look, struct cell *cell)
{
    const struct worker *s = look->s;
    struct access_mark mark = {(uint32_t)look->pc,
                               state.time,
                               (uint32_t)s->block,
                               (uint16_t)s->current,
                               look->relaxed,
                               1,
                               0};
    struct access_mark *writer = &cell->writer;
    if (is_atomic(look->operation))
        acquit_looks(s, cell);
    bool agreed = writer->agreed && !look->writes;
    if (writer->known && !agreed && !(look->relaxed && writer->relaxed) && !in_order(s, writer)) {
        if (!look->writes && writer->relaxed)
            suspect(look, cell, &mark, writer, HOSTCUDA_STORE);
        else
            tell_race(look, writer, HOSTCUDA_STORE);
        writer->known = look->writes ? 1 : 2; /* once is enough: 2 was reported */
    }
    if (look->writes)
        for (int i = 0; i < 2; i++) {
            struct access_mark *reader = &cell->reader[i];
            if (reader->known && !(look->relaxed && reader->relaxed) && !in_order(s, reader)) {
                if (look->relaxed)
                    suspect(look, cell, reader, reader, HOSTCUDA_LOAD);
                else
                    tell_race(look, reader, HOSTCUDA_LOAD);
            }
            reader->known = 0;
        }
    if (look->writes) {
        if (!look->reads && !look->relaxed && state.stores < STORED) {
            state.stored[state.stores].cell = cell;
            state.stored[state.stores++].before = *writer;
        }
        cell->writer = mark;
        return;
    }
    if (cell->reader[0].known && cell->reader[0].thread != mark.thread)
        cell->reader[1] = cell->reader[0];
    cell->reader[0] = mark;
}

/* The cell of a word, emptied when it is of an earlier block or launch. */
static struct cell *fresh(struct cell *cell, uint32_t generation)
{
    if (cell->generation != generation) {
        memset(cell, 0, sizeof *cell);
        cell->generation = generation;
    }
    return cell;
}

/* Bytes first..first+count-1 of the word that has the cell. */
static void check_bytes(const struct look *look, struct cell *cell, int first, int count)
{
    if (count == 4 && !cell->split) {
        check_cell(look, cell);
        return;
    }
    if (!cell->split) {
        if (state.pooled + 4 > POOL)
            return;
        uint32_t split = state.pooled;
        state.pooled += 4;
        for (uint32_t i = 0; i < 4; i++)
            state.pool[split + i] = *cell;
        cell->split = split;
    }
    for (int i = first; i < first + count; i++)
        check_cell(look, &state.pool[cell->split + (uint32_t)i]);
}

/* ---- shared memory --------------------------------------------------------------------------- */

static void shared_fault(const struct look *look, uint32_t kind)
{
    struct record_fault fault = {.kind = kind, .space = look->space, .launch = UINT64_MAX};
    fault.address = look->address;
    fault.size = look->bytes;
    fault.who = report_self(look->pc, look->operation);
    report_fault(&fault);
}

static bool written(const struct cell *cell, int byte)
{
    return cell->split ? state.pool[cell->split + (uint32_t)byte].writer.known : cell->writer.known;
}

bool check_shared(int operation, const void *at, size_t bytes, uintptr_t pc, bool relaxed,
                  bool whole)
{
    struct worker *s = worker;
    uintptr_t dynamic = (uintptr_t)at - (uintptr_t)hostcuda_dynamic;
    bool is_dynamic = dynamic < HOSTCUDA_DYNAMIC_MOST;
    uint32_t offset = (uint32_t)((const char *)at - shared_segment.from);
    bool stores = operation == HOSTCUDA_STORE || operation == HOSTCUDA_MATRIX_STORE ||
                  operation == HOSTCUDA_ASYNC_STORE;
    struct look look = {.s = s,
                        .at = at,
                        .bytes = bytes,
                        .pc = pc,
                        .operation = operation,
                        .space = is_dynamic ? SPACE_DYNAMIC : SPACE_SHARED,
                        .address = is_dynamic ? RECORD_DYNAMIC + dynamic : offset,
                        .reads = !stores,
                        .writes = stores || is_atomic(operation),
                        .relaxed = relaxed,
                        .whole = whole};
    bool same = offset >= state.variable.from && offset + bytes <= state.variable.to;
    enum shared_kind kind =
        is_dynamic ? dynamic + bytes <= hostcuda_dynamic_bytes
        : same     ? SHARED_VARIABLE
        : offset < state.shared_front
            ? SHARED_NOTHING
            : symbol_shared(offset, bytes, &state.variable.from, &state.variable.to);
    if (kind == SHARED_GUARD)
        return false;
    if (kind == SHARED_NOTHING) {
        shared_fault(&look, FAULT_BOUNDS);
        return false;
    }
    if ((uintptr_t)at % bytes) {
        shared_fault(&look, FAULT_MISALIGNED);
        return false;
    }
    bool unwritten = false;
    for (size_t done = 0; done < bytes;) {
        uint32_t byte = offset + (uint32_t)done;
        int first = (int)(byte % 4);
        int count = bytes - done < (size_t)(4 - first) ? (int)(bytes - done) : 4 - first;
        struct cell *cell = fresh(&state.shared[byte / 4], state.shared_generation);
        for (int i = first; look.reads && whole && i < first + count; i++)
            unwritten |= !written(cell, i);
        check_bytes(&look, cell, first, count);
        done += (size_t)count;
    }
    if (unwritten && !s->resumed)
        shared_fault(&look, FAULT_UNWRITTEN);
    order(s, operation, relaxed);
    return true;
}

/* ---- global memory --------------------------------------------------------------------------- */

bool check_arena(int operation, const void *at, size_t bytes, uintptr_t pc, bool whole)
{
    bool stores = operation == HOSTCUDA_STORE || operation == HOSTCUDA_MATRIX_STORE ||
                  operation == HOSTCUDA_ASYNC_STORE;
    bool writes = stores || is_atomic(operation);
    enum arena_verdict verdict = arena_check(at, bytes, !stores && whole, writes);
    bool misaligned = (uintptr_t)at & (bytes - 1);
    if (verdict == ARENA_GOOD && !misaligned)
        return true;
    struct record_fault fault = {.space = SPACE_GLOBAL, .launch = UINT64_MAX};
    static const uint32_t kinds[] = {[ARENA_OUTSIDE] = FAULT_BOUNDS,
                                     [ARENA_FREED] = FAULT_FREED,
                                     [ARENA_UNWRITTEN] = FAULT_UNWRITTEN};
    fault.kind = verdict == ARENA_GOOD ? FAULT_MISALIGNED : kinds[verdict];
    fault.address = (uintptr_t)at;
    fault.size = bytes;
    struct hostcuda_region region;
    bool freed;
    if (arena_nearest(at, &region, &freed)) {
        fault.base = (uintptr_t)region.base;
        fault.length = region.bytes;
    }
    fault.who = report_self(pc, operation);
    report_fault(&fault);
    return verdict == ARENA_UNWRITTEN;
}

/* The cell of the word at `at`, in the arena or in a variable; NULL: no memory. */
static struct cell *global_cell(uintptr_t at)
{
    if (is_data((const void *)at))
        return state.data_cells ? &state.data_cells[(at - (uintptr_t)__data_start) / 4] : NULL;
    size_t word = (at - ARENA_BASE) / 4;
    struct cell **page = &state.page[word / PAGE_WORDS];
    if (!*page)
        *page = calloc(PAGE_WORDS, sizeof **page);
    return *page ? &(*page)[word % PAGE_WORDS] : NULL;
}

void check_global(int operation, const void *at, size_t bytes, uintptr_t pc, bool relaxed)
{
    struct worker *s = worker;
    bool stores = operation == HOSTCUDA_STORE;
    struct look look = {.s = s,
                        .at = at,
                        .bytes = bytes,
                        .pc = pc,
                        .operation = operation,
                        .space = SPACE_GLOBAL,
                        .address = (uintptr_t)at,
                        .reads = !stores,
                        .writes = stores || is_atomic(operation),
                        .relaxed = relaxed};
    if (!look.writes && !relaxed) {
        uint8_t *next = &state.next_load[s->current];
        state.loads[s->current][*next] =
            (struct look_back){(uintptr_t)at, (uint32_t)pc, state.time};
        *next = (uint8_t)((*next + 1) % LOADS);
    }
    for (size_t done = 0; done < bytes;) {
        uintptr_t byte = (uintptr_t)at + done;
        int first = (int)(byte % 4);
        int count = bytes - done < (size_t)(4 - first) ? (int)(bytes - done) : 4 - first;
        struct cell *cell = global_cell(byte);
        if (!cell)
            return;
        check_bytes(&look, fresh(cell, state.global_generation), first, count);
        done += (size_t)count;
    }
    order(s, operation, relaxed);
}

bool check_variable(int operation, const void *at, size_t bytes, uintptr_t pc, bool relaxed)
{
    uintptr_t from = (uintptr_t)at;
    if (!is_data(at))
        return false;
    bool inside = (from >= state.data.from && from + bytes <= state.data.to) ||
                  symbol_data(from, bytes, &state.data) || !state.data.from;
    if (!inside || from & (bytes - 1)) {
        struct record_fault fault = {.kind = inside ? FAULT_MISALIGNED : FAULT_BOUNDS,
                                     .launch = UINT64_MAX};
        fault.address = from;
        fault.size = bytes;
        fault.who = report_self(pc, operation);
        name_variable(&fault, &state.data);
        report_fault(&fault);
        state.data.to = 0; /* it is to be looked up again */
        return true;
    }
    check_global(operation, at, bytes, pc, relaxed);
    return true;
}

extern char __executable_start[];

void check_elsewhere(int operation, const void *at, size_t bytes, uintptr_t pc, bool relaxed)
{
    struct worker *s = worker;
    order(s, operation, relaxed);
    const char *byte = at;
    size_t arguments = s->launch->launch->argument_bytes;
    arguments = arguments ? arguments : 4096;
    if (hostcuda_is_local(at) || (byte >= __executable_start && byte < _end) ||
        (uintptr_t)at < 65536 || /* that will crash, and be said then */
        (size_t)(byte - (const char *)s->launch->launch->argument) < arguments ||
        host_memory_allowed(at, bytes))
        return;
    struct record_fault fault = {.kind = FAULT_HOST_MEMORY, .launch = UINT64_MAX};
    fault.address = (uintptr_t)at;
    fault.size = bytes;
    fault.who = report_self(pc, operation);
    report_fault(&fault);
}

/* ---- barriers -------------------------------------------------------------------------------- */

void check_divergence(struct worker *s, int first, int other)
{
    struct record_fault fault = {.kind = FAULT_DIVERGENCE, .launch = UINT64_MAX};
    fault.who = report_thread(s, first, s->waiting[first].pc, 0);
    fault.count = (uint64_t)s->at_barrier;
    fault.size = (uint64_t)s->threads;
    if (other >= 0) {
        fault.other = report_thread(s, other, s->waiting[other].pc, 0);
    } else {
        int gone = 0;
        while (gone < s->threads && !(s->warp[gone / WARP].done >> gone % WARP & 1))
            gone++;
        fault.other = report_thread(s, gone % s->threads, 0, 0);
    }
    report_fault(&fault);
}

void check_lanes(struct worker *s, int thread, uint32_t missing)
{
    struct record_fault fault = {.kind = FAULT_LANES, .launch = UINT64_MAX};
    fault.who = report_thread(s, thread, s->waiting[thread].pc, 0);
    fault.count = missing;
    if (missing) {
        int lane = thread / WARP * WARP + __builtin_ctz(missing);
        fault.other = report_thread(s, lane, s->waiting[lane].pc, 0);
    }
    report_fault(&fault);
}

void check_deadlock(struct worker *s)
{
    struct record_fault fault = {.kind = FAULT_DEADLOCK, .launch = UINT64_MAX};
    int first = -1, other = -1;
    for (int t = 0; t < s->threads; t++) {
        const struct warp *w = &s->warp[t / WARP];
        if (w->barrier >> t % WARP & 1)
            first = first < 0 ? t : first;
        else if (w->named >> t % WARP & 1)
            other = other < 0 ? t : other;
    }
    if (first < 0)
        first = other;
    fault.who = report_thread(s, first, s->waiting[first].pc, 0);
    if (other >= 0 && other != first)
        fault.other = report_thread(s, other, s->waiting[other].pc, 0);
    report_fault(&fault);
}
