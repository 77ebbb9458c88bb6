/* curand_kernel.h - the toolkit's, behind this one, where there is a toolkit (build.c). For the host it declares blockDim and
 * threadIdx, with types that clang's have not. */
#ifndef BANKSCOPE_CURAND_KERNEL_H
#define BANKSCOPE_CURAND_KERNEL_H

#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END
#pragma push_macro("dim3")
#pragma push_macro("uint3")
#define dim3 __cuda_builtin_blockDim_t
#define uint3 __cuda_builtin_threadIdx_t
#include_next <curand_mtgp32_kernel.h>
#pragma pop_macro("dim3")
#pragma pop_macro("uint3")
#include_next <curand_kernel.h>

#endif
