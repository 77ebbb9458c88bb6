/* driver_names.c - functions of the driver API by their names: for cuGetProcAddress, and the names with versions that
 * the toolkit's cuda.h gives them. Their forms without a version are those of today, too. */
#include "program/runtime/driver/driver.h"

#include <string.h>

/* Name, and the version that CUDA 13's header asks for, if any. */
#define EACH_FUNCTION(ROW, VERSION)                                                                \
    ROW(cuCtxCreate_v2)                                                                            \
    ROW(cuCtxCreate_v4)                                                                            \
    VERSION(cuCtxDestroy, _v2)                                                                     \
    ROW(cuCtxDisablePeerAccess)                                                                    \
    ROW(cuCtxEnablePeerAccess)                                                                     \
    ROW(cuCtxGetApiVersion)                                                                        \
    ROW(cuCtxGetCacheConfig)                                                                       \
    ROW(cuCtxGetCurrent)                                                                           \
    ROW(cuCtxGetDevice)                                                                            \
    ROW(cuCtxGetFlags)                                                                             \
    ROW(cuCtxGetLimit)                                                                             \
    ROW(cuCtxGetStreamPriorityRange)                                                               \
    VERSION(cuCtxPopCurrent, _v2)                                                                  \
    VERSION(cuCtxPushCurrent, _v2)                                                                 \
    ROW(cuCtxSetCacheConfig)                                                                       \
    ROW(cuCtxSetCurrent)                                                                           \
    ROW(cuCtxSetLimit)                                                                             \
    ROW(cuCtxSynchronize)                                                                          \
    ROW(cuDeviceCanAccessPeer)                                                                     \
    ROW(cuDeviceComputeCapability)                                                                 \
    ROW(cuDeviceGet)                                                                               \
    ROW(cuDeviceGetAttribute)                                                                      \
    ROW(cuDeviceGetCount)                                                                          \
    ROW(cuDeviceGetName)                                                                           \
    ROW(cuDeviceGetPCIBusId)                                                                       \
    VERSION(cuDeviceGetUuid, _v2)                                                                  \
    ROW(cuDevicePrimaryCtxGetState)                                                                \
    VERSION(cuDevicePrimaryCtxRelease, _v2)                                                        \
    VERSION(cuDevicePrimaryCtxReset, _v2)                                                          \
    ROW(cuDevicePrimaryCtxRetain)                                                                  \
    VERSION(cuDevicePrimaryCtxSetFlags, _v2)                                                       \
    VERSION(cuDeviceTotalMem, _v2)                                                                 \
    ROW(cuDriverGetVersion)                                                                        \
    ROW(cuEventCreate)                                                                             \
    VERSION(cuEventDestroy, _v2)                                                                   \
    VERSION(cuEventElapsedTime, _v2)                                                               \
    ROW(cuEventQuery)                                                                              \
    ROW(cuEventRecord)                                                                             \
    ROW(cuEventRecordWithFlags)                                                                    \
    ROW(cuEventSynchronize)                                                                        \
    ROW(cuFuncGetAttribute)                                                                        \
    ROW(cuFuncGetModule)                                                                           \
    ROW(cuFuncGetName)                                                                             \
    ROW(cuFuncSetAttribute)                                                                        \
    ROW(cuFuncSetCacheConfig)                                                                      \
    ROW(cuGetErrorName)                                                                            \
    ROW(cuGetErrorString)                                                                          \
    VERSION(cuGetProcAddress, _v2)                                                                 \
    ROW(cuInit)                                                                                    \
    ROW(cuKernelGetFunction)                                                                       \
    ROW(cuLaunchCooperativeKernel)                                                                 \
    ROW(cuLaunchHostFunc)                                                                          \
    ROW(cuLaunchKernel)                                                                            \
    ROW(cuLaunchKernelEx)                                                                          \
    ROW(cuLibraryGetGlobal)                                                                        \
    ROW(cuLibraryGetKernel)                                                                        \
    ROW(cuLibraryGetModule)                                                                        \
    ROW(cuLibraryLoadData)                                                                         \
    ROW(cuLibraryLoadFromFile)                                                                     \
    ROW(cuLibraryUnload)                                                                           \
    VERSION(cuLinkAddData, _v2)                                                                    \
    VERSION(cuLinkAddFile, _v2)                                                                    \
    ROW(cuLinkComplete)                                                                            \
    VERSION(cuLinkCreate, _v2)                                                                     \
    ROW(cuLinkDestroy)                                                                             \
    ROW(cuMemAddressFree)                                                                          \
    ROW(cuMemAddressReserve)                                                                       \
    VERSION(cuMemAlloc, _v2)                                                                       \
    ROW(cuMemAllocAsync)                                                                           \
    VERSION(cuMemAllocHost, _v2)                                                                   \
    ROW(cuMemAllocManaged)                                                                         \
    VERSION(cuMemAllocPitch, _v2)                                                                  \
    ROW(cuMemCreate)                                                                               \
    VERSION(cuMemFree, _v2)                                                                        \
    ROW(cuMemFreeAsync)                                                                            \
    ROW(cuMemFreeHost)                                                                             \
    VERSION(cuMemGetAddressRange, _v2)                                                             \
    ROW(cuMemGetAllocationGranularity)                                                             \
    VERSION(cuMemGetInfo, _v2)                                                                     \
    ROW(cuMemHostAlloc)                                                                            \
    VERSION(cuMemHostGetDevicePointer, _v2)                                                        \
    VERSION(cuMemHostRegister, _v2)                                                                \
    ROW(cuMemHostUnregister)                                                                       \
    ROW(cuMemMap)                                                                                  \
    ROW(cuMemRelease)                                                                              \
    ROW(cuMemSetAccess)                                                                            \
    ROW(cuMemUnmap)                                                                                \
    ROW(cuMemcpy)                                                                                  \
    VERSION(cuMemcpy2D, _v2)                                                                       \
    VERSION(cuMemcpy2DAsync, _v2)                                                                  \
    VERSION(cuMemcpy2DUnaligned, _v2)                                                              \
    ROW(cuMemcpyAsync)                                                                             \
    VERSION(cuMemcpyDtoD, _v2)                                                                     \
    VERSION(cuMemcpyDtoDAsync, _v2)                                                                \
    VERSION(cuMemcpyDtoH, _v2)                                                                     \
    VERSION(cuMemcpyDtoHAsync, _v2)                                                                \
    VERSION(cuMemcpyHtoD, _v2)                                                                     \
    VERSION(cuMemcpyHtoDAsync, _v2)                                                                \
    VERSION(cuMemsetD16, _v2)                                                                      \
    ROW(cuMemsetD16Async)                                                                          \
    VERSION(cuMemsetD2D32, _v2)                                                                    \
    VERSION(cuMemsetD2D8, _v2)                                                                     \
    VERSION(cuMemsetD32, _v2)                                                                      \
    ROW(cuMemsetD32Async)                                                                          \
    VERSION(cuMemsetD8, _v2)                                                                       \
    ROW(cuMemsetD8Async)                                                                           \
    ROW(cuModuleGetFunction)                                                                       \
    ROW(cuModuleGetFunctionCount)                                                                  \
    VERSION(cuModuleGetGlobal, _v2)                                                                \
    ROW(cuModuleLoad)                                                                              \
    ROW(cuModuleLoadData)                                                                          \
    ROW(cuModuleLoadDataEx)                                                                        \
    ROW(cuModuleLoadFatBinary)                                                                     \
    ROW(cuModuleUnload)                                                                            \
    ROW(cuOccupancyMaxActiveBlocksPerMultiprocessor)                                               \
    ROW(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)                                      \
    ROW(cuOccupancyMaxPotentialBlockSize)                                                          \
    ROW(cuPointerGetAttribute)                                                                     \
    ROW(cuProfilerStart)                                                                           \
    ROW(cuProfilerStop)                                                                            \
    ROW(cuStreamAddCallback)                                                                       \
    ROW(cuStreamCreate)                                                                            \
    ROW(cuStreamCreateWithPriority)                                                                \
    VERSION(cuStreamDestroy, _v2)                                                                  \
    ROW(cuStreamGetCtx)                                                                            \
    ROW(cuStreamGetFlags)                                                                          \
    ROW(cuStreamGetPriority)                                                                       \
    ROW(cuStreamQuery)                                                                             \
    ROW(cuTensorMapEncodeIm2col)                                                                   \
    ROW(cuTensorMapEncodeTiled)                                                                    \
    ROW(cuStreamSynchronize)                                                                       \
    ROW(cuStreamWaitEvent)

#define NO_ROW(name)
EACH_FUNCTION(NO_ROW, ALSO)
ALSO(cuLaunchKernel, _ptsz)
ALSO(cuMemcpyHtoD_v2, _ptds)
ALSO(cuMemcpyDtoH_v2, _ptds)
ALSO(cuMemcpyDtoD_v2, _ptds)
ALSO(cuMemcpyHtoDAsync_v2, _ptsz)
ALSO(cuMemcpyDtoHAsync_v2, _ptsz)
ALSO(cuMemcpyDtoDAsync_v2, _ptsz)
ALSO(cuStreamSynchronize, _ptsz)
ALSO(cuEventRecord, _ptsz)

/* Any function; C has no other word for it that a table could hold. */
typedef void function(void);

static void *to_object(function *from)
{
    void *to;
    memcpy(&to, &from, sizeof to);
    return to;
}

static const struct {
    const char *name;
    function *function;
} functions[] = {
#define NAMED(name) {#name, (function *)name},
#define NAMED_TOO(name, version) {#name, (function *)name},
    EACH_FUNCTION(NAMED, NAMED_TOO){"cuCtxCreate", (function *)cuCtxCreate_v2},
};

/* Without a version: "cuMemAlloc" of "cuMemAlloc_v2". */
static size_t plain_length(const char *name)
{
    const size_t length = strlen(name);
    const bool version = length > 3 && name[length - 3] == '_' && name[length - 2] == 'v';
    return version ? length - 3 : length;
}

void *runtime_driver_function(const char *name)
{
    void *found = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name))
            return to_object(functions[i].function);
    const size_t length = plain_length(name);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == length && !memcmp(functions[i].name, name, length))
            found = to_object(functions[i].function);
    return found;
}

CUresult cuGetProcAddress(const char *symbol, void **function_at, int version, uint64_t flags,
                          CUdriverProcAddressQueryResult *status)
{
    (void)flags;
    if (!symbol || !function_at)
        return CUDA_ERROR_INVALID_VALUE;
    const bool newest = version >= 13000 && !strcmp(symbol, "cuCtxCreate");
    *function_at = runtime_driver_function(newest ? "cuCtxCreate_v4" : symbol);
    if (status)
        *status = *function_at ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function_at ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
