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
/* CUDA's vector types. */
#define SIMT_VECTOR2(type, name)                                                                   \
    typedef struct {                                                                               \
        type x, y;                                                                                 \
    } __attribute__((aligned(2 * sizeof(type)))) name;
#define SIMT_VECTOR4(type, name)                                                                   \
    typedef struct {                                                                               \
        type x, y, z, w;                                                                           \
    } __attribute__((aligned(4 * sizeof(type)))) name;
SIMT_VECTOR2(int, int2)
SIMT_VECTOR4(int, int4)
SIMT_VECTOR2(unsigned, uint2)
SIMT_VECTOR4(unsigned, uint4)
SIMT_VECTOR2(float, float2)
SIMT_VECTOR4(float, float4)
SIMT_VECTOR2(double, double2)
SIMT_VECTOR2(long long, longlong2)

/* One thread. Only host.c and the macros below look inside. */
struct simt {
    struct simt_index thread_idx, block_idx;
    int stage, round, slot;
    int fills; /* so far */
    struct host_block *block;
    unsigned char value[16] __attribute__((aligned(16))); /* of the last load of a watched kernel */
};
void *simt_host_shared(struct simt *simt, const char *name, size_t bytes, int64_t count, int line);
void simt_host_guard(struct simt *simt, const void *base, int64_t first, int64_t count, int line);
const void *simt_host_load(struct simt *simt, const void *base, size_t bytes, int64_t i, char tag,
                           int line);
const void *simt_host_load_apart(struct simt *simt, const void *base, size_t bytes, int64_t i,
                                 char tag, int line);
void simt_host_store(struct simt *simt, void *base, size_t bytes, int64_t i, const void *value,
                     char tag, int line);
void simt_host_fill(struct simt *simt, void *base, size_t bytes, int64_t i, const void *value,
                    int line);
void simt_host_sync(struct simt *simt, bool warp, int line);
void simt_host_stage(struct simt *simt, int stage);
void simt_host_round(struct simt *simt, int round);
void simt_host_slot(struct simt *simt, int slot);

#define KERNEL(name)                                                                               \
    static void name##_thread(struct simt *simt_, const struct name p, const int *in, int *out);   \
    static void name##_body(struct simt *simt_, const void *params, const void *in, void *out)     \
    {                                                                                              \
        name##_thread(simt_, *(const struct name *)params, (const int *)in, (int *)out);           \
    }                                                                                              \
    static void name##_thread(SIMT_UNUSED struct simt *simt_, SIMT_UNUSED const struct name p,     \
                              SIMT_UNUSED const int *in, SIMT_UNUSED int *out)
#define BARE(name, ...) /* the constants of the bare build: see simt.h */

#define DEVICE static inline SIMT_UNUSED
#define CONTEXT SIMT_UNUSED struct simt *simt_
#define UNROLL
#define ROLLED
#define threadIdx (*(const struct simt_index *)&simt_->thread_idx)
#define blockIdx (*(const struct simt_index *)&simt_->block_idx)
#define __syncthreads() simt_host_sync(simt_, false, __LINE__)
#define SYNC_WARP(w) simt_host_sync(simt_, true, __LINE__)

/* Shared arrays are opaque: a pointer into an array of int is a pointer to a struct that is defined
 * nowhere, so that tile[t] does not compile; the struct's name, which the compiler prints, says what
 * to write. Arrays of other types than these are pointers as everywhere. */
#define SIMT_TYPES(X)                                                                              \
    X(char, char)                                                                                  \
    X(signed char, signed_char)                                                                    \
    X(unsigned char, unsigned_char)                                                                \
    X(short, short)                                                                                \
    X(unsigned short, unsigned_short)                                                              \
    X(int, int)                                                                                    \
    X(unsigned, unsigned)                                                                          \
    X(long, long)                                                                                  \
    X(unsigned long, unsigned_long)                                                                \
    X(long long, long_long)                                                                        \
    X(unsigned long long, unsigned_long_long)                                                      \
    X(float, float)                                                                                \
    X(double, double)                                                                              \
    X(int2, int2)                                                                                  \
    X(int4, int4)                                                                                  \
    X(uint2, uint2)                                                                                \
    X(uint4, uint4)                                                                                \
    X(float2, float2)                                                                              \
    X(float4, float4)                                                                              \
    X(double2, double2)                                                                            \
    X(longlong2, longlong2)
#define SIMT_OPAQUE(word) struct shared_##word##__use_LOAD_STORE_or_SHARED_AT
#define SIMT_DECLARE_OPAQUE(type, word) SIMT_OPAQUE(word);
SIMT_TYPES(SIMT_DECLARE_OPAQUE)
#define SIMT_TO_OPAQUE(type, word)                                                                 \
    type * : (SIMT_OPAQUE(word) *)0, const type * : (const SIMT_OPAQUE(word) *)0,
#define SIMT_FROM_OPAQUE(type, word)                                                               \
    SIMT_OPAQUE(word) * : (type *)0, const SIMT_OPAQUE(word) * : (const type *)0,
/* The type of a pointer into an array of type, and the type of what such a pointer points to. */
#define SHARED_PTR(type)                                                                           \
    __typeof__(_Generic((type *)0, SIMT_TYPES(SIMT_TO_OPAQUE) default : (type *)0))
#define SIMT_ELEMENT(base)                                                                         \
    __typeof__(*_Generic((base), SIMT_TYPES(SIMT_FROM_OPAQUE) default : (base)))

#define SHARED_AT(base, i)                                                                         \
    ((__typeof__(base))((uintptr_t)(base) + (uintptr_t)(i) * sizeof(SIMT_ELEMENT(base))))
#define SHARED(type, name, count)                                                                  \
    SHARED_PTR(type) name = simt_host_shared(simt_, #name, sizeof(type), (count), __LINE__)
#define REGISTERS(type, name, count) type name[count]
#define GUARD(base, first, count) simt_host_guard(simt_, (base), (first), (count), __LINE__)

/* In a watched kernel (simt_watched.h), whoever reads shared memory itself bypasses LOAD; and where the
 * kernel is, calls say, which compile faster than assignments that are watched. */
#ifdef SIMT_WATCHED
#define STAGE(s) simt_host_stage(simt_, stage_##s)
#define ROUND(j) simt_host_round(simt_, (j))
#define SLOT(k) simt_host_slot(simt_, (k))
#define SIMT_LOAD simt_host_load_apart
#else
#define STAGE(s) (simt_->stage = stage_##s, simt_->round = 0, simt_->slot = 0)
#define ROUND(j) (simt_->round = (j), simt_->slot = 0)
#define SLOT(k) (simt_->slot = (k))
#define SIMT_LOAD simt_host_load
#endif
#define LOAD_TAG(base, i, tag)                                                                     \
    (*(const SIMT_ELEMENT(base) *)SIMT_LOAD(simt_, (base), sizeof(SIMT_ELEMENT(base)), (i), (tag), \
                                            __LINE__))
#define STORE_TAG(base, i, v, tag)                                                                 \
    do {                                                                                           \
        SIMT_ELEMENT(base) simt_v = (v);                                                           \
        simt_host_store(simt_, (base), sizeof(SIMT_ELEMENT(base)), (i), &simt_v, (tag), __LINE__); \
    } while (0)
#define FILL(base, i, v)                                                                           \
    do {                                                                                           \
        SIMT_ELEMENT(base) simt_v = (v);                                                           \
        simt_host_fill(simt_, (base), sizeof(SIMT_ELEMENT(base)), (i), &simt_v, __LINE__);         \
    } while (0)

#endif
