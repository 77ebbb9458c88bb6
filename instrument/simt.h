/* simt.h - the C subset of CUDA in which kernels are written, and its three builds.
 *
 * A kernel reads like CUDA: threadIdx.x, blockIdx.x, __syncthreads(). What is added says where the
 * kernel is (STAGE, ROUND, SLOT) and passes shared-memory accesses through LOAD and STORE:
 *
 *     struct twice { int w, u; };      the parameters, all int, in the catalogue's order
 *     STAGES(write, read)
 *     KERNEL(twice)                    in scope: p (the parameters), in, out
 *     {
 *         int t = threadIdx.x;
 *         SHARED(int, tile, p.u);
 *         STAGE(write);
 *         ROUND(0);
 *         STORE(tile, t, in[t]);
 *         __syncthreads();
 *         STAGE(read);
 *         ROUND(0);
 *         out[t] = 2 * LOAD(tile, (t + 1) % p.u);
 *     }
 *
 * The same lines are built three ways:
 *   host    (a C compiler)        every access is checked and recorded; any warp size, no GPU;
 *   traced  (nvcc -DSIMT_TRACED)  every thread writes its records to a device buffer;
 *   bare    (nvcc -DSIMT_BARE)    LOAD and STORE are plain accesses, the rest is gone.
 *
 * Rules of the subset, valid C11 and C++: all threads of a block reach every barrier; a variable
 * array of registers is REGISTERS; a helper function that touches shared memory takes CONTEXT as
 * its first parameter and is handed simt_. An index or value with side effects is evaluated once.
 */
#ifndef BANKSCOPE_SIMT_H
#define BANKSCOPE_SIMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIMT_UNUSED __attribute__((unused))

/* The stages of the kernel, in order (up to eight): what STAGE accepts, and their names for the
 * catalogue ("write, read"). The constants are stage_write, stage_read, so that no stage's name
 * clashes with a library's. */
#define STAGES(...)                                                                                \
    enum { SIMT_EACH(__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0, 0)(__VA_ARGS__) };                       \
    SIMT_UNUSED static const char stage_names[] = #__VA_ARGS__;
#define SIMT_EACH(a, b, c, d, e, f, g, h, n, ...) SIMT_EACH_##n
#define SIMT_EACH_0(a) stage_##a
#define SIMT_EACH_1(a, ...) stage_##a, SIMT_EACH_0(__VA_ARGS__)
#define SIMT_EACH_2(a, ...) stage_##a, SIMT_EACH_1(__VA_ARGS__)
#define SIMT_EACH_3(a, ...) stage_##a, SIMT_EACH_2(__VA_ARGS__)
#define SIMT_EACH_4(a, ...) stage_##a, SIMT_EACH_3(__VA_ARGS__)
#define SIMT_EACH_5(a, ...) stage_##a, SIMT_EACH_4(__VA_ARGS__)
#define SIMT_EACH_6(a, ...) stage_##a, SIMT_EACH_5(__VA_ARGS__)
#define SIMT_EACH_7(a, ...) stage_##a, SIMT_EACH_6(__VA_ARGS__)

#ifndef __CUDACC__
/* ---- host: fibers and records (instrument/host.c) ------------------------------------------- */

#define SIMT_HOST 1

struct simt_index {
    int x;
};
typedef struct {
    int x, y, z, w;
} __attribute__((aligned(16))) int4; /* CUDA's */
/* One thread. Only host.c and the macros below look inside. */
struct simt {
    struct simt_index thread_idx, block_idx;
    int stage, round, slot;
    struct host_block *block;
};
void *simt_host_shared(struct simt *simt, const char *name, size_t bytes, int64_t count, int line);
void simt_host_guard(struct simt *simt, const void *base, int64_t first, int64_t count, int line);
const void *simt_host_load(struct simt *simt, const void *base, size_t bytes, int64_t i, char tag,
                           int line);
void simt_host_store(struct simt *simt, void *base, size_t bytes, int64_t i, const void *value,
                     char tag, int line);
void simt_host_fill(struct simt *simt, void *base, size_t bytes, int64_t i, const void *value,
                    int line);
void simt_host_sync(struct simt *simt, bool warp, int line);

#define KERNEL(name)                                                                               \
    static void name##_thread(struct simt *simt_, const struct name p, const int *in, int *out);   \
    static void name##_body(struct simt *simt_, const void *params, const void *in, void *out)     \
    {                                                                                              \
        name##_thread(simt_, *(const struct name *)params, (const int *)in, (int *)out);           \
    }                                                                                              \
    static void name##_thread(SIMT_UNUSED struct simt *simt_, SIMT_UNUSED const struct name p,     \
                              SIMT_UNUSED const int *in, SIMT_UNUSED int *out)
#define BARE(name, ...) /* the constants of the bare build: see below */

#define DEVICE static inline SIMT_UNUSED
#define CONTEXT SIMT_UNUSED struct simt *simt_
#define UNROLL
#define threadIdx (simt_->thread_idx)
#define blockIdx (simt_->block_idx)
#define __syncthreads() simt_host_sync(simt_, false, __LINE__)
#define SYNC_WARP(w) simt_host_sync(simt_, true, __LINE__)

#define SHARED(type, name, count)                                                                  \
    type *name = (type *)simt_host_shared(simt_, #name, sizeof(type), (count), __LINE__)
#define REGISTERS(type, name, count) type name[count]
#define GUARD(base, first, count) simt_host_guard(simt_, (base), (first), (count), __LINE__)

#define STAGE(s) (simt_->stage = stage_##s, simt_->round = 0, simt_->slot = 0)
#define ROUND(j) (simt_->round = (j), simt_->slot = 0)
#define SLOT(k) (simt_->slot = (k))

#define LOAD_TAG(base, i, tag)                                                                     \
    (*(const __typeof__(*(base)) *)simt_host_load(simt_, (base), sizeof *(base), (i), (tag),       \
                                                  __LINE__))
#define STORE_TAG(base, i, v, tag)                                                                 \
    do {                                                                                           \
        __typeof__(*(base)) simt_v = (v);                                                          \
        simt_host_store(simt_, (base), sizeof *(base), (i), &simt_v, (tag), __LINE__);             \
    } while (0)
#define FILL(base, i, v)                                                                           \
    do {                                                                                           \
        __typeof__(*(base)) simt_v = (v);                                                          \
        simt_host_fill(simt_, (base), sizeof *(base), (i), &simt_v, __LINE__);                     \
    } while (0)

#else
/* ---- CUDA: traced and bare (instrument/cuda.h) ----------------------------------------------- */

#include "instrument/cuda.h"

#endif

/* What the words mean, in every build:
 *
 * KERNEL(name)          begins the kernel; struct name holds its parameters, and p, in, out are in
 *                       scope: its parameters by value, the global memory it reads and writes.
 * BARE(name, {..}, ..)  parameter sets for which the CUDA builds are compiled with constants, as
 *                       initialisers of struct name (which then has a member u); ANY leaves one
 *                       open. Other sets run with variables, which costs time but not exactness.
 * STAGE(s), ROUND(j)    where the kernel is; ROUND starts at slot 0. STAGE(step + i) is the i-th
 *                       stage after `step`.
 * SLOT(k)               the next access is the k-th shared-memory instruction of the round. Each
 *                       access moves on to the next slot by itself, so SLOT is needed only where
 *                       lanes diverge: two branches are two instructions and need two slots.
 * SHARED(t, name, n)    a shared array of n elements of t. Every thread declares the same arrays.
 * LOAD(name, i)         the element i of a shared array, or of a pointer into one.
 * STORE(name, i, v)
 * LOAD_TAG, STORE_TAG   the same, naming with one character the list that the word belongs to
 *                       (printable ASCII; a space: none).
 * FILL(name, i, v)      a store that sets the scene: checked, but not part of the lesson and not in
 *                       the trace. Neighbouring threads must fill neighbouring elements.
 * GUARD(name, f, n)     elements f .. f + n - 1 may be read before they are written, as a library
 *                       does that reads past its end and drops the value. They hold zero.
 * SYNC_WARP(w)          barrier of the w threads of a warp.
 * REGISTERS(t, name, n) an array in registers: index it with unrolled loops (UNROLL before `for`).
 */
#define LOAD(base, i) LOAD_TAG(base, i, ' ')
#define STORE(base, i, v) STORE_TAG(base, i, v, ' ')

#endif
