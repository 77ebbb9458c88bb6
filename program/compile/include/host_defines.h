/* host_defines.h - CUDA's words for functions and variables, as clang takes them; for a compiler of the
 * host alone they mean nothing. */
#ifndef BANKSCOPE_HOST_DEFINES_H
#define BANKSCOPE_HOST_DEFINES_H
#define __HOST_DEFINES_H__

#ifdef __CUDA__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
/* clang has no such word without ROCm: a device's variable, which the runtime puts in the place of its
 * shadow on the host. */
#define __managed__ __attribute__((device)) __attribute__((section("bankscope_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__
#define __managed__
#define __launch_bounds__(...)
#endif

/* From version 15 on, clang knows the word in CUDA. Before, it is a macro, and the standard library's
 * headers that have it inside of an attribute are wrapped (bits/). */
#if !defined __clang__ || !defined __CUDA__ || __clang_major__ < 15
#define __noinline__ __attribute__((noinline))
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))

/* program/compile/clusters.c finds it in LLVM's text. */
#define BANKSCOPE_CLUSTER_TEXT(...) #__VA_ARGS__
#define BANKSCOPE_CLUSTER_SIZE(...) BANKSCOPE_CLUSTER_TEXT(__VA_ARGS__)
#define __cluster_dims__(...)                                                                      \
    __attribute__((annotate("bankscope_cluster " BANKSCOPE_CLUSTER_SIZE(__VA_ARGS__))))

/* What changes nothing here. */
#define __grid_constant__
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __maxnreg__(n)
#define __local_maxnreg__(n)
#define __block_size__(...)
#define __nv_pure__
#define __tile_builtin__
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB

#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define __CUDART_API_VERSION CUDART_VERSION

#endif
