/* step.h - a program in the form in which it is executed, and the state of those who execute it.
 *
 * decode.c makes a step of each instruction: a function that does it (a handler), and where its operands
 * are. Registers are arrays with an element for each lane, one behind the other in a frame; an operand
 * is its first byte in the frame. Constants are registers that are never written. A predicate is a
 * mask of lanes.
 *
 *     add.s32 %r3, %r1, 4;     run: adds words; d, a: where the 32 words of %r3 and of %r1 are; b: 32 words of 4
 *     @%p1 bra AGAIN;          run: parts the lanes; a: the mask of %p1; target: the step of AGAIN
 *
 * A handler does one instruction for the lanes of warp->mask and returns the step that is next, or NULL:
 * the warp's turn is over. There are two of each: one for all lanes of the warp, one for some of them.
 * Registers of lanes that are not there may be written.
 */
#ifndef BANKSCOPE_MACHINE_STEP_H
#define BANKSCOPE_MACHINE_STEP_H

#include "machine/ptxas/join.h"

#include <stdatomic.h>

struct warp;
struct step;
typedef const struct step *handler(struct warp *warp, const struct step *step);

struct step {
    handler *run[2];        /* [0] for all lanes of the warp, [1] for some */
    uint32_t d, a, b, c, e; /* operands: bytes from the frame's start; d: the destination */
    uint32_t f;             /* a second destination; 0: none */
    uint32_t sub;           /* which of an operation's variants: see the operation */
    uint32_t negated;       /* bits 1 << FIELD: the predicate there is negated */
    int64_t immediate;
    const struct step *target; /* of a branch */
    const void *extra;         /* struct access, struct call, ... */
    int instruction;           /* index in the function's body; -1: none */
};
enum { FIELD_D, FIELD_A, FIELD_B, FIELD_C, FIELD_E, FIELD_F };

/* step->extra of an instruction that touches memory. */
enum { ACCESS_VECTOR = 8 };
struct access {
    enum ptx_space space;
    enum op op;
    uint8_t bytes, elements;      /* of one element in memory; of the vector */
    uint8_t register_bytes;       /* of a register that holds an element */
    bool is_signed, wide_address; /* wide: the address is in 64 bits */
    bool relaxed;                 /* volatile, or an access with an order: no race */
    bool releases;                /* what the thread did before is there for whoever sees it */
    uint32_t reg[ACCESS_VECTOR];
    /* How it is counted: alone, or as the first of those that ptxas joins. */
    int number;        /* of the kernel's accesses, -1: it is counted elsewhere, or nowhere */
    int global_number; /* likewise, where the instruction's address says which memory it accesses */
    int local_number;  /* of accesses to local memory, plus 1; 0: none */
    uint8_t count_bytes;    /* 0: as written */
    int count_offset;       /* from its address to the first byte of the joined access */
    enum join_lanes lanes;  /* of an atomic operation: which go */
    int pattern;            /* of the worker's; 0: it has none, and is done lane by lane */
    bool reduction, timing; /* no result is needed; how often it is done depends on other warps */
    /* The load in it, if it is a loop in machine code, on shared memory; else NULL. */
    const struct access *tries;
    /* For the checker: */
    uint8_t unread; /* elements whose register nobody reads; of an atomic: 1 */
    bool late;      /* it reads after its instruction, until its group is waited for */
    bool chooses;   /* an atomic operation that leaves one of two values */
    bool decides;   /* its result decides where shared memory is accessed, or by whom: chance.c */
    uint32_t array_at, array_bytes; /* of the shared variable that it is of; 0 bytes: not known */
};

/* step->extra of an asynchronous copy. step->a: where to, step->b: from where. */
struct copy {
    struct access to, from;
    int64_t source_offset;
    uint32_t ignores; /* a predicate, or 0: nothing is read */
};

/* An atomic operation on several elements: where their values are, and where what was there goes. */
struct atomic_vector {
    struct access access, old;
};

/* A function as a kernel calls it. */
struct code {
    struct ptx_function *function;
    struct kernel_code *kernel;
    struct step *step;
    int steps, step_room;
    uint32_t frame_bytes;
    uint32_t local_bytes, local_used; /* of a lane; without what only aligns them */
    struct constant {
        uint32_t at, bytes;
        uint64_t value;
    } * constant;
    int constants, constant_room;
    const uint32_t *reg; /* of the body's registers: where they are in the frame */
    struct place *parameter, *result;
    struct code *next;
    int number;
    const struct join_access *join; /* of its instructions: how each is counted */
    /* The number of its first instruction among those of the kernel: a place is an instruction. */
    uint32_t first_place;
};
/* Where a parameter of a function is: in the frame, a piece for each lane, or in local memory. */
struct place {
    uint32_t at, bytes;
    bool local;
};
/* Functions that the machine has: step->extra of a call has one. */
enum builtin {
    BUILTIN_NONE,
    BUILTIN_PRINT,
    BUILTIN_MALLOC,
    BUILTIN_FREE,
    BUILTIN_ASSERT,
    BUILTIN_MATH,
    BUILTIN_SYSTEM, /* of the device's runtime: children.h */
};
struct call {
    const struct ptx_function *function; /* NULL: the address is in step->a */
    struct code *code;                   /* decoded with the kernel */
    enum builtin builtin;
    const void *math;
    int arguments, results;
    struct place *argument, *result; /* in the caller's frame */
};

/* A kernel with all that it calls. */
struct kernel_code {
    struct ptx_module *module;
    struct ptx_function *entry;
    struct code *code, *last; /* of the entry, first of a list */
    int codes;
    int slots; /* lanes for which registers have room: 32 or 64 */
    const struct ptx_variable **shared_variable;
    struct machine_shared *shared; /* the same, as they lie in memory */
    int shareds, shared_room;
    uint32_t static_shared; /* where dynamic shared memory begins */
    struct access_row {
        struct machine_access_facts facts;
        const struct code *code;
        int step; /* of its instruction, in the code */
    } * access;
    int accesses, access_room, patterns;
    uint32_t places; /* instructions of all functions */
    uint32_t sums;   /* registers that may hold sums of wgmma: check_sums.c */
    bool by_proxy; /* it has bulk copies or wgmma: they read shared memory by a way of their own */
    uint8_t least[2]; /* bytes of the smallest access: shared, global */
    bool shares;      /* it has accesses to shared memory that are counted */
    bool allocates;   /* malloc */
    bool launches;    /* it calls the device's runtime */
    bool reserves;    /* asks where the system's shared memory is */
    bool
        recursive; /* a function calls itself, or one that calls it; calls by address do not count */
};

/* ---- who executes ----------------------------------------------------------------------------- */

/* A call of a function by some lanes of a warp: its registers. */
struct frame {
    uint8_t *registers;
    uint8_t *local;      /* slots pieces of code->local_bytes */
    uint32_t local_base; /* address of its local memory, above that of its callers */
    const struct code *code;
    struct frame *caller, *next_free;
    const struct step *back; /* where the caller goes on */
    uint64_t lanes;          /* that have not returned */
    int depth;
    uint64_t
        stack; /* bytes that it and its callers take of a thread's stack; without those of its own alloca */
    struct stack_memory *stack_memory; /* what alloca gave; NULL: it was never used */
};

/* Lanes of a warp that wait, at one place, for their turn or for others. */
struct group {
    struct frame *frame;
    const struct step *at;
    uint64_t mask;
    int barrier; /* whose end they wait for; -1: none */
};

enum warp_status { WARP_READY, WARP_WAITS, WARP_DONE };
struct warp {
    /* The lanes that run now: */
    uint8_t *registers; /* frame->registers */
    uint64_t mask;
    int some; /* not all lanes that are alive */
    int lanes_on;
    int32_t on[MACHINE_LANES]; /* -1 for lanes of the mask, when some */
    struct frame *frame;
    const struct step *now;  /* the step that runs, for faults */
    const struct step *stop; /* the lowest place where others wait: see warp.c */

    const struct step *at; /* where to go on */
    enum warp_status status;
    uint64_t alive, all; /* lanes that have not returned; that there are */
    uint32_t number;     /* in its block */
    int slots;
    int budget;    /* basic blocks until another warp has its turn */
    int64_t turns; /* basic blocks since lanes last took turns */
    int vain;      /* swaps in a row that changed nothing, as of lanes that want a lock */
    uint64_t won;  /* lanes whose last swap changed something: who may have that lock */
    bool fair;     /* other lanes of the warp have their turn, since these spin */
    bool force;    /* lanes are not waited for any more: they cannot come */
    bool followed; /* by the observer */
    bool tracked, tracking, trying; /* values in its registers are followed: track.c */
    struct chance *chance;          /* chance.c; NULL: none yet */
    struct group ready[MACHINE_LANES], parked[MACHINE_LANES], waiting[MACHINE_LANES];
    int readies, parkeds, waitings;
    uint32_t carry[MACHINE_LANES]; /* of add.cc */
    uint32_t phase;                /* barriers passed */
    uint32_t products;             /* groups of wgmma's that are committed */
    uint64_t steps, lane_steps;    /* executed */

    uint64_t gave_up; /* lanes that waited for each other at different places, and went on */
    /* The phase of the cluster's barrier in which each lane came to it. */
    uint32_t cluster_phase[MACHINE_LANES];

    struct block *block;
    struct worker *worker;
    struct machine_run *run;
    uint8_t *shared;
    const uint8_t *parameters;
    uint32_t thread[3][MACHINE_LANES];
    struct warp *next_free;
};

/* Blocks that are resident together and reach each other's shared memory. A block by itself is one, too.
 * An address of shared memory is an offset within the own block's, or, as mapa makes it, that of any block of the
 * cluster: its rank + 1 above CLUSTER_SHIFT. */
enum { CLUSTER_SHIFT = 24, CLUSTER_BARRIER = 16 };
struct cluster {
    struct block *block[MACHINE_CLUSTER]; /* by rank */
    int blocks, running;
    int stuck;               /* turns of its blocks in a row in which none could go on */
    uint32_t arrived, phase; /* threads at the barrier of the cluster; how often all came */
    struct cluster *next_free;
};
static inline bool is_remote(uint64_t address)
{
    return address >> CLUSTER_SHIFT & 0xff;
}

enum { BARRIERS = 16 };
struct barrier {
    uint32_t arrived, expected; /* expected 0: all threads */
    uint32_t yes, no;           /* predicates, of bar.red */
    uint32_t last_yes, last_no;
};
struct block {
    uint64_t number;
    uint32_t id[3];
    struct cluster *cluster;
    uint32_t rank, in_cluster[3]; /* of the block in its cluster */
    uint32_t alive;               /* threads */
    uint8_t *shared;
    struct warp **warp;
    int warps;
    struct barrier barrier[BARRIERS];
    int spins;              /* turns in which no warp came to its end */
    bool wanted, counted;   /* by the observer; its accesses are */
    uint64_t steps_counted; /* of its warps, that are in run->executed */
    struct check_block *check;
    struct chance_words *chance_words; /* chance_words.c; NULL: none yet */
    struct block *next_free;
};

/* What a thread of the host keeps while it runs blocks. */
struct worker {
    struct machine_run *run;
    struct arena arena;
    struct frame **free_frame; /* by code */
    struct warp *free_warp;
    struct block *free_block;
    struct cluster *free_cluster;
    struct memo *memo;       /* by access that is counted: pattern.h */
    struct pattern *pattern; /* by access that has one, from 1 on */
    void *matrices;          /* room for factors and sums of products; NULL: none was made yet */
    struct machine_count *count;
    const struct machine_range *range; /* the last one that was found */
    uint64_t blocks, instructions, lane_instructions;
    struct worker *next;
    bool failed; /* a fault has ended the launch */
    /* Odd: the checker has looked at a store to global memory that is not executed yet. Goes up with each. */
    _Atomic uint32_t stores;
    _Atomic(const struct look *) waits; /* for other jobs' stores, with this one (check_race.c) */
};

struct machine_run {
    struct machine_launch launch;
    struct machine_observer observer;
    struct kernel_code *kernel;
    struct machine_memory *memory;
    struct allocator allocator;
    struct arena arena; /* in which this lies */
    uint8_t *parameters;
    uint32_t shared_bytes; /* of a block, static and dynamic, and what the system has */
    uint32_t reserved_at;  /* where that begins; 0: it has none */
    uint32_t threads;      /* of a block */
    int warp_lanes, banks, bank_bytes;
    uint64_t blocks;
    uint32_t cluster[3];   /* blocks of a cluster: 1, 1, 1 without */
    int cluster_blocks;    /* of each */
    bool explicit_cluster; /* the launch or the kernel says how large they are */
    _Atomic uint64_t next_cluster, executed;
    _Atomic uint64_t
        charged; /* work of functions of the host's, as so many instructions of warps */
    atomic_bool stop, refused; /* refused: memory for blocks, or for what is checked */
    atomic_flag lock;          /* of what follows */
    struct worker *worker;
    struct machine_fault fault;
    bool faulted;
    struct machine_count *count;
    uint64_t sum_blocks, sum_instructions, sum_lanes;
    uint64_t workspace;  /* address of the words by which blocks of a cooperative launch meet */
    struct check *check; /* NULL: not checked */
    struct findings *findings; /* what goes on and was found */
    int **last_read;           /* [code], of its registers: track.c; NULL: none yet */
};

/* A mask of the lowest lanes. */
static inline uint64_t lanes_below(int count)
{
    return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}
/* The lanes of a mask, the lowest first. */
#define FOR_LANES(lane, mask)                                                                      \
    for (uint64_t left_ = (mask), lane = 0;                                                        \
         left_ && (lane = (uint64_t)__builtin_ctzll(left_), true); left_ &= left_ - 1)
#define REGISTER(type, warp, offset) ((type *)(void *)((warp)->registers + (offset)))

/* ---- operations.c: the table of instructions -------------------------------------------------- */

struct decoder;
/* An instruction in a spelling of PTX: "add{.sat}<.s32,.u32>": words in braces may be missing, of those in
 * angle brackets one is there. Types stand in their order, other words in any. */
struct operation {
    const char *pattern;
    const char *operands; /* which operand goes where: see decode.c. NULL: bind knows */
    bool (*bind)(struct decoder *decoder, const struct ptx_instruction *instruction,
                 const struct operation *operation, const int *choice);
    handler *run[2]; /* for all lanes; for some */
    bool together;   /* lanes meet in it, or it may not go on behind itself */
};
struct operations {
    const struct operation *row;
    int rows;
};
/* For 32 lanes and for 64; with or without AVX2. The rows are the same, in the same order. */
extern const struct operations operations_32, operations_32_avx2, operations_64;
/* The operations that this processor runs fastest. */
const struct operations *operations_for(int slots);

/* ---- decode.c ---------------------------------------------------------------------------------- */

/* Decodes a kernel and all that it calls. NULL: *error says what is not understood, and where. */
struct kernel_code *kernel_decode(struct machine_module *module, struct ptx_function *entry,
                                  int slots, struct error *error);
/* The code of a function of the kernel; made if it is not there yet. NULL: no memory. */
struct code *kernel_code_of(struct kernel_code *kernel, struct ptx_function *function);
/* Numbers a new access of the kernel; -1: no memory. */
int decode_access(struct decoder *decoder, bool global, enum op op, int bytes,
                  const struct ptx_variable *array);
/* The code of a pointer to a function, or NULL. */
const struct code *kernel_function(const struct kernel_code *kernel, uint64_t pointer);
uint64_t function_pointer(const struct ptx_function *function);

/* For operation.bind: */
struct decoder {
    struct kernel_code *kernel;
    struct code *code;
    const struct ptx_body *body;
    struct machine_module *module;
    const struct operations *operations;
    struct error *error;
    const struct ptx_instruction *instruction;
    int index;                      /* of the instruction */
    uint32_t *reg;                  /* registers: where they are in the frame */
    struct place *local;            /* the body's variables */
    const struct flow *flow;        /* in which order the instructions stand */
    const struct join_access *join; /* how each is counted, by its index */
    int item;                       /* of it: where decoding is */
    int *block_step;                /* by item: the step of its basic block's head */
    struct fixup {
        int step; /* whose target it is, -1: of a table: */
        const struct step **entry;
        int item; /* of the layout; -1: the step `to` */
        int to;
    } * fixup;
    int fixups, fixup_room;
    int head;    /* the step that heads this basic block */
    int main;    /* the first step of the instruction's own operation, -1: none yet */
    bool loaded; /* shared memory, in this basic block */
    const struct origin *origin; /* of registers */
    const struct global_origin *global_origin;
    struct sums *sums;   /* check_sums.c; NULL: no register holds one */
    const bool *reaches; /* reach.c; NULL: not asked yet */
    bool follows;        /* the instruction's result is followed: chance.c */
};
/* Appends a step of that operation, with the operands that `step` has. false: no memory. */
bool decode_emit(struct decoder *decoder, const struct operation *operation, struct step step);
/* Emits an operation that is no instruction's: "#jump". */
bool decode_internal(struct decoder *decoder, const char *name, struct step step);
/* The step just emitted, of a bra, goes where the layout says. */
bool decode_jump(struct decoder *decoder);
/* An entry of a table of steps is what a label stands for. */
bool decode_entry(struct decoder *decoder, const struct ptx_operand *label,
                  const struct step **entry);
/* A new basic block begins here. */
bool decode_block(struct decoder *decoder);
/* Room in the frame for an element of `bytes` for each lane. */
uint32_t decode_room(struct decoder *decoder, uint32_t bytes);
uint32_t decode_constant(struct decoder *decoder, uint64_t value, uint32_t bytes);
/* Where the value of an operand is, as a register of that type; 0: *error is set. */
uint32_t decode_source(struct decoder *decoder, const struct ptx_operand *operand,
                       enum ptx_type type);
/* The register that an operand names as destination of `bytes` bytes (a place that nobody reads for _). */
uint32_t decode_destination(struct decoder *decoder, const struct ptx_operand *operand,
                            uint32_t bytes);
/* A predicate: its place; adds the bit of `field` to *negated. */
uint32_t decode_predicate(struct decoder *decoder, const struct ptx_operand *operand, int field,
                          uint32_t *negated);
/* A whole number that must be known now. */
bool decode_number(struct decoder *decoder, const struct ptx_operand *operand, int64_t *value);
/* The register of an address and its offset: *wide: of 64 bits. space may be changed: a parameter of a
 * function lies in local memory. */
bool decode_address(struct decoder *decoder, const struct ptx_operand *operand,
                    enum ptx_space *space, uint32_t *at, int64_t *offset, bool *wide);
/* "line: WHAT: text of the instruction". Returns false. */
bool decode_wrong(struct decoder *decoder, const char *what);
void *decode_new(struct decoder *decoder, size_t size); /* NULL: *error is set */

/* What a lane has at a place in the frame, as wide as registers of the step's access; 0 for place 0. */
static inline uint64_t access_operand(const struct warp *warp, const struct step *step,
                                      uint32_t place, uint64_t lane)
{
    const uint32_t bytes = ((const struct access *)step->extra)->register_bytes;
    uint64_t value = 0;
    if (place)
        __builtin_memcpy(&value, warp->registers + place + lane * bytes, bytes);
    return value;
}

/* ---- warp.c: which lanes run ------------------------------------------------------------------- */

/* Lanes for which the predicate of a guard or branch holds, among all of the warp's. */
uint64_t warp_predicate(const struct warp *warp, const struct step *step);
/* Goes on with these lanes of this frame. */
void warp_go(struct warp *warp, struct frame *frame, uint64_t mask);
/* Where the lanes stop, since others wait there. */
void warp_set_stop(struct warp *warp);
/* The next group of lanes; NULL: none can run. */
const struct step *warp_pick(struct warp *warp);
/* The running lanes come to the step again, when other warps had their turn. Returns NULL, for handlers. */
const struct step *warp_again(struct warp *warp, const struct step *step);
/* The running lanes have come to an operation that lanes of `members` do together. false: all that can
 * come are here, in warp->mask. true: they wait, and the handler is to return *next. */
bool warp_gather(struct warp *warp, const struct step *step, uint64_t members,
                 const struct step **next);
/* For a warp's whole life. */
const struct step *warp_lanes_end(struct warp *warp); /* the running lanes have returned */
struct frame *frame_new(struct worker *worker, const struct code *code);
void frame_free(struct worker *worker, struct frame *frame);
/* The bytes of a lane in a parameter. */
uint8_t *frame_piece(const struct frame *frame, const struct place *place, uint64_t lane);
/* Runs until its turn is over. */
void warp_run(struct warp *warp);
handler control_block, control_turn, control_jump, control_branch, control_table, control_guard,
    control_call, control_return, control_exit, control_trap;

/* ---- follow.c: warps that the observer follows ---------------------------------------------------- */

/* Runs from that step until the warp's turn is over. */
void warp_follow(struct warp *warp, const struct step *step);

/* ---- block.c: barriers, and warps that take turns ---------------------------------------------- */

void block_release(struct block *block, int barrier);
handler block_barrier, block_arrive, block_reduced;

/* ---- cluster.c: blocks of a cluster, their barrier and addresses --------------------------------- */

/* The block that an address of shared memory is of; *within: its offset there. NULL: there is none of that rank. */
struct block *cluster_block(const struct warp *warp, uint64_t address, uint64_t *within);
/* Threads that waited go on, if all that live have come. */
void cluster_release(struct cluster *cluster);
handler cluster_arrive, cluster_wait, cluster_map_32, cluster_map_64, cluster_rank_32,
    cluster_rank_64, cluster_explicit;

/* ---- mbarrier.c --------------------------------------------------------------------------------- */

/* Bytes of an asynchronous copy have come: of the mbarrier at that address of shared memory. false: a fault. */
bool mbarrier_complete(struct warp *warp, int lane, uint64_t address, uint32_t bytes);
handler mbarrier, mbarrier_pending;

/* ---- bulk.c ---------------------------------------------------------------------------------------- */

handler bulk_copy, bulk_commit, bulk_wait, async_store, tensor_replace, tensor_publish;

/* ---- warp_size.c: warps of other sizes than 32 --------------------------------------------------- */

/* Ends the launch: the instruction is not defined for warps of that size. why: printf's, of the size. */
const struct step *warp_size_fault(struct warp *warp, const struct step *step, const char *why);
/* Tells the observer where the kernel does arithmetic on numbers of threads with 31 or 32. */
void warp_size_notes(struct machine_run *run);

/* ---- fault.c ------------------------------------------------------------------------------------ */

/* Ends the launch with a fault of the lane (-1: of any). Returns NULL, for handlers. */
const struct step *fault(struct warp *warp, int lane, enum machine_fault_kind kind,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Fills in where a fault is: of the step that runs, in that lane (-1: of any). */
void fault_describe(struct warp *warp, int lane, struct machine_fault *fault);
/* Zeroed memory for what is checked. NULL: refused, and the launch ends, for what is half known is told wrongly. */
void *run_new(struct machine_run *run, struct arena *arena, size_t size);
/* arena_grow, likewise. */
bool run_grow(struct machine_run *run, struct arena *arena, void *array, int *room, int count,
              size_t size);
void run_refuse(struct machine_run *run);
void run_lock(struct machine_run *run);
void run_unlock(struct machine_run *run);

/* ---- finding.c: what does not end a launch ------------------------------------------------------ */

/* Found at the step that runs. Each place (and other place) is told once, at the launch's end, with how often it was. */
void finding(struct warp *warp, int lane, enum machine_fault_kind kind, int other_site,
             const char *format, ...) __attribute__((format(printf, 5, 6)));
/* A finding in two steps, if its message takes time to make: first, whether it is not wanted, or was found
 * before; then it is counted. suspect: a place plus 1: it is told only if that place is not acquitted until
 * the launch ends; 0: it is certain. */
bool finding_again(struct warp *warp, enum machine_fault_kind kind, int other_site,
                   uint32_t suspect);
/* Whether it was found before, without counting it. */
bool finding_is_known(struct warp *warp, enum machine_fault_kind kind, int other_site);
void finding_put(struct warp *warp, int lane, enum machine_fault_kind kind, int other_site,
                 uint32_t suspect, const char *text);
void finding_acquit(struct machine_run *run, uint32_t place);
/* At the launch's end. */
void findings_tell(struct machine_run *run);
/* The place of the source that a step comes from, or -1. */
int step_site(const struct warp *warp, const struct step *step);
/* The site of an instruction of the kernel, by its place in the code. */
int place_site(const struct kernel_code *kernel, uint32_t place);

/* ---- memory.c: addresses ------------------------------------------------------------------------ */

/* Generic addresses: windows that no memory of the host lies in. */
#define WINDOW_SHARED (UINT64_C(1) << 56)
#define WINDOW_LOCAL (UINT64_C(2) << 56)
#define WINDOW_PARAMETER (UINT64_C(3) << 56)
#define WINDOW(address) ((address) & ~((UINT64_C(1) << 56) - 1))

/* Any number of bytes of global or shared memory (or of what a generic address says), at a multiple of `align`.
 * NULL after a fault. */
uint8_t *memory_span(struct warp *warp, int lane, enum ptx_space space, uint64_t address,
                     uint32_t bytes, uint32_t align, bool writes);
/* The bytes at an address of a lane, or NULL after a fault. space: PTX_GENERIC looks at the window. */
uint8_t *memory_at(struct warp *warp, int lane, enum ptx_space space, uint64_t address,
                   uint32_t bytes, bool writes);
/* What the device reads and writes of its own: strings of printf, ... */
bool memory_text(struct warp *warp, int lane, uint64_t address, char *text, size_t room);
uint64_t heap_allocate(struct warp *warp, uint64_t bytes);
bool heap_release(struct warp *warp, int lane, uint64_t address);

/* ---- special.c --------------------------------------------------------------------------------- */

handler special_32, special_64, special_local_32, special_local_64;

/* ---- run/stack.c: what functions take of the stack while they run ------------------------------ */

handler stack_allocate, stack_save, stack_restore, stack_allocate_32, stack_save_32,
    stack_restore_32;
/* A frame is used anew. */
void stack_clear(struct frame *frame);
/* Bytes that the lane has that has most. */
uint32_t stack_most(const struct frame *frame, uint64_t mask);
/* Where an address of a lane is, if it is within what that frame's function took; or NULL. */
uint8_t *stack_at(const struct frame *frame, int lane, uint64_t address, uint32_t bytes);

/* ---- calls.c ------------------------------------------------------------------------------------ */

const struct step *call_builtin(struct warp *warp, const struct step *step);
/* A lane's argument, of up to 8 bytes, and what the call returns to it. */
uint64_t call_argument(const struct warp *warp, const struct call *call, int number, int lane);
void call_result(const struct warp *warp, const struct call *call, int lane, uint64_t value);
/* What struct machine_children begins with: a page has no functions for them. */
struct children_calls {
    bool (*begin)(struct machine_children *children, struct machine_run *run);
    const struct step *(*call)(struct warp *warp, const struct step *step);
};
/* The builtin that an external function's name stands for. */
enum builtin builtin_named(struct slice name, const void **math);

#endif
