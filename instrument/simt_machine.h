/* simt_machine.h - simt.h for the kernel compiler (kernelc/): plain CUDA with marks. LOAD and STORE are plain accesses;
 * STAGE and ROUND are the marks that name stages and rounds (bankscope.h), and cost no instruction of the kernel's.
 *
 * KERNEL(stride) is a __global__ function stride(const struct stride p, const int *in, int *out), which can be
 * launched as any other:
 *
 *     bankscope run kernels/stride.cu --compiler small --call 'stride<<<1, 32>>>({32, 32, 1, 2, 1}, in, out)' \
 *         --array 'int in[64] = random' --array 'int out[32]'
 *
 * Shared arrays lie where the host backend puts them, in one array of SIMT_SHARED_BYTES (48 KB unless -D says
 * otherwise); a mark tells the machine what each is called. Stages are called as STAGES does; with a number behind, STAGE(step + i) is step-i, if `step` is the last
 * one. A FILL begins the stage `setup`, which ends with the next STAGE.
 */
#ifndef BANKSCOPE_SIMT_MACHINE_H
#define BANKSCOPE_SIMT_MACHINE_H

#ifndef SIMT_SHARED_BYTES
#define SIMT_SHARED_BYTES 49152
#endif
enum { SIMT_REGISTERS = 256 }; /* the most that REGISTERS gives */

__shared__ __align__(128) char simt_memory[SIMT_SHARED_BYTES];

/* One thread. */
struct simt {
    unsigned shared_used;
};

#define DEVICE static __device__ inline
#define CONTEXT SIMT_UNUSED struct simt &simt_
#define UNROLL /* the kernel compiler leaves loops as they are */
#define ROLLED
#define SYNC_WARP(w) __syncwarp()
#define REGISTERS(type, name, count) type name[SIMT_REGISTERS]
#define GUARD(base, first, count) ((void)(first), (void)(count))
#define BARE(name, ...) /* the constants of the bare build: see simt.h */

/* name##_params: behind the function, `name` alone is the function. */
#define KERNEL(name)                                                                               \
    typedef struct name name##_params;                                                             \
    static __device__ inline void name##_thread(struct simt &, const name##_params, const int *,   \
                                                int *);                                            \
    extern "C" __global__ void name(const name##_params p, const int *in, int *out)                \
    {                                                                                              \
        struct simt simt_ = {0};                                                                   \
        name##_thread(simt_, p, in, out);                                                          \
    }                                                                                              \
    static __device__ inline void name##_thread(SIMT_UNUSED struct simt &simt_,                    \
                                                SIMT_UNUSED const name##_params p,                 \
                                                SIMT_UNUSED const int *in, SIMT_UNUSED int *out)

/* In place of names for the catalogue: functions that say them, of a stage and of a stage with a number behind. */
#undef SIMT_NAMES
#define SIMT_NAMES(...)                                                                            \
    static __device__ inline void simt_mark(int stage, bool numbered)                              \
    {                                                                                              \
        SIMT_MARK(__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0, 0)(__VA_ARGS__)                             \
    }                                                                                              \
    static __device__ inline void simt_stage(enum simt_stages stage)                               \
    {                                                                                              \
        simt_mark(stage, false);                                                                   \
    }                                                                                              \
    static __device__ inline void simt_stage(int stage)                                            \
    {                                                                                              \
        simt_mark(stage, true);                                                                    \
    }
#define SIMT_MARK(a, b, c, d, e, f, g, h, n, ...) SIMT_MARK_##n
#define SIMT_MARK_0(a)                                                                             \
    if (numbered)                                                                                  \
        asm volatile("// bankscope stage " #a "-%0" ::"r"(stage - stage_##a));                     \
    else                                                                                           \
        BANKSCOPE_STAGE(#a);
#define SIMT_MARK_IF(a)                                                                            \
    if (stage == stage_##a)                                                                        \
        BANKSCOPE_STAGE(#a);                                                                       \
    else
#define SIMT_MARK_1(a, ...) SIMT_MARK_IF(a) SIMT_MARK_0(__VA_ARGS__)
#define SIMT_MARK_2(a, ...) SIMT_MARK_IF(a) SIMT_MARK_1(__VA_ARGS__)
#define SIMT_MARK_3(a, ...) SIMT_MARK_IF(a) SIMT_MARK_2(__VA_ARGS__)
#define SIMT_MARK_4(a, ...) SIMT_MARK_IF(a) SIMT_MARK_3(__VA_ARGS__)
#define SIMT_MARK_5(a, ...) SIMT_MARK_IF(a) SIMT_MARK_4(__VA_ARGS__)
#define SIMT_MARK_6(a, ...) SIMT_MARK_IF(a) SIMT_MARK_5(__VA_ARGS__)
#define SIMT_MARK_7(a, ...) SIMT_MARK_IF(a) SIMT_MARK_6(__VA_ARGS__)

#define STAGE(s) simt_stage(stage_##s)
#define ROUND(j) BANKSCOPE_ROUND(j)
#define SLOT(k) ((void)(k))

#define SHARED_PTR(type) type *
#define SHARED_AT(base, i) ((base) + (i))
#define SHARED(type, name, count)                                                                  \
    type *name = simt_shared<type>(simt_, (count));                                                \
    asm volatile("// bankscope array " #type " " #name " %0" ::"l"(                                \
        __cvta_generic_to_shared(name) | (unsigned long long)((count) * sizeof(type)) << 32))
template <class T> static __device__ inline T *simt_shared(struct simt &s, int count)
{
    const unsigned start = (s.shared_used + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    s.shared_used = start + (unsigned)count * sizeof(T);
    return (T *)(simt_memory + start);
}
#define LOAD_TAG(base, i, tag) ((base)[i])
#define STORE_TAG(base, i, v, tag) ((void)((base)[i] = (v)))
#define FILL(base, i, v)                                                                           \
    do {                                                                                           \
        STAGE(setup);                                                                              \
        (base)[i] = (v);                                                                           \
    } while (0)

#endif
