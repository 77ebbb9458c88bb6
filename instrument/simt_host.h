/* simt_host.h - simt.h for the host: threads are fibers, and every access is checked and recorded
 * (host.c). */
#ifndef BANKSCOPE_SIMT_HOST_H
#define BANKSCOPE_SIMT_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
