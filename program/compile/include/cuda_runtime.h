/* cuda_runtime.h - CUDA C++ for clang 14 to 22 without the toolkit, for the pass that compiles kernels and the
 * one that compiles the host program; and the runtime API for compilers of host code alone. It is
 * included before every source that has kernels, so that a program needs to include nothing.
 *
 * clang brings a part of what is needed in headers of its own (__clang_cuda_*.h), made to be put around
 * the toolkit's; they are included here in their order with ours between them. What differs from version
 * to version there (__clang_cuda_intrinsics.h), or is wrong without the toolkit, is in bankscope/.
 * Functions of libdevice, vprintf, malloc, free and __assertfail stay undefined in the PTX, and the
 * machine serves them by name.
 */
#ifndef BANKSCOPE_CUDA_RUNTIME_H
#define BANKSCOPE_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__

#if defined(__cplusplus) && defined(__CUDA__)

/* Programs ask for these of nvcc. */
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1

#include "host_defines.h"
#include <__clang_cuda_math_forward_declares.h>
#include <cmath>
#include <cstdlib>
#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "vector_types.h"
#include "vector_functions.h"
#include "driver_types.h"
#include "library_types.h"

/* ---- threadIdx and its relatives ----------------------------------------------------------------- */

#define warpSize bankscope_clang_warp_size /* a constant 32 */
#include <__clang_cuda_builtin_vars.h>
#undef warpSize
#ifndef BANKSCOPE_OWN_WARP_SIZE /* a program may have `const int warpSize = 32;` */
/* Reads the machine's, as nvcc's does: no constant. */
struct bankscope_warp_size {
    __device__ BANKSCOPE_MEMBER operator int() const
    {
        int size;
        __asm__("mov.u32 %0, WARP_SZ;" : "=r"(size));
        return size;
    }
};
static const __device__ __attribute__((unused)) bankscope_warp_size warpSize = {};
#endif

#define BANKSCOPE_TRIPLE(name)                                                                     \
    __device__ inline __cuda_builtin_##name##_t::operator dim3() const                             \
    {                                                                                              \
        return dim3(x, y, z);                                                                      \
    }                                                                                              \
    __device__ inline __cuda_builtin_##name##_t::operator uint3() const                            \
    {                                                                                              \
        return {x, y, z};                                                                          \
    }
BANKSCOPE_TRIPLE(threadIdx)
BANKSCOPE_TRIPLE(blockIdx)
BANKSCOPE_TRIPLE(blockDim)
BANKSCOPE_TRIPLE(gridDim)
#undef BANKSCOPE_TRIPLE

/* ---- functions of numbers ------------------------------------------------------------------------ */

#include "bankscope/pure.h"
#include <__clang_cuda_libdevice_declares.h>
#include "bankscope/libdevice.h"

/* Barriers, votes and such are ours. */
#define __threadfence bankscope_clang_fence
#define __threadfence_block bankscope_clang_fence_block
#define __threadfence_system bankscope_clang_fence_system
#define __syncthreads_and bankscope_clang_and
#define __syncthreads_or bankscope_clang_or
#define __syncthreads_count bankscope_clang_count
#define __all bankscope_clang_all
#define __any bankscope_clang_any
#define __ballot bankscope_clang_ballot
#define __isShared bankscope_clang_shared
#define __isGlobal bankscope_clang_global
#define __isLocal bankscope_clang_local
#define __isConstant bankscope_clang_constant
#include <__clang_cuda_device_functions.h>
#undef __threadfence
#undef __threadfence_block
#undef __threadfence_system
#undef __syncthreads_and
#undef __syncthreads_or
#undef __syncthreads_count
#undef __all
#undef __any
#undef __ballot
#undef __isShared
#undef __isGlobal
#undef __isLocal
#undef __isConstant

/* The smaller and the larger of two are ours, for both sides (minmax.h). */
#define min bankscope_clang_min
#define max bankscope_clang_max
#define umin bankscope_clang_umin
#define umax bankscope_clang_umax
#define llmin bankscope_clang_llmin
#define llmax bankscope_clang_llmax
#define ullmin bankscope_clang_ullmin
#define ullmax bankscope_clang_ullmax
#ifdef __CLANG_CUDA_APPROX_TRANSCENDENTALS__ /* -use_fast_math: those that clang leaves precise */
#define __nv_powf __nv_fast_powf
#define __nv_expf __nv_fast_expf
#define __nv_exp10f __nv_fast_exp10f
#define __nv_log10f __nv_fast_log10f
#define __nv_tanf __nv_fast_tanf
#endif
#include <__clang_cuda_math.h>
#undef __nv_powf
#undef __nv_expf
#undef __nv_exp10f
#undef __nv_log10f
#undef __nv_tanf
#undef min
#undef max
#undef umin
#undef umax
#undef llmin
#undef llmax
#undef ullmin
#undef ullmax

/* ---- what the machine serves by name, as in nvcc's PTX ------------------------------------------------ */

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t) __attribute__((nothrow, malloc));
__device__ void free(void *) __attribute__((nothrow));
__device__ void __assertfail(const char *condition, const char *file, unsigned line,
                             const char *function, size_t character) __attribute__((noreturn));
__device__ static inline void __assert_fail(const char *condition, const char *file, unsigned line,
                                            const char *function)
{
    __assertfail(condition, file, line, function, sizeof(char));
}
/* What clang puts around a launch. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                     void *stream = 0);
}
namespace std
{
__device__ static inline void *malloc(size_t bytes)
{
    return ::malloc(bytes);
}
__device__ static inline void free(void *at)
{
    ::free(at);
}
} // namespace std

#include <new>
#include "bankscope/float.h"
#include <__clang_cuda_cmath.h>
#include "bankscope/spaces.h"
#include "bankscope/barriers.h"
#include "bankscope/warp.h"
#include "bankscope/host_math.h"
#include "bankscope/minmax.h"
#include <__clang_cuda_complex_builtins.h>
#include "bankscope/integers.h"
#include "bankscope/loads.h"
#include "bankscope/atomics.h"
#include "bankscope/typed_api.h"
#include "bankscope/textures.h"
#ifdef BANKSCOPE_REFERENCES
#include "bankscope/references.h"
#endif

/* nvcc takes alignas behind __shared__, clang takes only an attribute there: of a type or a number. */
template <typename T> constexpr size_t bankscope_alignas()
{
    return alignof(T);
}
template <size_t bytes> constexpr size_t bankscope_alignas()
{
    return bytes;
}
#define alignas(...) __attribute__((aligned(bankscope_alignas<__VA_ARGS__>())))

/* clang registers the device code of a source only if the source has kernels or variables. Device functions
 * alone are needed by others, too. There is none of that name in the device code. */
#ifndef __CUDA_ARCH__
static __global__ __attribute__((used)) void bankscope_unit(void)
{
}
#endif

#else
#include "cuda_runtime_api.h"
#include "vector_functions.h"
#ifdef __cplusplus
#include "bankscope/typed_api.h"
#endif
#endif

#endif
