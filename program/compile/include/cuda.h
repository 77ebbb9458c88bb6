/* cuda.h - many programs include it and use the runtime API only. What they call of the driver API is
 * not here, and the compiler says so where they call it. */
#ifndef BANKSCOPE_CUDA_H
#define BANKSCOPE_CUDA_H

#include "cuda_runtime_api.h"

typedef enum cudaError_enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_NO_DEVICE = 100
} CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

#ifdef __cplusplus
#define BANKSCOPE_MISSING(name)                                                                    \
    extern "C" CUresult name(...) __attribute__((error(                                            \
        "bankscope: the driver API is not available on this machine: use the runtime API")));
BANKSCOPE_MISSING(cuInit)
BANKSCOPE_MISSING(cuDriverGetVersion)
BANKSCOPE_MISSING(cuDeviceGet)
BANKSCOPE_MISSING(cuDeviceGetCount)
BANKSCOPE_MISSING(cuDeviceGetName)
BANKSCOPE_MISSING(cuDeviceGetAttribute)
BANKSCOPE_MISSING(cuDeviceTotalMem)
BANKSCOPE_MISSING(cuDevicePrimaryCtxRetain)
BANKSCOPE_MISSING(cuCtxCreate)
BANKSCOPE_MISSING(cuCtxDestroy)
BANKSCOPE_MISSING(cuCtxGetCurrent)
BANKSCOPE_MISSING(cuCtxSetCurrent)
BANKSCOPE_MISSING(cuCtxSynchronize)
BANKSCOPE_MISSING(cuModuleLoad)
BANKSCOPE_MISSING(cuModuleLoadData)
BANKSCOPE_MISSING(cuModuleLoadDataEx)
BANKSCOPE_MISSING(cuModuleUnload)
BANKSCOPE_MISSING(cuModuleGetFunction)
BANKSCOPE_MISSING(cuModuleGetGlobal)
BANKSCOPE_MISSING(cuLaunchKernel)
BANKSCOPE_MISSING(cuMemAlloc)
BANKSCOPE_MISSING(cuMemFree)
BANKSCOPE_MISSING(cuMemGetInfo)
BANKSCOPE_MISSING(cuMemcpyHtoD)
BANKSCOPE_MISSING(cuMemcpyDtoH)
BANKSCOPE_MISSING(cuMemcpyDtoD)
BANKSCOPE_MISSING(cuMemsetD8)
BANKSCOPE_MISSING(cuMemsetD32)
BANKSCOPE_MISSING(cuStreamCreate)
BANKSCOPE_MISSING(cuStreamSynchronize)
BANKSCOPE_MISSING(cuStreamDestroy)
BANKSCOPE_MISSING(cuEventCreate)
BANKSCOPE_MISSING(cuEventRecord)
BANKSCOPE_MISSING(cuEventSynchronize)
BANKSCOPE_MISSING(cuEventElapsedTime)
BANKSCOPE_MISSING(cuGetErrorName)
BANKSCOPE_MISSING(cuGetErrorString)
BANKSCOPE_MISSING(cuTensorMapEncodeTiled)
#undef BANKSCOPE_MISSING
#endif

#endif
