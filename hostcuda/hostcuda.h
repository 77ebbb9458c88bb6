/* hostcuda.h - runs any CUDA program on this machine: the tour of this folder, and the interface
 * between its parts.
 *
 *     program.cu --rewrite.c--> C++ --g++ -fsanitize=thread -fsanitize-coverage=trace-pc--> objects
 *     objects + include/ (stand-ins for the toolkit's headers) + libhostcuda.a (the engine) = program
 *     (call.c writes the main() of kernels that have none)
 *     program runs: engine --records--> bankscope: trace, table by source line, JSON
 *     where there is an nvcc: program.cu --nvcc.c--> cubin --cubin.c--> its accesses of each line;
 *                             machine.c changes the records accordingly before anybody sees them
 *
 * g++ puts a call before every memory access and at the head of every basic block; the engine has
 * the functions behind these calls. Threads of a block are fibers. A recorded block runs in
 * lockstep: of a warp's ready lanes, those deepest in calls, then lowest in program counter, run one
 * basic block each, and what they do to memory at one instruction is one warp access. Other blocks
 * run fiber by fiber from barrier to barrier, several blocks at once.
 *
 * __shared__ variables are thread-local (`static __thread`): every worker thread of the engine has a
 * shared memory of its own, and all of it lies in one segment. Dynamic shared memory
 * (`extern __shared__`) is the thread-local hostcuda_dynamic.
 *
 * The engine's own header among those in include/ is hostcuda_launch.h: what a rewritten launch
 * calls. cuda_runtime.h includes it last; the driver puts `-include cuda_runtime.h` before every
 * source, so that a program needs to include nothing.
 *
 * This file is included by C++ (the headers in include/) and by C (the engine). Everything below
 * may be called from any thread; a function marked as for kernels faults elsewhere.
 *
 * HOSTCUDA_QUIET marks a function that must not be instrumented: what it does to memory is not
 * recorded and it is no step of its lanes. It is never inlined. HOSTCUDA_INLINE marks one that is
 * always inlined, so that an engine function called in it sees the user's line as its caller: a
 * function below that says "the caller's instruction" must be called from such a one, or from
 * the user's code. Atomics, for example:
 *
 *     HOSTCUDA_QUIET int hostcuda_add(int *at, int value) { return __atomic_fetch_add(...); }
 *     HOSTCUDA_INLINE int atomicAdd(int *at, int value)
 *     {
 *         hostcuda_atomic(HOSTCUDA_ATOMIC, at, sizeof *at);
 *         return hostcuda_add(at, value);
 *     }
 */
#ifndef BANKSCOPE_HOSTCUDA_H
#define BANKSCOPE_HOSTCUDA_H

#include <stddef.h>
#include <stdint.h>

#define HOSTCUDA_QUIET                                                                             \
    __attribute__((noinline, unused, no_sanitize("thread"), no_sanitize_coverage))
#define HOSTCUDA_INLINE static inline __attribute__((always_inline, unused))
#define HOSTCUDA_THREAD __thread __attribute__((tls_model("local-exec")))

#ifdef __cplusplus
extern "C" {
#define HOSTCUDA_CONST const /* what g++ knows to be constant it does not instrument */
#else
#define HOSTCUDA_CONST
#endif

/* ---- who runs: switch.c swaps these when it goes from one fiber to another ------------------- */

struct hostcuda_dim3 {
    unsigned x, y, z;
};

#ifdef __cplusplus
}
/* uint3 and dim3 are declared by include/vector_types.h before this file is included by it.
 * blockDim has no constructor, because g++ would then not take it for constant. */
struct uint3;
struct dim3;
struct hostcuda_extent {
    unsigned x, y, z;
    inline operator dim3() const;
    inline operator uint3() const;
};
extern "C" {
extern HOSTCUDA_CONST HOSTCUDA_THREAD uint3 threadIdx, blockIdx;
extern HOSTCUDA_CONST HOSTCUDA_THREAD struct hostcuda_extent blockDim, gridDim;
#else
extern HOSTCUDA_THREAD struct hostcuda_dim3 threadIdx, blockIdx, blockDim, gridDim;
#endif

/* The lane within the warp, 0..31, and the thread's number in its block. */
extern HOSTCUDA_CONST HOSTCUDA_THREAD unsigned hostcuda_lane, hostcuda_thread;

/* Nonzero while this thread runs a kernel, for code that runs on both sides. */
extern HOSTCUDA_THREAD int hostcuda_in_kernel;

/* ---- shared memory ----------------------------------------------------------------------------- */

enum { HOSTCUDA_DYNAMIC_MOST = 227 * 1024, HOSTCUDA_STATIC_MOST = 48 * 1024 };
/* The launch's dynamic shared memory, and how many bytes of it the launch asked for. The rewriter
 * makes every `extern __shared__ T name[];` a name for it. */
extern HOSTCUDA_THREAD char hostcuda_dynamic[HOSTCUDA_DYNAMIC_MOST] __attribute__((aligned(1024)));
extern HOSTCUDA_CONST HOSTCUDA_THREAD unsigned hostcuda_dynamic_bytes;

/* ---- barriers and what a warp does together (kernels) ------------------------------------------ */

/* __syncthreads and its relatives: returns, to every thread of the block, nothing of use (plain),
 * how many predicates were nonzero (count), whether all were, whether any was. Threads that have
 * returned are not waited for. */
enum { HOSTCUDA_SYNC_PLAIN, HOSTCUDA_SYNC_COUNT, HOSTCUDA_SYNC_AND, HOSTCUDA_SYNC_OR };
int hostcuda_sync_block(int kind, int predicate);

/* A barrier among `threads` threads of the block with a number 0..15 (bar.sync id, threads) or 16..63
 * (tiles of several warps). threads 0: all of the block. */
void hostcuda_sync_named(int barrier, int threads);

/* __syncwarp: waits for the lanes named in mask, those that have returned excepted. */
void hostcuda_sync_warp(unsigned mask);

/* All lanes named in mask meet, those that have returned excepted; each hands in `bytes` (1..64,
 * the same for all) at `mine`. On return, all[lane * bytes] holds what that lane handed in (zeros
 * for lanes that did not come), for every lane of mask; the result is the mask of who came.
 * Match and reduce are written on it. The lane itself must be in mask. */
unsigned hostcuda_exchange(unsigned mask, const void *mine, size_t bytes, void *all);
/* The same, of which the lane wants what one lane handed in (shuffles); its own if that did not come. */
void hostcuda_receive(unsigned mask, const void *mine, size_t bytes, unsigned source, void *result);
/* The same of threads that are not all of one warp, at such a barrier; source: a thread of the block. */
void hostcuda_receive_far(int barrier, int threads, const void *mine, size_t bytes, unsigned source,
                          void *result);
/* The same of a predicate: who came, and of these, who said yes (votes). */
struct hostcuda_vote {
    unsigned came, yes;
};
struct hostcuda_vote hostcuda_ask(unsigned mask, int predicate);

/* __activemask: the lanes that are at the caller's instruction together. Lanes of the warp that
 * could still come are waited for as long as something else does not hold them. */
unsigned hostcuda_active(void);

/* All threads of all blocks of a cooperative launch meet (grid.sync). Faults in another launch. */
void hostcuda_sync_grid(void);

/* What BANKSCOPE_STAGE and BANKSCOPE_ROUND of include/bankscope.h call: the accesses of this thread from
 * here on belong to the stage of that name, to the round of that number (until the next stage). They
 * leave memory alone, so that values stay in registers as without them. */
#define HOSTCUDA_MARKS __attribute__((leaf, nothrow))
void hostcuda_stage(const char *name) HOSTCUDA_MARKS;
void hostcuda_round(long long round) HOSTCUDA_MARKS;

/* Says that this thread waits for another: gives the others a turn (__nanosleep, spin loops). */
void hostcuda_yield(void);

/* ---- memory accesses (kernels; the compiler's hooks are in hooks.c) ----------------------------- */

/* Records an atomic operation (HOSTCUDA_ATOMIC, HOSTCUDA_MERGED_ATOMIC or HOSTCUDA_COMPARE_AND_SWAP) on
 * `bytes` bytes at `at`, as the caller's instruction. Call it once, before the operation. A
 * HOSTCUDA_QUIET function must do the operation itself, by __atomic_*, because other blocks may run at
 * the same time. A no-op outside kernels. */
void hostcuda_atomic(int operation, const void *at, size_t bytes);
/* Says that this operation leaves one of two values (minimum, maximum, and, or, compare-and-swap), so
 * that one who came too late does no harm: see check.c. */
void hostcuda_chooses(const void *at);

/* Records a load or store that the compiler does not see (ldmatrix, memcpy_async and other library
 * functions written as HOSTCUDA_QUIET) as the caller's instruction: bytes 1, 2, 4, 8 or 16. */
enum {
    HOSTCUDA_LOAD,
    HOSTCUDA_STORE,
    HOSTCUDA_ATOMIC,
    HOSTCUDA_MATRIX_LOAD,
    HOSTCUDA_MATRIX_STORE,
    HOSTCUDA_ASYNC_STORE,
    HOSTCUDA_MERGED_ATOMIC, /* a GPU combines lanes that update one word before */
    HOSTCUDA_COMPARE_AND_SWAP,
};
void hostcuda_access(int operation, const void *at, size_t bytes);

/* Runs the PTX of an asm statement, whose operands are in the statement's order. A text is a literal: it
 * stays where it is. Faults in what no GPU has or what is not here, with one line that names it. */
struct hostcuda_operand {
    const char *constraint; /* "r", "=l", "+f": the letter says how many bits; "n": a constant */
    const char *name;       /* [name], or NULL */
    void *at;               /* of an output: the variable, of `bytes` bytes; NULL: an input */
    uint32_t bytes;
    uint64_t value; /* before the statement */
};
void hostcuda_ptx(const char *text, const struct hostcuda_operand *operand, int operands);
/* An address in shared memory as 32 bits, for PTX, and back. */
size_t hostcuda_to_shared(const void *at);
void *hostcuda_from_shared(size_t address);

/* Memory fences: order this thread's accesses for the race checker. */
enum { HOSTCUDA_FENCE_BLOCK, HOSTCUDA_FENCE_DEVICE, HOSTCUDA_FENCE_SYSTEM };
void hostcuda_fence(int scope);

/* Whether an address is in the shared memory of the running block (__isShared), a local variable
 * of the running thread (__isLocal). */
int hostcuda_is_shared(const void *at);
int hostcuda_is_local(const void *at);

/* ---- ending -------------------------------------------------------------------------------------- */

/* Ends the running launch with one line for the user (text is formatted as by printf) and the
 * caller's place; the launch returns `error`, a cudaError_t, which then sticks. Does not return. */
void hostcuda_fault(int error, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));
/* __trap(). (assert needs nothing: the engine has __assert_fail.) */
void hostcuda_trap(void) __attribute__((noreturn));

/* Says on standard error, once per text, that something is not here: "bankscope: cublasSgemm is not
 * available on this machine (app.cu:12): ..." and ends the program with status 1. */
void hostcuda_missing(const char *what, const char *advice) __attribute__((noreturn));

/* ---- launches (host code) -------------------------------------------------------------------------- */

struct hostcuda_launch {
    struct hostcuda_dim3 grid, block;
    size_t shared_bytes; /* dynamic */
    void *stream;
    const void *kernel;    /* the kernel's address, or NULL when only run knows it */
    const char *name;      /* as the source writes it; used when kernel is NULL */
    void (*run)(void *);   /* calls the kernel with its arguments; HOSTCUDA_QUIET */
    void *argument;        /* of run; shared by all threads, which must not change it */
    int cooperative;       /* hostcuda_sync_grid is allowed */
    int line;              /* where the launch stands */
    size_t argument_bytes; /* of argument, 0: unknown */
    const void **called;   /* where run reads which function to call, or NULL: it knows */
    const struct hostcuda_signature *signature; /* argument is a hostcuda_packed; NULL: it is not */
};

/* A kernel whose parameters are known: who calls it, and their sizes. */
struct hostcuda_packed {
    const void *kernel;
    void **values; /* one address for each parameter */
};
struct hostcuda_signature {
    void (*run)(void *packed);
    const size_t *sizes;
    size_t count;
};

/* Runs all blocks, then returns 0 or a cudaError_t: 9 (invalid configuration), 1 (invalid value),
 * 700, 710, 716, 719 (the kernel's faults, which stick: every later launch returns them). */
int hostcuda_launch(const struct hostcuda_launch *launch);
/* The error that sticks, or 0. */
int hostcuda_sticky(void);
/* The name of a function: "transpose<float>", without result and parameters. Valid for ever. */
const char *hostcuda_name(const void *function);

/* ---- memory (host code, and kernels' malloc) ------------------------------------------------------- */

enum hostcuda_memory {
    HOSTCUDA_DEVICE,  /* cudaMalloc and its relatives */
    HOSTCUDA_MANAGED, /* cudaMallocManaged */
    HOSTCUDA_PINNED,  /* cudaMallocHost, cudaHostAlloc */
    HOSTCUDA_HEAP,    /* malloc and new in kernels */
};
/* Memory of at least 256-byte alignment whose contents are undefined and marked unwritten, with
 * space around it that nothing may touch. NULL: no memory. bytes may be 0. */
void *hostcuda_allocate(size_t bytes, enum hostcuda_memory kind);
/* 0, or 1 (cudaErrorInvalidValue): at is not what hostcuda_allocate returned for that kind (NULL
 * is fine). Freed memory stays known, so that a later use can be named. */
int hostcuda_release(void *at, enum hostcuda_memory kind);
/* How many bytes kernels may have at a time (cudaLimitMallocHeapSize), which `bytes` changes; 0 leaves
 * it. */
size_t hostcuda_heap_limit(size_t bytes);
/* Host memory that the device may use from now on (cudaHostRegister), and no longer. */
void hostcuda_register(void *at, size_t bytes);
int hostcuda_unregister(void *at);
/* The allocation that an address is in. 0: none. */
struct hostcuda_region {
    void *base;
    size_t bytes;
    enum hostcuda_memory kind;
};
int hostcuda_find(const void *at, struct hostcuda_region *region);
/* To be called by copies and sets on the host's side before they touch memory: checks that
 * at..at+bytes lies in one allocation (or in none: host memory) and is not freed, and for writing
 * marks it written. 0, or 1 (cudaErrorInvalidValue) after one line that names `what`
 * ("cudaMemcpy"). */
enum { HOSTCUDA_HOST_READS, HOSTCUDA_HOST_WRITES };
int hostcuda_host_access(const char *what, void *at, size_t bytes, int writes);
/* Bytes of all device allocations, for cudaMemGetInfo and for the report of leaks. */
size_t hostcuda_device_bytes(void);
/* cudaDeviceReset: frees all device memory and forgets the sticky error. */
void hostcuda_reset(void);

#ifdef __cplusplus
}
#endif
#endif
