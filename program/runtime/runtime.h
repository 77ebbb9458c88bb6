/* runtime.h - the inside of the runtime API, which is linked into the user's program: a tour.
 *
 *     code.c     what compilers register (PTX, kernels, variables), and the modules that it becomes (link.c)
 *     launch.c   a launch, from its arguments to its outcome; heard.c: what is heard of it; children.c: what its
 *                kernel launches; pool.c: the threads that run its blocks
 *     early.c    results that the host reads too early; order.c: what streams do beside each other; children_order.c:
 *                what children do; footprint.c: the bytes of each
 *     repeat.c   launches that repeat one before them
 *     arena.c    device memory; heap.c: memory of the runtime's own
 *     report.c   what the bankscope process is told (program/records.h); keep.c: single accesses
 *     state.c    what all share: the lock, errors, who called
 *     blas/      functions of cuBLAS and cuRAND, which the host computes (blas.h)
 *     driver/    the driver API; graph/: CUDA graphs
 *     error.c, device.c, memory.c, symbol.c, stream.c, pools.c, array.c, texture.c, function.c, missing.c: the API
 *
 * The program must not feel it: none of its heap is used, none of its signal handlers replaced, and the
 * object has no global names but CUDA's. What the API means, CUDA's manual says; every function of it may
 * be called from any thread. Everything has happened when a call returns: streams and events keep order by
 * themselves. The types are those of program/compile/include/driver_types.h, whose layouts are CUDA 13's.
 */
#ifndef BANKSCOPE_RUNTIME_H
#define BANKSCOPE_RUNTIME_H

#include "machine/machine.h"
#include "program/records.h"

#include "driver_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions of the API that parts of it call. */
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);

/* ---- heap.c: memory that is not the program's ------------------------------------------------- */

/* As calloc, realloc and free. NULL: no memory. */
void *runtime_new(size_t bytes);
void *runtime_resize(void *at, size_t bytes);
void runtime_delete(void *at);
/* runtime_new, _resize and _delete, for the machine. */
extern const struct allocator runtime_allocator;
/* Makes room for `count` elements at the pointer whose address is `array`; new ones are zeroed. */
bool runtime_grow(void *array, size_t *room, size_t count, size_t size);

/* ---- state.c ---------------------------------------------------------------------------------- */

struct runtime_state {
    struct machine_memory *memory;
    struct machine_textures *textures;
    cudaError_t sticky; /* of a kernel that failed: every call returns it */
};
/* The first call begins everything. */
struct runtime_state *runtime_begin(void);
/* One thread at a time, which may come in again. A launch holds it from begin to end. */
void runtime_lock(void);
void runtime_unlock(void);

/* What every call begins with: remembers the place of the program that called the API, and returns the error that
 * sticks, or that this process is a copy (fork) of one that used the device. */
cudaError_t runtime_enter(void);
/* As runtime_enter, for the driver API, where a context exists only after somebody has made one. */
cudaError_t runtime_enter_driver(void);
bool runtime_was_used(void);
#define RETURN_STICKY()                                                                            \
    do {                                                                                           \
        cudaError_t sticks = runtime_enter();                                                      \
        if (sticks != cudaSuccess)                                                                 \
            return sticks;                                                                         \
    } while (0)
/* The place in the user's program from which the current call of the API was made, as a byte of the executable; 0: not
 * known. */
uint64_t runtime_caller(void);
/* Where the function is called that made the call, if it may be one of the toolkit's headers; 0: not known. */
uint64_t runtime_outer_caller(void);
/* The byte of the executable at an address of this process; 0: not known. */
uint64_t runtime_place(const void *address);
/* From here on the call counts as made by another. */
void runtime_called_from(uint64_t caller);

/* Remembers an error for cudaGetLastError and returns it. */
cudaError_t runtime_remember(cudaError_t error);
/* Remembers and returns cudaErrorInvalidValue unless what the caller must give is given. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return runtime_remember(cudaErrorInvalidValue);                                        \
    } while (0)
/* A call that has returned an error and done nothing else is told in that row, unless somebody asks for the last error;
 * NULL: it is not told. */
struct records_fault;
void runtime_unless_asked(struct records_fault *row);
/* A launch by <<<>>> failed, which nobody can see but by cudaGetLastError: unless somebody asks before the
 * program ends, it is told. */
struct runtime_kernel;
void runtime_unseen(const struct runtime_kernel *kernel, uint64_t caller, cudaError_t error);
/* Says in one line that a function or a feature is not there, and what to do. Remembers and returns
 * cudaErrorNotSupported. */
cudaError_t runtime_missing(const char *what, const char *advice);

/* ---- early.c: results that the host reads before it has waited -------------------------------------- */

/* Around a launch or an asynchronous copy: what it changes in memory of the host's is remembered until a wait. NULL:
 * nobody asked, or there is none. */
struct runtime_early;
struct runtime_early *runtime_early_begin(void);
void runtime_early_end(struct runtime_early *early, const char *what);
/* In every call that may wait. */
void runtime_early_waited(void);
/* Around a function of the program's that runs in a stream's order. */
void runtime_early_callback(bool begins);

/* ---- order.c: work of several streams that nothing puts in order --------------------------------------- */

enum { RUNTIME_LANES = 64 };
/* For each lane, the number of the last work that something comes behind. */
struct runtime_clock {
    uint32_t last[RUNTIME_LANES];
};
struct runtime_sequence {
    struct runtime_clock clock;
    uint32_t lane;
    bool aside; /* cudaStreamNonBlocking: neither it nor the legacy stream waits for the other */
};
void runtime_come_behind(struct runtime_clock *clock, const struct runtime_clock *other);
/* A stream is made. */
void runtime_order_stream(struct runtime_sequence *stream, bool aside);
/* This thread's next launch, copy or set is the stream's (NULL: the legacy stream's). What it touches is held against what
 * nothing puts in order with it, and what meets is told. */
void runtime_order_begin(struct runtime_sequence *stream);
/* A launch was executed; or, without a run, did what one before it did, whose footprint is *known. known: where the
 * footprint goes, to be freed; NULL: nowhere. false: not all was looked at. */
struct runtime_footprint;
bool runtime_order_launch(const struct runtime_kernel *kernel, const struct machine_run *run,
                          struct runtime_footprint **known);
void runtime_footprint_free(struct runtime_footprint *footprint);
/* What comes next is a child of the launch that this thread began last. */
void runtime_order_child(void);
/* A box was copied, or set (from: NULL). */
struct runtime_plane;
void runtime_order_box(const char *what, const struct runtime_plane *to,
                       const struct runtime_plane *from, struct cudaExtent extent);
/* Memory is new there. */
void runtime_order_forget(uint64_t address, uint64_t bytes);
/* What the stream's next work comes behind; from now on, also behind that. */
struct runtime_clock runtime_order_of(const struct runtime_sequence *stream);
void runtime_order_behind(struct runtime_sequence *stream, const struct runtime_clock *clock);
/* The host has waited for what is up to the clock (NULL: for everything), for the work that this thread began last. */
void runtime_order_waited(const struct runtime_clock *clock);
void runtime_order_waits(void);
/* This thread's next work is that of a node behind what is in the clock, in which it is then, too. */
void runtime_order_node(struct runtime_clock *clock);
/* The clock with the work that this thread began last, which does nothing by itself. */
struct runtime_clock runtime_order_now(void);

/* ---- repeat.c: launches that repeat one before them ------------------------------------------------- */

/* With the lock held. What is remembered of launches of that kernel, shape and arguments; NULL: nothing. counted: it
 * is counted and checked. */
struct runtime_repeat;
struct runtime_repeat *runtime_repeat_begin(const struct runtime_kernel *kernel,
                                            const struct machine_launch *launch, bool counted);
/* If it is known what the launch will do: does that to memory, and returns the outcome. NULL: it must be executed. */
const struct machine_outcome *runtime_repeat_outcome(struct runtime_repeat *repeat);
/* It was executed. NULL: with faults, or with words. */
void runtime_repeat_end(struct runtime_repeat *repeat, const struct machine_outcome *outcome);
/* Where the footprint of the launch whose outcome is kept stands (order.c). NULL: nothing is remembered. */
struct runtime_footprint **runtime_repeat_footprint(struct runtime_repeat *repeat);
/* A launch is executed, whether it is remembered or not. */
void runtime_repeat_executes(void);
/* A call writes to memory from there on, within one allocation: before and after it does. */
void runtime_repeat_touch(const void *at);
/* The hash of bytes, given that of what is before them. */
uint64_t runtime_hash(uint64_t hash, const void *bytes, size_t count);
/* Memory is freed, or modules are unloaded: new ones may be where they were. */
void runtime_repeat_forget(void);
/* texture.c: whether there are textures or surfaces. */
bool runtime_has_textures(void);

/* ---- report.c --------------------------------------------------------------------------------- */

/* What the bankscope process wants to know; without one, nothing is counted and faults go to standard
 * error. */
const struct records_choice *runtime_choice(void);
/* Takes the file out of the environment. Done once, before the program begins. */
void runtime_attach(void);
bool runtime_is_recorded(void);
bool runtime_wants_kernel(const struct runtime_kernel *kernel);
/* The registers of a thread, as nvcc's machine code says; 0: nothing is known. */
int runtime_registers(const struct runtime_kernel *kernel);
/* Tells a new module which of its loops are unrolled. */
void runtime_tell_loops(struct machine_module *module);

/* A launch while it runs. */
struct runtime_report {
    uint64_t number;             /* of the launch */
    uint32_t row;                /* RECORDS_NOTHING: it has none */
    struct records_launch *live; /* the row; NULL */
    bool folded;                 /* into the row of launches before it */
    bool counted;                /* it is to be counted and checked */
    struct machine_count *known; /* what the row has of it already; NULL: nothing */
    uint64_t known_instructions;
};
void runtime_report_begin(struct runtime_report *report, struct runtime_kernel *kernel,
                          const struct machine_launch *launch);
/* A kernel of that name launched it, at that site of its module. NULL: the host did. */
void runtime_report_parent(struct runtime_report *report, struct runtime_kernel *parent, int site);
/* What has been counted so far, which stays if the process is killed. For one thread at a time. */
void runtime_report_progress(struct runtime_report *report, const struct machine_outcome *outcome);
void runtime_report_end(struct runtime_report *report, const struct machine_outcome *outcome,
                        enum records_outcome how, cudaError_t error);
/* A fault of a launch; kind: as of a struct records_fault. */
void runtime_report_fault(struct runtime_kernel *kernel, uint64_t launch, uint32_t kind,
                          const struct machine_fault *fault);
/* A row of that kind with the running call as its place. Returns it, or NULL: there is no bankscope
 * process, and the line went to standard error, or no room. */
struct records_fault *runtime_report_line(uint32_t kind, struct runtime_kernel *kernel,
                                          const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The row of a site of the kernel's module, or RECORDS_NOTHING. */
uint32_t runtime_report_site(struct runtime_kernel *kernel, int site);
/* Rows of a table; claims `count`. NULL: there is no room. */
void *runtime_claim(enum records_tables table, uint64_t count, uint64_t *first);

/* ---- keep.c: accesses of a launch's first blocks ----------------------------------------------- */

struct runtime_keep;
/* NULL: none are kept. */
struct runtime_keep *runtime_keep_new(const struct runtime_report *report);
/* For a machine_observer. */
bool runtime_keep_wants(struct runtime_keep *keep, uint64_t block);
void runtime_keep_access(struct runtime_keep *keep, const struct machine_access *access);
void runtime_keep_stage(struct runtime_keep *keep, uint64_t block, uint32_t warp, const char *name,
                        size_t length);
void runtime_keep_round(struct runtime_keep *keep, uint64_t block, uint32_t warp, int64_t round);
/* Instructions of the warp that is followed. */
bool runtime_keep_follows(struct runtime_keep *keep, uint64_t block, uint32_t warp);
void runtime_keep_executed(struct runtime_keep *keep, const struct machine_executed *executed,
                           uint32_t site);
void runtime_keep_block_end(struct runtime_keep *keep, uint64_t block);
/* Lets go of what is too much, and writes down how much is kept. */
void runtime_keep_end(struct runtime_keep *keep, struct runtime_report *report);

/* ---- pool.c ------------------------------------------------------------------------------------ */

/* Runs all blocks, and returns when they are done. For one launch at a time. */
void runtime_run(struct machine_run *run, uint64_t blocks);

/* ---- code.c ------------------------------------------------------------------------------------ */

struct runtime_module {
    struct machine_module *module;
    uint32_t *site; /* rows of its sites */
    size_t sites, site_room;
    struct runtime_module *next;
};
struct runtime_kernel {
    const void *host; /* the function that stands for it */
    const char *name;
    struct runtime_binary *binary;
    struct machine_kernel *kernel; /* NULL: not asked for yet */
    struct runtime_module *module;
    struct machine_kernel_facts facts;
    int dynamic_most; /* bytes of dynamic shared memory that it may have: cudaFuncSetAttribute, or what
                         * its own leaves of 48 KB, as measured on an H200 */
    bool wide_clusters; /* clusters may have 16 blocks: the same */
    uint32_t row;       /* plus 1; 0: not asked for yet */
    struct runtime_kernel *next;
};
/* The kernel behind a function of the host's or a handle (cudaKernel_t), loaded; NULL: *error says why
 * not. */
struct runtime_kernel *runtime_kernel(const void *function, cudaError_t *error);
/* The same of a kernel of a module that is loaded; NULL: it cannot be run, which was said. For threads of a launch, too,
 * one at a time. */
struct runtime_kernel *runtime_kernel_of(struct machine_kernel *kernel);
/* The device's variable behind one of the host's. */
cudaError_t runtime_variable(const void *symbol, uint64_t *address, size_t *bytes);
/* 90: the highest target among the program's texts; 0: there are none. */
int runtime_target(void);
/* Code that the program loads while it runs: texts of PTX and containers, which become one module with the first
 * question about it. What they are is copied; path, if not NULL, is the file's that it is of, whose lines are told
 * of what has no others, and stays the caller's. NULL, false: no memory, or it cannot be loaded, which was said. */
struct runtime_binary *runtime_image_new(void);
bool runtime_image_add(struct runtime_binary *binary, const void *data, size_t length,
                       const char *path);
bool runtime_image_load(struct runtime_binary *binary);
void runtime_image_free(struct runtime_binary *binary);
/* A kernel of it by its name, loaded; a handle that all functions take that take a kernel. */
struct runtime_kernel *runtime_image_kernel(struct runtime_binary *binary, const char *name,
                                            cudaError_t *error);
/* The index-th kernel's name; NULL: no more. */
const char *runtime_image_kernel_at(struct runtime_binary *binary, int index);
bool runtime_image_variable(struct runtime_binary *binary, const char *name, uint64_t *address,
                            uint64_t *bytes);
/* Gives up every module (cudaDeviceReset): they are loaded anew when they are asked for. */
void runtime_unload(void);

/* ---- driver.c ----------------------------------------------------------------------------------- */

/* A function of the driver API by its name, with or without a version; NULL: there is none. */
void *runtime_driver_function(const char *name);

/* With other names for one function. */
#if defined(__x86_64__)
#define JUMP "jmp "
#elif defined(__aarch64__)
#define JUMP "b "
#endif
#define ALSO(name, suffix)                                                                         \
    __asm__(".text\n.globl " #name #suffix "\n.type " #name #suffix ", @function\n" #name #suffix  \
            ":\n\t" JUMP #name "\n");

/* ---- launch.c ----------------------------------------------------------------------------------- */

struct runtime_launch {
    struct runtime_kernel *kernel;
    dim3 grid, block;
    size_t shared;
    bool cooperative;
    dim3 cluster; /* blocks of one; x = 0: as the kernel says */
    uint64_t caller;
    const void *parameters; /* the buffer of all of them */
};
/* cudaSuccess, or what is wrong with the shape. */
cudaError_t runtime_check_launch(const struct runtime_launch *launch);
/* Runs it. Remembers the error. */
cudaError_t runtime_do_launch(const struct runtime_launch *launch);
/* Puts arguments, as launches have them, into a new buffer of parameters. NULL: no memory, or an argument is
 * missing. */
void *runtime_pack(const struct runtime_kernel *kernel, void **arguments);

/* ---- arena.c: device memory ---------------------------------------------------------------------- */

/* Whether memory of the program's own is registered. */
bool runtime_has_registered(void);
struct runtime_region {
    unsigned char *base;
    size_t bytes;
    enum machine_memory_kind kind;
};
/* NULL: no memory. */
void *runtime_allocate(size_t bytes, enum machine_memory_kind kind);
/* cudaErrorInvalidValue unless it begins an allocation of that kind (managed memory counts as the device's). */
cudaError_t runtime_release(void *at, enum machine_memory_kind kind);
/* Addresses without memory, from a multiple of the alignment on. NULL: there are none. */
void *runtime_reserve(size_t bytes, size_t alignment);
/* So many of a reservation's bytes have memory from now on, those from its beginning; what more there is than before is zero
 * and counts as never written. false: no memory. */
bool runtime_use(void *at, size_t bytes);
void runtime_unreserve(void *at);
/* Where the host can use what is at an address of the device's; other addresses stay as they are. */
void *runtime_host(const void *at);
/* What memory of the device an address is in. */
bool runtime_find(const void *at, struct runtime_region *region);
/* cudaErrorInvalidValue if a function of the host's touches device memory outside of what is allocated, which
 * is reported as a fault of `what`. Marks what it writes. */
cudaError_t runtime_access(const char *what, const void *at, size_t bytes, bool writes);
/* Whether it is in the device's part of the address space, allocated or not. */
bool runtime_is_device(const void *at);
/* Says that a call freed what begins no allocation. */
void runtime_report_free(const char *what, const void *at);
size_t runtime_device_bytes(void);
void runtime_leaks(uint64_t *count, uint64_t *bytes);
void runtime_release_all(void);

/* ---- device.c ------------------------------------------------------------------------------------- */

/* What is documented of a GPU (gpus.c); sizes in bytes, clocks in kHz. */
struct runtime_gpu {
    const char *name;
    int capability; /* 90 */
    int multiprocessors, clock, memory_clock, bus_bits, l2;
    int threads, blocks;      /* resident, of a multiprocessor */
    int shared, shared_block; /* of a multiprocessor; of a block that asks for it */
    int doubles;              /* float operations for one of double */
    size_t memory;
};
extern const char runtime_gpu_standard[];
/* By a part of its name that begins with a word of it ("A100", "rtx 4090"). NULL: there is none. */
const struct runtime_gpu *runtime_gpu_named(const char *name);
/* The one that was asked for. */
const struct runtime_gpu *runtime_gpu(void);
size_t runtime_total_memory(void);
/* Bytes of cudaDeviceProp that CUDA 13 has. */
enum { RUNTIME_PROPERTIES = 1008 };
/* The room of malloc in kernels: cudaLimitMallocHeapSize. */
size_t runtime_heap_bytes(void);
/* A thread's stack: cudaLimitStackSize. */
size_t runtime_stack_bytes(void);
/* Launches of a grid's that may wait: cudaLimitDevRuntimePendingLaunchCount. */
size_t runtime_pending_launches(void);
/* What cudaFuncGetAttributes says of a kernel; and how many of its blocks a multiprocessor holds. */
void runtime_function_attributes(const struct runtime_kernel *kernel,
                                 struct cudaFuncAttributes *attributes);
int runtime_occupancy(const struct runtime_kernel *kernel, int threads, size_t shared);
/* Blocks of so many threads and bytes of shared memory, static ones included, that a multiprocessor holds. */
int runtime_resident(int threads, size_t shared);

/* ---- graph.c, stream.c ------------------------------------------------------------------------------ */

/* What a stream is told to do, and a node of a graph keeps. Kernels of nodes have parameters of their own,
 * and child graphs are the node's own. */
struct runtime_work {
    enum cudaGraphNodeType type;
    union {
        struct runtime_launch launch;
        struct cudaMemcpy3DParms copy;
        struct cudaMemsetParams set;
        struct cudaHostNodeParams host;
        cudaGraph_t graph;
        cudaEvent_t event;
    };
};
struct runtime_nodes {
    cudaGraphNode_t *node;
    size_t count, room;
};
/* cudaSuccess, or no memory. */
cudaError_t runtime_nodes_add(struct runtime_nodes *nodes, cudaGraphNode_t node);
bool runtime_nodes_have(const struct runtime_nodes *nodes, cudaGraphNode_t node);
/* A node that does this after those. */
cudaError_t runtime_add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                             size_t count, const struct runtime_work *work);
/* Whether the graph has a node from number `first` on that nobody waits for but is not in `joined`. */
bool runtime_unjoined(cudaGraph_t graph, size_t first, const struct runtime_nodes *joined);
size_t runtime_graph_nodes(cudaGraph_t graph);

/* Whether the stream does not do the work now, because it is captured: then *error is what the call
 * returns. Without work, it only says whether the stream may do any. */
bool runtime_captures(cudaStream_t stream, const struct runtime_work *work, cudaError_t *error);
/* The error of a call that may not be made while a stream is captured: ever, or by who did not ask for
 * relaxed mode. */
cudaError_t runtime_forbidden(bool ever);
#define RETURN_IF_CAPTURED(stream, ...)                                                            \
    do {                                                                                           \
        cudaError_t captured;                                                                      \
        if (runtime_captures(stream, __VA_ARGS__, &captured))                                      \
            return captured;                                                                       \
    } while (0)
#define RETURN_FORBIDDEN(ever)                                                                     \
    do {                                                                                           \
        cudaError_t forbidden = runtime_forbidden(ever);                                           \
        if (forbidden != cudaSuccess)                                                              \
            return forbidden;                                                                      \
    } while (0)

/* ---- memory.c ----------------------------------------------------------------------------------------- */

/* A CUDA array: texels one after another, no padding; height and depth are at least 1. */
struct cudaArray {
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; /* as the user gave it: 0 for a dimension that is not there */
    size_t width, height, depth, texel;
    unsigned flags;
    unsigned char *texels;
};

static inline struct cudaExtent runtime_extent(size_t width, size_t height, size_t depth)
{
    return (struct cudaExtent){width, height, depth};
}
static inline struct cudaPitchedPtr runtime_pitched(void *at, size_t pitch, size_t width,
                                                    size_t height)
{
    return (struct cudaPitchedPtr){at, pitch, width, height};
}
/* How many channels a texel has, its bytes, and whether CUDA has such texels. */
int runtime_channels(struct cudaChannelFormatDesc format);
size_t runtime_texel_bytes(struct cudaChannelFormatDesc format);
bool runtime_is_format(struct cudaChannelFormatDesc format);

/* Checks the kind of a copy against what is known of the pointers. */
cudaError_t runtime_check_copy(const void *to, const void *from, enum cudaMemcpyKind kind);
/* Copies a box of rows between pitched memories after checking it with runtime_access. */
struct runtime_plane {
    unsigned char *at;
    size_t pitch, slice; /* bytes from row to row, from plane to plane */
};
cudaError_t runtime_copy_box(const char *what, struct runtime_plane to, struct runtime_plane from,
                             struct cudaExtent extent);
/* A copy and a set in all their forms; `what` is the function that asks for it. */
cudaError_t runtime_copy(const char *what, const struct cudaMemcpy3DParms *copy);
cudaError_t runtime_set(const char *what, const struct cudaMemsetParams *set);
/* Rows of memory to rows of memory. */
struct cudaMemcpy3DParms runtime_rows(void *to, size_t to_pitch, const void *from,
                                      size_t from_pitch, size_t width, size_t height,
                                      enum cudaMemcpyKind kind);
/* What a stream does with them. */
cudaError_t runtime_copy_in(cudaStream_t stream, const char *what, struct cudaMemcpy3DParms copy);

#endif
