/* host_defines.h - CUDA's words for functions and variables, as g++ takes them.
 *
 * Functions are ordinary functions; __constant__, __device__ and __managed__ variables are ordinary
 * variables, which the host's code could touch (on a GPU it could not, managed ones excepted).
 * __shared__ variables are thread-local: see hostcuda.h. */
#ifndef HOSTCUDA_HOST_DEFINES_H
#define HOSTCUDA_HOST_DEFINES_H

#ifdef __cplusplus
#include <memory> /* uses __noinline__ as g++ knows it, so it must come before the word below */
#endif

#define __global__ __attribute__((noinline))
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __shared__ static thread_local
#define __device_builtin__
#define __cudart_builtin__
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __align__(n) __attribute__((aligned(n)))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__ inline
#define __launch_bounds__(...)
#define __maxnreg__(n)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __local_maxnreg__(n)
#define __nv_pure__
#define __tile_builtin__
#define CUDARTAPI
#define CUDART_CB
#define CUDARTAPI_CDECL

#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define __CUDA_ARCH__ 900 /* kernels are compiled once, for both sides */
#define __CUDA_ARCH_LIST__ 900
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define __CUDART_API_VERSION CUDART_VERSION

/* Tells a program that it does not run on a GPU, and the viewer's dialect that it is here. */
#define BANKSCOPE_HOST 1

#endif
