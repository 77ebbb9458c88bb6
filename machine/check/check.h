/* check.h - what the checker is told while a launch runs, and what its parts share: check.c (accesses),
 * check_order.c (what is ordered), check_race.c (who may not meet whom), check_global.c (shadows of global
 * memory), check_copy.c (copies that are under way), check_proxy.c (what copies and wgmma read), check_late.c
 * (until when they do), check_sums.c (sums of wgmma), check_cluster.c (other blocks of the cluster),
 * check_tell.c (words). They do nothing where machine_run.check is NULL; only chance.c (what depends on which warp is
 * first) belongs to the counts.
 */
#ifndef BANKSCOPE_MACHINE_CHECK_H
#define BANKSCOPE_MACHINE_CHECK_H

#include "machine/step.h"

/* ---- what the machine tells ------------------------------------------------------------------ */

/* false: no memory. */
bool check_begin(struct machine_run *run);
/* After all workers are done, before their memory is freed. */
void check_end(struct machine_run *run);
bool check_block_begins(struct block *block, struct worker *worker);
void check_block_ends(struct block *block);

/* Lanes want to touch shared memory, each at its address: whether that is inside of the variable that the
 * access is of. false: it is outside of all shared memory, and a fault has ended the launch. */
bool check_bounds(struct warp *warp, const struct access *access, uint64_t mask,
                  const uint64_t *address, int bytes);
/* Before lanes touch memory, each `bytes` at its address (of shared memory from 0, or global), which is
 * host[lane] here. slow: those for which a quick look (quick.inc) was not enough. false: a fault has ended the
 * launch. */
bool check_access(struct warp *warp, const struct access *access, enum ptx_space space,
                  uint64_t mask, uint64_t slow, const uint64_t *address, int bytes, bool writes,
                  uint8_t *const *host);
/* After a load or an atomic operation that may have seen what another thread released. Returns the lanes that saw what
 * a thread of another warp stored, and nothing but chance says that it was before. */
uint64_t check_seen(struct warp *warp, const struct access *access, const uint64_t *address);
/* The mbarrier of a lane: it came to it (or made it), or has seen that all have come. */
void check_mbarrier(struct warp *warp, uint64_t address, bool arrives, bool over);
/* The lane has ended the mbarrier: its words are ordinary ones, which it has written. */
void check_mbarrier_ends(struct warp *warp, uint64_t lane, uint64_t address);

/* The running lanes have come to a barrier of the block, to wait there or not. */
void check_arrival(struct warp *warp, int barrier, bool waits);
/* All that the barrier waits for have come; they still wait. */
void check_barrier(struct block *block, int barrier);
/* All threads of a cluster have come to its barrier. */
void check_cluster(struct cluster *cluster);
/* Lanes are about to touch shared memory of other blocks of the cluster, which is host[lane] here: see check_cluster.c. */
void check_remote(struct warp *warp, const struct access *access, uint64_t mask,
                  const uint64_t *address, int bytes, bool writes, uint8_t *const *host);
/* A lane's copy or st.async writes to a block of the cluster, which may be its own. */
void check_remote_copy(struct warp *warp, const struct access *access, int lane, uint64_t address,
                       uint32_t bytes);
/* The running lanes do step together. */
void check_meeting(struct warp *warp, const struct step *step, bool exchanges);
void check_fence(struct warp *warp);

/* The running lanes' copies: under way; their group is closed; all but `left` groups are waited for. */
void check_copy_begins(struct warp *warp, const uint64_t *to, int bytes);
void check_copy_commit(struct warp *warp);
void check_copy_wait(struct warp *warp, int64_t left);
enum { CHECK_COPY_ALL = -1 };
/* An mbarrier waits for the copies that a lane has begun (cp.async.mbarrier.arrive); its phase is not over yet. */
void check_copy_arrives(struct warp *warp, uint64_t lane, uint64_t barrier);
/* A bulk copy of a lane to the block's shared memory is under way, until somebody has seen that the phase of the
 * mbarrier at that address is over. */
void check_bulk_begins(struct warp *warp, int lane, uint64_t to, uint32_t bytes, uint64_t barrier);

/* The running lanes execute fence.proxy.async, behind check_fence. */
void check_proxy_fence(struct warp *warp);
/* A bulk copy or wgmma reads shared memory of the block, `bytes` at each lane's address. */
void check_proxy_reads(struct warp *warp, const struct access *access, uint64_t mask,
                       const uint64_t *address, int bytes);

/* The running thread's bulk copies to global memory, or its warp's products, that began are a group; all but the last `left`
 * groups have read what they read. */
void check_late_commit(struct warp *warp, bool products);
void check_late_wait(struct warp *warp, bool products, int64_t left);
/* The group that the warp's next product is of, and how many are over. */
uint32_t check_late_open(struct warp *warp);
uint32_t check_late_over(struct warp *warp);

/* A product begins: its sums are under way. */
struct wgmma;
void check_sums_multiply(struct warp *warp, const struct step *step, const struct wgmma *what);
handler check_sums_use;

/* ---- marks and cells ---------------------------------------------------------------------------- */

/* The last access to a word: its time by the block's clock, and in `what` the thread, flags and the place in the code. */
struct mark {
    uint32_t time, what;
};
enum {
    MARK_THREAD = MACHINE_THREADS - 1,
    MARK_STRONG = 1 << 10, /* atomic, volatile, or with an order */
    MARK_ALIKE = 1 << 11,  /* of a writer: others, not in order with it, wrote the same */
    MARK_COPY = 1 << 12,   /* of a writer: by a copy that is not waited for */
    MARK_STORED = MARK_STRONG | MARK_COPY, /* strong, but stored just before, there */
    /* Stored before, there: in order for the block, by a barrier since then, and for nobody else. Of global memory. */
    MARK_STORED_HERE = MARK_STORED | MARK_ALIKE,
    MARK_MANY = 1 << 11, /* of a reader: other lanes of its warp, too */
    MARK_MORE = 1 << 12, /* of a reader: there is another one */
    MARK_PLACE = 13,     /* shift of the place */
};
#define MARK_PLACES (UINT32_C(1) << (32 - MARK_PLACE))

/* The shadows of words side by side, or of less where the kernel has smaller accesses: who wrote each last, who has
 * read it since, and the reader before that one, of another warp. In global memory each of these has its block. */
struct cells {
    struct mark *write, *read, *other;
    uint32_t *write_block, *read_block, *other_block; /* NULL: of shared memory */
};

/* A piece of global memory. A row of 16 cells that are alike has one mark, and so has a pair of rows (check_global.c); other
 * cells have one each. */
enum { ROW_CELLS = 16, PAIR_CELLS = 2 * ROW_CELLS };
enum { PIECE_ROWS = 64, PIECE_CELLS = PIECE_ROWS * ROW_CELLS };
enum { MARK_WRITE, MARK_READ, MARK_OTHER, MARKS };
struct shadow_cells {
    struct mark mark[MARKS][PIECE_CELLS];
    uint32_t block[MARKS][PIECE_CELLS];
};
struct shadow_piece {
    atomic_flag lock;
    uint64_t mixed;                      /* a bit for each row whose cells stand by themselves */
    uint32_t apart;                      /* a bit for each pair whose rows have their own marks */
    struct shadow_piece *next;           /* of those that are spare */
    _Atomic(struct shadow_cells *) cell; /* of rows that are mixed; NULL: none was yet */
    /* The marks of each row that is not mixed, as those of its first cell: of a pair, of its first row. row_at says where. */
    struct mark mark[MARKS][PIECE_ROWS];
    uint32_t block[MARKS][PIECE_ROWS];
};

/* Where a row's marks are: those of first rows lie together, for the second ones are seldom needed. */
static inline uint64_t row_at(uint64_t row)
{
    return row / 2 + row % 2 * (PIECE_ROWS / 2);
}

/* The first mark of a row: of its cells, if it is mixed; else the only one. */
static inline uint64_t first_mark(const struct shadow_piece *piece, uint64_t row)
{
    const bool apart = piece->apart >> row / 2 & 1;
    return piece->mixed >> row & 1 ? row * ROW_CELLS : row_at(apart ? row : row - row % 2);
}

static inline struct cells shadow_rows(struct shadow_piece *piece)
{
    return (struct cells){piece->mark[MARK_WRITE], piece->mark[MARK_READ],
                          piece->mark[MARK_OTHER], piece->block[MARK_WRITE],
                          piece->block[MARK_READ], piece->block[MARK_OTHER]};
}

static inline struct cells shadow_cells(struct shadow_piece *piece)
{
    struct shadow_cells *cell = piece->cell;
    return (struct cells){cell->mark[MARK_WRITE],  cell->mark[MARK_READ],  cell->mark[MARK_OTHER],
                          cell->block[MARK_WRITE], cell->block[MARK_READ], cell->block[MARK_OTHER]};
}

/* Copies of what nearly every look at a cell needs. */
struct quick {
    uint32_t time, what;   /* of the lanes' marks, without the thread */
    uint32_t start, base;  /* of the block, of its last barrier */
    uint32_t full;         /* when the lanes of the warp met */
    uint32_t first, lanes; /* threads of the warp */
    uint32_t launch;       /* when it began */
    uint32_t block;        /* its number; 0 of shared memory, whose marks have no blocks */
};

static inline bool mark_is_stored(struct mark write)
{
    return (write.what & MARK_STORED) == MARK_STORED;
}

static inline bool mark_is_stored_here(struct mark write)
{
    return (write.what & MARK_STORED_HERE) == MARK_STORED_HERE;
}

/* What follows is done for many cells side by side: conditions are masks, all bits or none, so that compilers make
 * vector instructions of it. */
#define CELL_BY_CELL static inline __attribute__((always_inline))
/* A function with a copy for each set of constants that it is called with; in the page's module, which is to be small, one. */
#if defined(__wasm__)
#define FOR_CONSTANTS __attribute__((noinline, unused)) static
#else
#define FOR_CONSTANTS CELL_BY_CELL
#endif

/* A loop whose iterations do not depend on each other. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* not every loop becomes vectors */
#define IN_ANY_ORDER _Pragma("clang loop vectorize(assume_safety)")
#else
#define IN_ANY_ORDER _Pragma("GCC ivdep")
#endif

CELL_BY_CELL struct cells cells_from(const struct cells *cells, uint64_t at, const bool global)
{
    return (struct cells){cells->write + at,
                          cells->read + at,
                          cells->other + at,
                          global ? cells->write_block + at : NULL,
                          global ? cells->read_block + at : NULL,
                          global ? cells->other_block + at : NULL};
}

CELL_BY_CELL uint32_t where(bool condition)
{
    return -(uint32_t)condition;
}

CELL_BY_CELL uint32_t choose(uint32_t where, uint32_t this, uint32_t other)
{
    return (this & where) | (other & ~where);
}

/* Whether a reader is of the warp that reads now, and has read since the last barrier. */
CELL_BY_CELL uint32_t is_own_reader(struct mark read, uint32_t of, const struct quick *quick)
{
    return where(of == quick->block) & where(read.time >= quick->base) &
           where((read.what & MARK_THREAD) - quick->first < quick->lanes);
}

/* The thread reads a cell and becomes its reader. One of another warp or block that is not in order with all that may
 * come is kept as the other one. */
CELL_BY_CELL void note_reader(const struct cells *cells, uint64_t i, const bool global,
                              const struct quick *quick, uint32_t thread)
{
    const struct mark read = cells->read[i], other = cells->other[i];
    const uint32_t of = global ? cells->read_block[i] : quick->block;
    const uint32_t other_of = global ? cells->other_block[i] : quick->block;
    const uint32_t recent = choose(where(of == quick->block), quick->base, quick->launch);
    const uint32_t own = is_own_reader(read, of, quick);
    const uint32_t moves = where(read.time >= recent) & ~own;
    const uint32_t other_own =
        is_own_reader(other, other_of, quick) & where((read.what & MARK_MORE) != 0);
    const struct mark last = {choose(moves, other.time, read.time),
                              choose(moves, other.what, read.what)};
    const uint32_t many =
        choose(moves, other_own, own) & where(last.time >= quick->full) &
        (where((last.what & MARK_THREAD) != thread) | where((last.what & MARK_MANY) != 0));
    cells->other[i].time = choose(moves, read.time, other.time);
    cells->other[i].what = choose(moves, read.what & ~(uint32_t)MARK_MORE, other.what);
    cells->read[i].time = quick->time;
    cells->read[i].what =
        quick->what | thread | (many & MARK_MANY) | ((moves | read.what) & MARK_MORE);
    if (global) {
        cells->other_block[i] = choose(moves, of, other_of);
        cells->read_block[i] = quick->block;
    }
}

/* The thread writes a cell, which nobody has read since. */
CELL_BY_CELL void note_writer(const struct cells *cells, uint64_t i, const bool global,
                              const struct quick *quick, uint32_t thread)
{
    cells->write[i] = (struct mark){quick->time, quick->what | thread};
    cells->read[i] = (struct mark){0, 0};
    if (global)
        cells->write_block[i] = quick->block;
}

/* Whether a mark is in order with what the thread does, at first sight: it is older than the launch; or of this block,
 * and older than its last barrier or the thread's own. Of shared memory all marks are of the block. */
CELL_BY_CELL uint32_t is_quick(struct mark mark, uint32_t of, const bool global,
                               const struct quick *quick, uint32_t thread)
{
    const uint32_t here =
        where(mark.time < quick->base) | where((mark.what & MARK_THREAD) == thread);
    return global ? where(mark.time < quick->launch) | (where(of == quick->block) & here) : here;
}

/* Whether a thread may load a cell, and store to it, at first sight. What is loaded of shared memory must be written
 * in the block; of global memory that is told apart. */
CELL_BY_CELL uint32_t may_load(const struct cells *cells, uint64_t i, const bool global,
                               const struct quick *quick, uint32_t thread)
{
    const struct mark write = cells->write[i];
    const uint32_t good =
        is_quick(write, global ? cells->write_block[i] : 0, global, quick, thread);
    return global ? good
                  : good & where(write.time >= quick->start) & where(!(write.what & MARK_COPY));
}

CELL_BY_CELL uint32_t may_store(const struct cells *cells, uint64_t i, const bool global,
                                const struct quick *quick, uint32_t thread)
{
    const struct mark write = cells->write[i], read = cells->read[i];
    const uint32_t recent = global ? quick->launch : quick->base;
    return is_quick(write, global ? cells->write_block[i] : 0, global, quick, thread) &
           is_quick(read, global ? cells->read_block[i] : 0, global, quick, thread) &
           (where(read.time < recent) | where(!(read.what & (MARK_MANY | MARK_MORE)))) &
           (global ? UINT32_MAX : where(!(write.what & MARK_COPY)));
}

/* Threads load or store cells from `at` on, each of them 1 << more: whether a quick look is enough. Then they are the
 * cells' readers, or their writers. */
FOR_CONSTANTS bool touch_cells(const struct cells *cells, uint64_t at, const uint32_t count,
                               const uint32_t more, const bool writes, const bool global,
                               const struct quick *quick, uint32_t thread)
{
    const struct quick now = *quick;
    const struct cells here = cells_from(cells, at, global);
    uint32_t bad = 0;
    for (uint32_t i = 0; i < count; i++)
        bad |= writes ? ~may_store(&here, i, global, &now, thread + (i >> more))
                      : ~may_load(&here, i, global, &now, thread + (i >> more));
    if (bad)
        return false;
    IN_ANY_ORDER
    for (uint32_t i = 0; i < count; i++)
        if (writes)
            note_writer(&here, i, global, &now, thread + (i >> more));
        else
            note_reader(&here, i, global, &now, thread + (i >> more));
    return true;
}

/* ---- state --------------------------------------------------------------------------------------- */

enum { LOOKS = 8, SWAPS = 8, GLANCES = 8 };
/* A plain load of a warp's, in a kernel that does atomic operations on such memory: which lane read where. */
struct check_glance {
    uint64_t mask, address[MACHINE_LANES];
    uint32_t place, time;
    bool global;
};
struct check_warp {
    uint32_t full;     /* when all its lanes met */
    uint32_t released; /* when it last released what it had done; */
    uint32_t acquired; /* until when it knows what others released */
    uint32_t fenced;   /* when it last executed fence.proxy.async */
    uint32_t *pair;    /* [lane][lane]: when these two met; NULL: none did by themselves */
    struct check_copies *copies;
    struct check_waits *waits; /* [lane], and of products: check_late.c; NULL: none yet */
    struct check_sum *sum;     /* of registers with sums of wgmma: check_sums.c; NULL: none yet */
    struct check_absent
        *absent;        /* registers with values of absent lanes: check_absent.c; NULL: none yet */
    struct check_look { /* its last plain loads from global memory */
        const struct machine_range *range;
        uint32_t place, time;
    } look[LOOKS];
    int looks;
    struct check_swap { /* its last atomic operations whose result is used */
        uint64_t address;
        uint32_t time;
        bool global;
    } swap[SWAPS];
    uint32_t swaps;
    struct check_glance *glance; /* the last GLANCES; NULL: there was none yet */
    uint32_t glances;
};

/* The warps that have come to a barrier that only some threads take part in, and which accesses they have seen. */
struct check_gathering {
    bool used, arrivals;        /* arrivals: some do not wait */
    uint32_t acquired, reach[]; /* [warp] */
};

/* What the checker knows of a block. Its clock goes on when something is ordered: a barrier, a fence, an atomic
 * operation. It is a Lamport clock: what was before is lower. */
struct check_block {
    uint32_t time;
    uint32_t start;        /* of the block */
    uint32_t base;         /* of the last barrier of all threads: what is older is in order */
    uint32_t cluster_base; /* of the last barrier of the cluster */
    /* When it last was, or may have been, put in order with other blocks by other means. */
    uint32_t mingled;
    uint32_t acquired; /* what all know by that barrier */
    uint32_t released; /* the last time that any warp released */
    bool fences;       /* a warp executed a fence, or the like */
    int warps, slots;
    struct cells cell; /* of shared memory */
    uint32_t cells;    /* how many there are */
    /* [warp][warp]: until when one is in order before the other; NULL: never by parts. */
    uint32_t *known;
    struct check_gathering *gathering[BARRIERS];
    /* The barrier of all threads behind which any warp executed fence.proxy.async. */
    uint32_t fenced;
    /* [cell]: when a copy last wrote it; NULL: neither copies nor wgmma read shared memory. */
    uint32_t *copied;
    struct check_other *other; /* who of the cluster touched it: check_cluster.c; NULL: nobody */
    struct check_late *late;   /* who may still read: check_late.c; NULL, as copied */
    struct check_bulk *bulk;   /* copies under way */
    int bulks, bulk_room;
    bool copies_arrive; /* mbarriers wait for copies of cp.async, or did */
    struct check_warp warp[];
};

enum { CHECK_LAST_TIME = 0x7fffffff };
struct check {
    int shift[2];    /* bytes of a cell, as a power of two: shared, global memory */
    bool atomics[2]; /* whether the kernel does atomic operations there */
    uint32_t start;  /* when the launch began: what is older is of another */
    struct check_shadow *shadow;
    _Atomic(uint32_t *) *released; /* pages of blocks: see check_order.c */
    _Atomic uint64_t shadow_bytes;
    _Atomic uint32_t latest; /* time of all clocks */
    atomic_bool overflowed;  /* parts of global memory have no shadow */
    atomic_bool disordered;  /* nor has a word by which blocks may put each other in order */
};

/* Lanes that touch memory now. */
struct look {
    struct warp *warp;
    struct check_block *block;
    struct check_warp *own;
    const struct access *access;
    const uint64_t *address;
    uint8_t *const *host;
    uint64_t mask;
    uint32_t what;         /* of its marks, without the thread */
    uint32_t released;     /* when the warp last released, before this access */
    uint32_t released_any; /* when any warp of the block did */
    int bytes;
    bool global, reads, writes, strong;
    const struct machine_range *range;
    /* The lane that is looked at: */
    int lane;
    uint32_t thread;
    int offset; /* of the cell, in what the lane touches */
    /* Another job may be about to store the same there: to be waited for, without the cell's lock, and looked at again. */
    bool unsettled;
    bool waited,
        alike; /* that was done, for the mark below; whether one that waits, too, does store the same */
    struct mark waiting; /* of whom it would race with */
};

/* Whether what is stored is in registers: tiles of wmma are not. */
static inline bool is_store_of_registers(const struct access *access)
{
    return access->op == OP_STORE && access->register_bytes;
}

/* Where the warp is, as its marks have it. */
static inline uint32_t check_place(const struct warp *warp)
{
    const uint32_t place = warp->frame->code->first_place + (uint32_t)warp->now->instruction;
    return (place < MARK_PLACES ? place : MARK_PLACES - 1) << MARK_PLACE;
}

static inline struct quick quick_of(const struct warp *warp, uint32_t what, bool global)
{
    const struct check_block *block = warp->block->check;
    const uint32_t lanes = (uint32_t)warp->run->warp_lanes;
    return (struct quick){.time = block->time,
                          .what = what,
                          .start = block->start,
                          .base = block->base,
                          .full = block->warp[warp->number].full,
                          .first = warp->number * lanes,
                          .lanes = lanes,
                          .launch = warp->run->check->start,
                          .block = global ? (uint32_t)warp->block->number : 0};
}

/* The warp looks at a store to global memory, which is executed behind that. */
static inline void check_stores(struct warp *warp)
{
    _Atomic uint32_t *stores = &warp->worker->stores;
    atomic_store_explicit(stores, atomic_load_explicit(stores, memory_order_relaxed) | 1,
                          memory_order_relaxed);
}

static inline uint32_t warp_of(const struct look *look, uint32_t thread)
{
    return thread / (uint32_t)look->warp->run->warp_lanes;
}

/* ---- check_order.c ------------------------------------------------------------------------------- */

/* Whether what the mark says was before what the lane does. block: of the mark, in global memory. */
bool check_in_order(const struct look *look, struct mark mark, uint32_t block);
/* Whether a fence is between a plain store of another block, in order with what the thread does, and what told the
 * thread's block of it. */
bool check_is_fenced(const struct look *look, struct mark write, uint32_t block);
/* The warp does an atomic operation, or one that has .release (fenced). */
void check_release(struct warp *warp, bool global, bool fenced);
/* The warp does another strong store to memory that other blocks see. */
void check_publish(struct warp *warp);
/* The lane has seen what the mark's thread wrote. */
void check_acquire(struct warp *warp, struct mark mark);

/* ---- check_race.c -------------------------------------------------------------------------------- */

/* Waits until other jobs have executed the stores that they have looked at, before a lane looks at a cell again. */
void check_wait(struct look *look);
/* The lane reads or writes the cell. */
void check_cell(struct look *look, const struct cells *cells, uint64_t at);

/* ---- check_global.c ------------------------------------------------------------------------------ */

bool check_global_begin(struct machine_run *run);
void check_global_end(struct machine_run *run);
/* The piece that has a cell of the range, to be locked. NULL: there is no memory for it. */
struct shadow_piece *check_piece(struct machine_run *run, const struct machine_range *range,
                                 uint64_t cell);
/* Asks the processor for the shadow of cells that lanes are about to touch, which are far apart: all at once, since each
 * look waits for its own. */
void check_ask(const struct machine_run *run, const struct machine_range *range, int count,
               const uint64_t *cell, bool writes);
/* Calls back for all pieces of what the launch touched, but for the device's heap: the address of each one's first byte. */
void check_each_piece(const struct machine_run *run,
                      void (*each)(void *context, struct shadow_piece *piece, uint64_t address),
                      void *context);
/* The rows of a pair of a piece, which is locked, have their own marks from now on. */
void check_part(const struct machine_run *run, struct shadow_piece *piece, uint64_t pair);
/* These cells of a piece, which is locked, stand by themselves from now on. false: no memory. */
bool check_mix(struct machine_run *run, struct shadow_piece *piece, uint64_t first, uint64_t last);
/* slow: lanes for which a quick look was not enough. */
void check_global_lanes(struct look *look, uint64_t slow);
/* As check_seen, for one lane. */
bool check_global_seen(struct warp *warp, int lane, uint64_t address);
/* Bytes of a range, from an offset on, become another allocation: forgets what was done to them. */
void check_global_forget(struct machine_run *run, const struct machine_range *range, uint64_t from,
                         uint64_t bytes);

/* ---- check_copy.c -------------------------------------------------------------------------------- */

/* A block ends with copies under way. */
void check_copy_forget(struct check_warp *own);
/* A warp has seen that a phase of the mbarrier is over, and another is on. Whether bulk copies of it are done now. */
bool check_bulk_done(struct warp *warp, uint32_t barrier, uint32_t phase);

/* ---- check_proxy.c ------------------------------------------------------------------------------- */

/* A copy to the cell is done. */
void check_copied(struct check_block *block, uint32_t cell);

/* ---- check_late.c -------------------------------------------------------------------------------- */

/* false: no memory. */
bool check_late_begin(struct check_block *block, struct arena *arena);
void check_late_forget(struct check_warp *own);
void check_sums_forget(struct check_warp *own, uint32_t sums);

/* ---- check_absent.c ------------------------------------------------------------------------------ */

void check_absent_forget(struct check_warp *own);
/* A shuffle has been executed: lanes of `missing` took a value of a lane that does not take part. Returns the step to
 * go on with. source: of each lane, the lane it took from. */
const struct step *check_shuffle(struct warp *warp, const struct step *step, uint64_t missing,
                                 const uint32_t source[32]);

/* ---- track.c, chance.c, chance_words.c --------------------------------------------------------------------------- */

/* Runs while values in registers of the warp are followed. NULL: its turn is over. */
const struct step *check_track(struct warp *warp, const struct step *step);
/* Lanes have executed an atomic operation, at these addresses, whose result decides where shared memory is accessed, or
 * by whom: from the next step on it is followed. */
void chance_begin(struct warp *warp, const struct step *step, const uint64_t *address);
/* Lanes of the mask have executed such a load. Those of `lanes` saw what depends on which warp is first. */
void chance_see(struct warp *warp, const struct step *step, uint64_t mask, uint64_t lanes);
/* A warp begins; a block does. */
void chance_forget(struct warp *warp);
void chance_words_forget(struct block *block);
/* Behind such an operation. */
handler chance_follow;

/* Lanes of the mask use pointers to local memory: whose is it? */
void check_owners(struct warp *warp, uint64_t mask, const uint64_t *address, int bytes,
                  bool writes);

/* Lanes read, and go on reading until they have waited. */
void check_late_read(const struct look *look);
/* Lanes are about to write to shared memory of the block; ordered: which is their own, and in whose order they are. */
void check_late_writes(struct look *look, struct check_block *block, bool ordered);

/* ---- check_cluster.c ----------------------------------------------------------------------------- */

void check_mingle(struct check_block *block);
/* Lanes are about to touch shared memory of their own block that others of the cluster have touched. */
void check_local_lanes(struct look *look);

/* ---- check_tell.c -------------------------------------------------------------------------------- */

/* "tile" of _ZZ9transposePfE4tile; other names as they are. */
struct slice check_plain_name(const char *name);
/* "a load of 4 bytes at byte 12 of tile" */
void check_say(const struct look *look, char *text, size_t room);
/* Whether it need not be told: not wanted, or told before. */
bool check_race_is_told(const struct look *look, struct mark mark);
void check_tell_race(const struct look *look, struct mark mark, uint32_t block, bool was_write,
                     uint32_t suspect);
/* What an atomic operation without a fence, a copy (cp.async) that is under way, or a store of another proxy has to do with it:
 * MACHINE_FAULT_FENCE, _COPY, _PROXY. */
void check_tell_unordered(const struct look *look, enum machine_fault_kind kind, struct mark mark,
                          uint64_t block);
/* of: whose shared memory it is; mark: of a thread of the block of that number. */
void check_tell_cluster(const struct look *look, struct mark mark, uint32_t block, bool was_write,
                        const struct block *of);
void check_tell_ended(const struct look *look, const struct block *of);
/* early: the reader, a product if MARK_STRONG, has not waited; else nothing puts the write in order behind that. */
void check_tell_overwrite(const struct look *look, struct mark mark, bool early);

#endif
