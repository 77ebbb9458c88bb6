/* engine.h - the inside of the engine, which is linked into the user's program.
 *
 * A worker is a thread of the operating system that runs blocks, one after another. The threads of
 * its block are fibers on stacks of its own (switch.c). A warp is five masks of lanes: which are
 * ready to run, which stand at a point (schedule.c), which wait at a warp's meeting, a block's
 * barrier, a named one. In lockstep every basic block is a point; otherwise only where lanes must
 * be together (volatile shared memory, hostcuda_active).
 *
 * What the hooks need on every call is in thread-local variables; everything else is behind `worker`.
 */
#ifndef BANKSCOPE_HOSTCUDA_ENGINE_H
#define BANKSCOPE_HOSTCUDA_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "hostcuda/hostcuda.h"
#include "hostcuda/records.h"

enum {
    WARP = RECORD_WARP,
    MAX_BLOCK_THREADS = 1024,
    MAX_BLOCK_WARPS = MAX_BLOCK_THREADS / WARP,
    STACK_BYTES = 512 << 10, /* of a fiber; taken from the system only as they are touched */
    MAX_DEPTH = 256,         /* of calls whose return addresses are kept */
    MAX_STEP = 512,          /* accesses of a warp in one basic block */
    NAMED_BARRIERS = 64,
    EXCHANGE_MOST = 64, /* bytes that a lane hands in */
    EVERY_LANE = WARP,
    FUEL = 1 << 15, /* basic blocks until a fiber gives others a turn */
    PATIENCE = 256, /* steps of a warp that wait for others until those get a turn */
};

enum {
    ERROR_INVALID_VALUE = 1,
    ERROR_INVALID_CONFIGURATION = 9,
    ERROR_ILLEGAL_ADDRESS = 700,
    ERROR_TIMEOUT = 702,
    ERROR_ASSERT = 710,
    ERROR_MISALIGNED = 716,
    ERROR_LAUNCH_FAILURE = 719,
    ERROR_COOPERATIVE_TOO_LARGE = 720,
};

/* ---- switch.c: from stack to stack ----------------------------------------------------------- */

/* Where a fiber goes on. */
struct context {
    void *sp, *bp, *pc;
};
/* Leaves for `to`; returns when somebody leaves for `from`. */
#if defined(__x86_64__)
/* The compiler saves what else it has in registers. A jump and not a return, because fibers do not return
 * in the order of calls, which is what the processor expects of returns. */
static inline __attribute__((always_inline)) void switch_stack(struct context *from,
                                                               const struct context *to)
{
    __asm__ volatile("leaq 1f(%%rip), %%rax\n\t"
                     "movq %%rsp, (%0)\n\t"
                     "movq %%rbp, 8(%0)\n\t"
                     "movq %%rax, 16(%0)\n\t"
                     "movq (%1), %%rsp\n\t"
                     "movq 8(%1), %%rbp\n\t"
                     "jmp *16(%1)\n"
                     "1:"
                     : "+D"(from), "+S"(to)
                     :
                     : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
                       "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc",
                       "memory");
}
#else
void switch_stack(struct context *from, const struct context *to);
#endif
/* Makes `at` go on with function(), which must not return, on a stack of which `top` is the end. */
void switch_prepare(struct context *at, char *top, void (*function)(void));

/* ---- worker ---------------------------------------------------------------------------------- */

enum stop { STOP_POINT, STOP_MEET, STOP_BARRIER, STOP_NAMED, STOP_DONE };

/* Where the program says that a thread is. */
struct mark {
    uint32_t stage; /* record_stage.number, 0: none */
    uint32_t round; /* RECORD_UNNUMBERED: it does not say */
};

/* One access of a warp's step: lanes that were at the same instruction. */
struct step_access {
    uintptr_t pc;
    uint32_t caller[RECORD_CALLERS];
    uint8_t operation, bytes;
    struct mark mark; /* of its first lane */
    uint32_t mask;
    uint32_t addr[WARP];
    uint64_t value[WARP];
};

struct warp {
    uint32_t ready, point, meet, barrier, named, grid, done, all;
    uint32_t yes;      /* what lanes said when they came to a meeting */
    uint32_t group;    /* lanes of this step */
    uint32_t idle;     /* steps of waiting, see PATIENCE */
    uint32_t round;    /* steps with shared accesses in this phase */
    uint32_t accesses; /* used of step */
    uint32_t turns;    /* times that its patience ended */
    uint64_t steps;
};

/* What a thread that has stopped waits for. */
struct waiting {
    uintptr_t pc;
    uint32_t mask;    /* meeting: who shall come; named barrier: its number */
    const void *mine; /* meeting: what it hands in, so many bytes */
    uint32_t bytes;
    uint32_t source; /* the lane whose bytes it wants, or EVERY_LANE */
    void *result;
    uint32_t came, yes; /* who came, and of these, who said yes */
};

struct launch_run;

/* What the threads said at a barrier of the block. */
struct vote {
    int of, yes;
};

struct worker {
    struct launch_run *launch;
    struct context home; /* of the thread that runs blocks */
    int number;
    int threads, warps; /* of the block */
    int current;        /* thread */
    int alive, at_barrier, at_grid;
    int votes;           /* of those at the barrier, who said yes */
    struct vote vote[2]; /* at the last two barriers: phase % 2 */
    bool lockstep, recorded;
    bool resumed;   /* the block did not begin just now: other blocks ran in between */
    bool suspended; /* it waits for other blocks, or seems to */
    bool company;   /* there are other blocks that could run */
    bool looks;     /* since its last progress, at what others may change: it may wait for them */
    char *saved;    /* its shared memory while another block runs */
    bool changed, waited; /* in this step: memory changed; a lane looked whether it has */
    uint32_t cursor;      /* the running lane's next place in step */
    uint32_t phase;       /* block barriers passed */
    uint64_t block;       /* linear index */
    uint64_t work;        /* hooks of recorded blocks */
    uint64_t dropped;     /* warp accesses that found no room */
    uint64_t progress, progress_seen; /* threads done and barriers passed */
    double progress_time;
    uintptr_t here;   /* where the running lane is, roughly */
    int threads_next; /* of the launch's blocks */
    uint16_t named_count[NAMED_BARRIERS];
    struct warp *warp; /* MAX_BLOCK_WARPS */
    struct waiting *waiting;
    uint64_t *key;           /* per thread: where it stands: deepest, then lowest first */
    uint64_t *last_run;      /* per thread: step of its warp */
    struct context *context; /* per thread */
    int *stack_of;
    int *depth;
    uintptr_t (*calls)[MAX_DEPTH];
    struct mark *mark;           /* per thread */
    struct hostcuda_dim3 *index; /* per thread: threadIdx */
    struct hostcuda_dim3 index_for;
    struct step_access *step;
    char *stacks; /* mapping */
    int stacks_made, stacks_free;
    int *free_stack;
    struct pending {
        const void *at;
        uint8_t bytes;
        struct step_access *access;
        uint64_t before[2];
    } pending;                        /* a store whose value is read when the lane goes on */
    struct company *company_of;       /* launch.c: blocks that wait, of this thread */
    uint8_t carry[MAX_BLOCK_THREADS]; /* per thread: of PTX's add.cc */
    char *alternate;                  /* stacks for after a signal, and for its handler */
    timer_t timer;                    /* of its thread's time of the processor */
    struct worker *next;              /* launch.c: of those whose threads have ended */
    struct {
        int32_t fuel;
        uint64_t progress;
        double since;
    } tick; /* when the timer first found it where it is */
};

extern HOSTCUDA_THREAD struct worker *worker; /* NULL: this thread runs no blocks */

/* What the hooks look at. `fuel`: basic blocks until schedule_fuel is called. `watch`: what memory
 * hooks do: nothing on the host's side, only what scheduling needs, bounds, everything. */
enum { WATCH_NOTHING, WATCH_QUICK, WATCH_MEMORY, WATCH_ALL };
extern HOSTCUDA_THREAD int32_t fuel;
extern HOSTCUDA_THREAD int32_t watch;
extern HOSTCUDA_THREAD int32_t call_depth;

/* ---- schedule.c ------------------------------------------------------------------------------ */

struct worker *worker_new(int number);
/* Puts a block on the worker. */
void worker_begin_block(struct worker *worker, uint64_t index, bool recorded);
/* Runs it until it is done (true), or until all its threads wait for the grid or it is suspended. */
bool worker_go_on(struct worker *worker);
/* All blocks have come to the barrier of the grid. */
void worker_release_grid(struct worker *worker);
/* The running lane stands at pc; goes on when it is its turn. */
void schedule_point(uintptr_t pc);
/* fuel is used up: a basic block begins at pc. */
void schedule_fuel(uintptr_t pc);
/* The functions hostcuda_... of these names, for an instruction of the kernel that stands at pc. */
int sync_block_at(int kind, int predicate, uintptr_t pc);
void sync_named_at(int barrier, int threads, uintptr_t pc);
unsigned exchange_at(unsigned mask, const void *mine, size_t bytes, void *all, uintptr_t pc);
unsigned active_at(uintptr_t pc);
void yield_at(uintptr_t pc);
/* Leaves the block for good: its fibers are abandoned. */
void schedule_abandon(void) __attribute__((noreturn));

/* ---- hooks.c --------------------------------------------------------------------------------- */

/* Where the shared memory of this thread lies. */
struct segment {
    char *from, *to;
};
extern HOSTCUDA_THREAD struct segment shared_segment;
/* Records an access of the running lane by the instruction at pc; relaxed: atomic or volatile. */
void access_at(int operation, const void *at, size_t bytes, uintptr_t pc, bool relaxed);
/* Reads the value that the running lane's last store left. */
void access_settle(void);

/* ---- check.c --------------------------------------------------------------------------------- */

void check_block_begins(struct worker *worker);
/* The launch's recorded blocks are done. */
void check_launch_ends(void);
void check_grid_barrier(void);
void check_barrier(struct worker *worker);
void check_warp_barrier(struct worker *worker, int warp, uint32_t lanes);
void check_divergence(struct worker *worker, int first, int other);
void check_lanes(struct worker *worker, int thread, uint32_t missing);
void check_deadlock(struct worker *worker);
/* An access of the running thread to shared memory, to the arena, to the arena in a recorded
 * block, to any other place. `relaxed`: atomic or volatile; `whole`: not a part of a larger copy, which
 * may hold padding that nobody wrote. false: reported, and the access is not to be recorded. */
bool check_shared(int operation, const void *at, size_t bytes, uintptr_t pc, bool relaxed,
                  bool whole);
bool check_arena(int operation, const void *at, size_t bytes, uintptr_t pc, bool whole);
/* The running thread's atomic operation at `at` leaves one of two values. */
void check_choice(const void *at);
void check_global(int operation, const void *at, size_t bytes, uintptr_t pc, bool relaxed);
/* The same of one of the program's own variables; false: it is none. */
bool check_variable(int operation, const void *at, size_t bytes, uintptr_t pc, bool relaxed);
void check_elsewhere(int operation, const void *at, size_t bytes, uintptr_t pc, bool relaxed);
/* The running lane's last store is done; it changed memory or did not. */
void check_settled(bool changed);

/* ---- memory.c -------------------------------------------------------------------------------- */

/* Device memory lies at a fixed place, and four bits about each of its words at another. */
#define ARENA_BASE ((uintptr_t)0x100000000000)
#define ARENA_BYTES ((uintptr_t)1 << 36)
#define ARENA_STATE ((uintptr_t)0x180000000000)
static inline bool arena_has(const void *at)
{
    return (uintptr_t)at - ARENA_BASE < ARENA_BYTES;
}
static inline uint8_t *arena_state(const void *at)
{
    return (uint8_t *)(((uintptr_t)at - ARENA_BASE) / 4 + ARENA_STATE);
}
/* Looks at an access to the arena; what it writes is marked as written. */
enum arena_verdict { ARENA_GOOD, ARENA_OUTSIDE, ARENA_FREED, ARENA_UNWRITTEN };
enum arena_verdict arena_check(const void *at, size_t bytes, bool reads, bool writes);
/* From now on nobody knows what was written: some blocks are not watched. */
void arena_forget_written(void);
void arena_mark_written(const void *at, size_t bytes);
void arena_reset(void);
/* Host memory that was registered for the device. */
bool host_memory_allowed(const void *at, size_t bytes);
/* The allocation that the address is in, or the one nearest to it. */
bool arena_nearest(const void *at, struct hostcuda_region *region, bool *freed);
/* What is not freed of the host's allocations, or of the kernels'. */
void arena_leaks(bool heap, uint64_t *count, uint64_t *bytes);

/* ---- launch.c -------------------------------------------------------------------------------- */

struct launch_run {
    const struct hostcuda_launch *launch;
    void (*run)(void *); /* calls the kernel */
    uint64_t number, blocks, next_block, end;
    uint64_t recorded_blocks, dropped, work;
    int status;
    uint32_t reason;
    bool stop;
    bool announced;
    bool shared;          /* recorded blocks have accessed shared memory */
    bool quick;           /* unrecorded blocks are not watched */
    double watched_until; /* before then, they are */
};
/* Ends the running launch from inside its kernel. */
void launch_fail(struct worker *worker, int status) __attribute__((noreturn));
/* Ends the program: there is no memory for its blocks. */
void launch_no_memory(void) __attribute__((noreturn));
/* As hostcuda_fault, for a function of the engine that the instruction before pc called. */
void fault_at(int error, uintptr_t pc, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
/* As hostcuda_trap, for the instruction at pc. */
void trap_at(uintptr_t pc) __attribute__((noreturn));
/* To be called now and then by a block that runs: true when it has made no progress for a while and
 * other blocks are to have a turn; ends the launch when there are none and it has been too long. */
bool launch_check_time(struct worker *worker);
/* Where this thread's segment becomes the program's shared memory: behind the engine's own variables
 * (schedule.c). */
char *launch_shared(void);

/* ---- report.c: records ------------------------------------------------------------------------ */

bool report_open(void);
bool report_wanted(void);
bool report_values(void);
void report_record(enum record_kind kind, const void *data, size_t bytes);
void report_access(struct worker *worker, const struct step_access *access, uint32_t warp,
                   uint32_t round, uint32_t slot);
/* The number of a stage, which is reported when it is new; 0: there are too many. */
uint32_t report_stage(const char *name);
/* How many launches there were, the one that begins included, and of how many not all was watched. */
void report_launch(uint64_t launches, uint64_t unwatched);
/* Where the functions return to that a thread is in. */
void report_callers(const struct worker *worker, int thread, uint32_t caller[RECORD_CALLERS]);
/* A fault of the running thread, at pc. */
void report_fault(struct record_fault *fault);
/* The running thread, for a fault. */
struct record_thread report_self(uintptr_t pc, int operation);
struct record_thread report_thread(struct worker *worker, int thread, uintptr_t pc, int operation);

/* ---- symbols.c ------------------------------------------------------------------------------- */

/* The function that an address is in, as a kernel's name; "?" for none. */
const char *symbol_name(uintptr_t address);
/* What bytes offset.. of the segment are: of one of the program's thread-local variables (then its first
 * byte and its end), of what g++ keeps about one, of none. */
enum shared_kind { SHARED_NOTHING, SHARED_VARIABLE, SHARED_GUARD };
enum shared_kind symbol_shared(uint32_t offset, size_t bytes, uint32_t *from, uint32_t *to);
/* Whether the address is that of a lambda as a function, which no kernel is. */
bool symbol_is_lambda(uintptr_t address);
/* The copy of a function without hooks that the driver made, or the function itself. */
const void *symbol_twin(const void *function);
/* Whether bytes at.. are of one of the program's other variables: `found` is that one, else the nearest
 * (from 0: unknown). */
struct data_symbol {
    uintptr_t from, to;
    const char *name;
};
bool symbol_data(uintptr_t at, size_t bytes, struct data_symbol *found);

/* Whether an operation reads and writes in one go. */
static inline bool is_atomic(int operation)
{
    return operation == HOSTCUDA_ATOMIC || operation == HOSTCUDA_MERGED_ATOMIC ||
           operation == HOSTCUDA_COMPARE_AND_SWAP;
}

#endif
