/* host.h - what the files of the host backend share: host.c runs and records kernels; host_order.c holds
 * what they say of rounds against what they did; watch.c watches what else a user's kernel does. No other
 * file includes it. */
#ifndef BANKSCOPE_HOST_H
#define BANKSCOPE_HOST_H

#include "instrument/fiber.h"
#include "instrument/instrument.h"
#include "instrument/shadow.h"
#include "instrument/simt.h"

enum {
    FIBER_STACK = 256 << 10, /* bytes; taken from the system only as they are touched */
    MAX_ARRAYS = 32,         /* shared arrays of a kernel */
    WIDEST = 16,             /* bytes of an access */
};

enum thread_state { READY, AT_BLOCK, AT_WARP, DONE };

struct host_thread {
    struct simt simt; /* first: what the macros see is the thread */
    struct fiber fiber;
    enum thread_state state;
    int line;     /* of the barrier it waits at */
    int arrays;   /* shared arrays that it has declared so far */
    int phase;    /* barriers that it has passed */
    int64_t last; /* place of its latest access (host_keep_order); -1: none yet */
    uint32_t run; /* how often its accesses went back to an earlier place */
};

struct host_array {
    const char *name;
    size_t bytes; /* of an element: 1 << shift */
    int shift;
    int64_t count;
    size_t size; /* of all elements, in bytes */
    unsigned char *base;
    size_t shadow; /* cell of its first element */
};

/* One (stage, round, slot): what each thread of the block did in it. */
struct host_row {
    bool used;
    struct host_lane {
        int64_t value;
        uint32_t addr;
        uint32_t tag : 8; /* 0: it has accessed nothing */
        uint32_t run : 24;
    } * lane; /* per thread */
    struct host_site {
        int line;
        uint8_t bytes, op, tagged;
        int phase;
    } * site; /* per warp, behind the lanes: the instruction; line 0: none yet */
};

struct host_round {
    size_t slots;
    struct host_row *slot;
};
struct host_stage {
    size_t rounds;
    struct host_round *round;
};

/* Memory of rows and slots. */
struct host_piece {
    struct host_piece *before;
    size_t used, room;
    char memory[] __attribute__((aligned(16)));
};

struct host_block {
    const struct launch *launch;
    const struct trace_header *header;
    const struct trace_sink *sink;
    struct error *error;
    struct fiber scheduler;
    bool failed;
    bool has_setup; /* the first stage is FILL's */
    int index;      /* of the block */
    int warps;
    struct host_thread *thread;
    struct host_stage *stage;
    struct host_piece *piece; /* the latest */
    unsigned char *shared;
    size_t shared_used;
    int arrays;
    struct host_array array[MAX_ARRAYS];
    struct shadow shadow; /* of shared memory */
    struct shadow out;    /* of launch->out; without cells until a watched kernel touches it */
    uint64_t progress;    /* goes up with every access and block */
    bool overdue;         /* it has not for long */
    uint64_t warp_accesses;
};

/* The kernel's thread that now runs on this thread of the operating system; NULL: none. */
struct simt *host_running(void);

/* Ends the run with one line that says where: kernel, stage, round, block, thread and line (0:
 * unknown). Control returns to the scheduler, never to the kernel. */
void host_fault(struct simt *simt, int line, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

/* Faults if a shadow found something wrong with the access of name[index]. */
void host_judge(struct simt *simt, struct shadow_verdict verdict, const char *name, int64_t index,
                int line);

static inline struct host_thread *host_thread_of(struct simt *simt)
{
    return (struct host_thread *)simt;
}

static inline int host_warp_of(const struct host_block *block, int thread)
{
    return block->shadow.warp_of[thread];
}

/* ---- host_records.c -------------------------------------------------------------------------- */

/* Records an access of the thread, with a tag (' ': none), in its stage, round and next slot; a fault if another
 * instruction of its warp has taken that slot. line: of the source. */
void host_record(struct simt *simt, enum op op, const unsigned char *at, size_t bytes, char tag,
                 int line);
/* Hands out the warp accesses of a block that is done, in the order of the trace. Keeps the rows for the next block.
 * false: the sink refused one, *block->error. */
bool host_flush_block(struct host_block *block);

/* ---- host_order.c ---------------------------------------------------------------------------- */

/* What is rare of host_keep_order: the thread's places go back; others of its warp made the access on another
 * side of a barrier. */
void host_new_run(struct simt *simt, int line);
__attribute__((noreturn)) void host_other_phase(struct simt *simt, int line);
/* A thread makes an access in its stage, round and slot, whose row has this site so far. */
static inline void host_keep_order(struct simt *simt, const struct host_site *site, int line)
{
    struct host_thread *thread = (struct host_thread *)simt;
    _Static_assert(MAX_SLOTS <= 1 << 12 && MAX_ROUNDS <= 1 << 20, "places are numbers");
    int64_t place = (int64_t)simt->stage << 32 | (int64_t)simt->round << 12 | simt->slot;
    if (site->line && site->phase != thread->phase)
        host_other_phase(simt, line);
    if (place < thread->last)
        host_new_run(simt, line);
    thread->last = place;
}
/* Whether there is an order in which each warp of the block, which has ended, makes its accesses, each once.
 * Otherwise accesses would be shown together that happen one after another, and their conflicts hidden:
 * lane c might count its rounds from c on in a circle. false: *block->error says where. */
bool host_check_order(const struct host_block *block);

#endif
