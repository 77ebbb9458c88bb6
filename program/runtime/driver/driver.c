/* driver.c - the driver API: devices and contexts. driver_module.c has modules and launches, driver_memory.c memory,
 * streams and events.
 *
 * It is the runtime API under other names: handles of kernels, streams and events are the runtime's, and numbers
 * of errors are nearly the same. There is one device, and its contexts are one; who has none that is current is
 * told so, as on a GPU.
 */
#include "program/runtime/driver/driver.h"

#include <stdio.h>
#include <string.h>

enum { DEEP = 32 /* contexts that a thread may push */ };

struct CUctx_st {
    unsigned flags;
};
static struct {
    bool begun;
    struct CUctx_st primary;
    int retained;
} driver;
static _Thread_local struct {
    CUcontext stack[DEEP];
    int depth;
} contexts;

/* ---- errors ------------------------------------------------------------------------------------------ */

static const struct {
    CUresult error;
    const char *name;
} names[] = {
#define NAME(error)                                                                                \
    {                                                                                              \
        error, #error                                                                              \
    }
    NAME(CUDA_SUCCESS),
    NAME(CUDA_ERROR_INVALID_VALUE),
    NAME(CUDA_ERROR_OUT_OF_MEMORY),
    NAME(CUDA_ERROR_NOT_INITIALIZED),
    NAME(CUDA_ERROR_DEINITIALIZED),
    NAME(CUDA_ERROR_PROFILER_DISABLED),
    NAME(CUDA_ERROR_PROFILER_NOT_INITIALIZED),
    NAME(CUDA_ERROR_PROFILER_ALREADY_STARTED),
    NAME(CUDA_ERROR_PROFILER_ALREADY_STOPPED),
    NAME(CUDA_ERROR_STUB_LIBRARY),
    NAME(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER),
    NAME(CUDA_ERROR_DEVICE_UNAVAILABLE),
    NAME(CUDA_ERROR_NO_DEVICE),
    NAME(CUDA_ERROR_INVALID_DEVICE),
    NAME(CUDA_ERROR_DEVICE_NOT_LICENSED),
    NAME(CUDA_ERROR_INVALID_IMAGE),
    NAME(CUDA_ERROR_INVALID_CONTEXT),
    NAME(CUDA_ERROR_CONTEXT_ALREADY_CURRENT),
    NAME(CUDA_ERROR_MAP_FAILED),
    NAME(CUDA_ERROR_UNMAP_FAILED),
    NAME(CUDA_ERROR_ARRAY_IS_MAPPED),
    NAME(CUDA_ERROR_ALREADY_MAPPED),
    NAME(CUDA_ERROR_NO_BINARY_FOR_GPU),
    NAME(CUDA_ERROR_ALREADY_ACQUIRED),
    NAME(CUDA_ERROR_NOT_MAPPED),
    NAME(CUDA_ERROR_NOT_MAPPED_AS_ARRAY),
    NAME(CUDA_ERROR_NOT_MAPPED_AS_POINTER),
    NAME(CUDA_ERROR_ECC_UNCORRECTABLE),
    NAME(CUDA_ERROR_UNSUPPORTED_LIMIT),
    NAME(CUDA_ERROR_CONTEXT_ALREADY_IN_USE),
    NAME(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED),
    NAME(CUDA_ERROR_INVALID_PTX),
    NAME(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT),
    NAME(CUDA_ERROR_NVLINK_UNCORRECTABLE),
    NAME(CUDA_ERROR_JIT_COMPILER_NOT_FOUND),
    NAME(CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
    NAME(CUDA_ERROR_JIT_COMPILATION_DISABLED),
    NAME(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY),
    NAME(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC),
    NAME(CUDA_ERROR_CONTAINED),
    NAME(CUDA_ERROR_INVALID_SOURCE),
    NAME(CUDA_ERROR_FILE_NOT_FOUND),
    NAME(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND),
    NAME(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED),
    NAME(CUDA_ERROR_OPERATING_SYSTEM),
    NAME(CUDA_ERROR_INVALID_HANDLE),
    NAME(CUDA_ERROR_ILLEGAL_STATE),
    NAME(CUDA_ERROR_LOSSY_QUERY),
    NAME(CUDA_ERROR_NOT_FOUND),
    NAME(CUDA_ERROR_NOT_READY),
    NAME(CUDA_ERROR_ILLEGAL_ADDRESS),
    NAME(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES),
    NAME(CUDA_ERROR_LAUNCH_TIMEOUT),
    NAME(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING),
    NAME(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
    NAME(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
    NAME(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE),
    NAME(CUDA_ERROR_CONTEXT_IS_DESTROYED),
    NAME(CUDA_ERROR_ASSERT),
    NAME(CUDA_ERROR_TOO_MANY_PEERS),
    NAME(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED),
    NAME(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED),
    NAME(CUDA_ERROR_HARDWARE_STACK_ERROR),
    NAME(CUDA_ERROR_ILLEGAL_INSTRUCTION),
    NAME(CUDA_ERROR_MISALIGNED_ADDRESS),
    NAME(CUDA_ERROR_INVALID_ADDRESS_SPACE),
    NAME(CUDA_ERROR_INVALID_PC),
    NAME(CUDA_ERROR_LAUNCH_FAILED),
    NAME(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE),
    NAME(CUDA_ERROR_TENSOR_MEMORY_LEAK),
    NAME(CUDA_ERROR_NOT_PERMITTED),
    NAME(CUDA_ERROR_NOT_SUPPORTED),
    NAME(CUDA_ERROR_SYSTEM_NOT_READY),
    NAME(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH),
    NAME(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE),
    NAME(CUDA_ERROR_MPS_CONNECTION_FAILED),
    NAME(CUDA_ERROR_MPS_RPC_FAILURE),
    NAME(CUDA_ERROR_MPS_SERVER_NOT_READY),
    NAME(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED),
    NAME(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED),
    NAME(CUDA_ERROR_MPS_CLIENT_TERMINATED),
    NAME(CUDA_ERROR_CDP_NOT_SUPPORTED),
    NAME(CUDA_ERROR_CDP_VERSION_MISMATCH),
    NAME(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
    NAME(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
    NAME(CUDA_ERROR_STREAM_CAPTURE_MERGE),
    NAME(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED),
    NAME(CUDA_ERROR_STREAM_CAPTURE_UNJOINED),
    NAME(CUDA_ERROR_STREAM_CAPTURE_ISOLATION),
    NAME(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT),
    NAME(CUDA_ERROR_CAPTURED_EVENT),
    NAME(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD),
    NAME(CUDA_ERROR_TIMEOUT),
    NAME(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE),
    NAME(CUDA_ERROR_EXTERNAL_DEVICE),
    NAME(CUDA_ERROR_INVALID_CLUSTER_SIZE),
    NAME(CUDA_ERROR_FUNCTION_NOT_LOADED),
    NAME(CUDA_ERROR_INVALID_RESOURCE_TYPE),
    NAME(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION),
    NAME(CUDA_ERROR_KEY_ROTATION),
    NAME(CUDA_ERROR_UNKNOWN),
#undef NAME
};

CUresult driver_result(cudaError_t error)
{
    if (error == cudaSuccess)
        return CUDA_SUCCESS;
    if (runtime_begin()->sticky == cudaSuccess)
        cudaGetLastError(); /* the runtime API's errors are not these */
    switch ((int)error) {
    case cudaErrorInvalidSymbol:
        return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction:
        return CUDA_ERROR_INVALID_HANDLE;
    case cudaErrorMemoryAllocation:
    case cudaErrorInitializationError:
    case cudaErrorCudartUnloading:
        return (CUresult)error;
    default:
        return (int)error < CUDA_ERROR_NO_DEVICE ? CUDA_ERROR_INVALID_VALUE : (CUresult)error;
    }
}

CUresult driver_enter(bool context)
{
    const cudaError_t sticks = runtime_enter_driver();
    if (sticks != cudaSuccess)
        return (CUresult)sticks;
    if (!driver.begun && !runtime_was_used())
        return CUDA_ERROR_NOT_INITIALIZED;
    return context && !contexts.depth && !runtime_was_used() ? CUDA_ERROR_INVALID_CONTEXT
                                                             : CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].error == error)
            *name = names[i].name;
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    const char *name;
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = NULL;
    if (cuGetErrorName(error, &name) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_VALUE;
    *text = cudaGetErrorString((cudaError_t)error);
    return CUDA_SUCCESS;
}

/* ---- the device -------------------------------------------------------------------------------------- */

CUresult cuInit(unsigned int flags)
{
    const cudaError_t sticks = runtime_enter_driver();
    if (sticks != cudaSuccess)
        return (CUresult)sticks;
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    driver.begun = true;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    return driver_result(cudaDriverGetVersion(version));
}

#define REQUIRE_DEVICE(device)                                                                     \
    do {                                                                                           \
        if (device)                                                                                \
            return CUDA_ERROR_INVALID_DEVICE;                                                      \
    } while (0)

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    DRIVER_ENTER(false);
    REQUIRE_VALUE(device);
    REQUIRE_DEVICE(ordinal);
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    DRIVER_ENTER(false);
    return driver_result(cudaGetDeviceCount(count));
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    DRIVER_ENTER(false);
    REQUIRE_VALUE(name && length > 0);
    REQUIRE_DEVICE(device);
    snprintf(name, (size_t)length, "%s", runtime_gpu()->name);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    DRIVER_ENTER(false);
    REQUIRE_VALUE(uuid);
    REQUIRE_DEVICE(device);
    memcpy(uuid->bytes, "bankscope-device", sizeof uuid->bytes);
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    DRIVER_ENTER(false);
    REQUIRE_VALUE(bytes);
    REQUIRE_DEVICE(device);
    *bytes = runtime_total_memory();
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    DRIVER_ENTER(false);
    return driver_result(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    DRIVER_ENTER(false);
    REQUIRE_VALUE(major && minor);
    cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    return driver_result(cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device));
}

CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device)
{
    DRIVER_ENTER(false);
    return driver_result(cudaDeviceGetPCIBusId(id, length, device));
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    DRIVER_ENTER(false);
    return driver_result(cudaDeviceCanAccessPeer(can, device, peer));
}

/* ---- contexts ---------------------------------------------------------------------------------------- */

static void make_current(CUcontext context)
{
    if (contexts.depth)
        contexts.depth--;
    if (context)
        contexts.stack[contexts.depth++] = context;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    DRIVER_ENTER(false);
    REQUIRE_VALUE(context);
    REQUIRE_DEVICE(device);
    driver.retained++;
    *context = &driver.primary;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    DRIVER_ENTER(false);
    REQUIRE_DEVICE(device);
    if (!driver.retained)
        return CUDA_ERROR_INVALID_CONTEXT;
    driver.retained--;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    DRIVER_ENTER(false);
    REQUIRE_DEVICE(device);
    return driver_result(cudaDeviceReset());
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags)
{
    DRIVER_ENTER(false);
    REQUIRE_DEVICE(device);
    driver.primary.flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
    DRIVER_ENTER(false);
    REQUIRE_VALUE(flags && active);
    REQUIRE_DEVICE(device);
    *flags = driver.primary.flags;
    *active = driver.retained > 0 || runtime_was_used();
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
    DRIVER_ENTER(false);
    REQUIRE_VALUE(context && contexts.depth < DEEP);
    REQUIRE_DEVICE(device);
    *context = runtime_new(sizeof **context);
    if (!*context)
        return CUDA_ERROR_OUT_OF_MEMORY;
    (*context)->flags = flags;
    contexts.stack[contexts.depth++] = *context;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned int flags,
                        CUdevice device)
{
    (void)params;
    return cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxDestroy(CUcontext context)
{
    DRIVER_ENTER(false);
    if (!context || context == &driver.primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (contexts.depth && contexts.stack[contexts.depth - 1] == context)
        contexts.depth--;
    runtime_delete(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context)
{
    DRIVER_ENTER(false);
    REQUIRE_VALUE(context && contexts.depth < DEEP);
    contexts.stack[contexts.depth++] = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
    DRIVER_ENTER(false);
    if (!contexts.depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    contexts.depth--;
    if (context)
        *context = contexts.stack[contexts.depth];
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    DRIVER_ENTER(false);
    make_current(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    DRIVER_ENTER(false);
    REQUIRE_VALUE(context);
    *context = contexts.depth       ? contexts.stack[contexts.depth - 1]
               : runtime_was_used() ? &driver.primary
                                    : NULL;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    DRIVER_ENTER(true);
    REQUIRE_VALUE(device);
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    DRIVER_ENTER(true);
    REQUIRE_VALUE(flags);
    *flags = contexts.depth ? contexts.stack[contexts.depth - 1]->flags : driver.primary.flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
    (void)context;
    DRIVER_ENTER(false);
    REQUIRE_VALUE(version);
    *version = 3020;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    DRIVER_ENTER(true);
    return driver_result(cudaDeviceSynchronize());
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    DRIVER_ENTER(true);
    return driver_result(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    DRIVER_ENTER(true);
    return driver_result(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    DRIVER_ENTER(true);
    return driver_result(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
    enum cudaFuncCache known;
    DRIVER_ENTER(true);
    REQUIRE_VALUE(config);
    const cudaError_t error = cudaDeviceGetCacheConfig(&known);
    *config = (CUfunc_cache)known;
    return driver_result(error);
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    DRIVER_ENTER(true);
    return driver_result(cudaDeviceGetStreamPriorityRange(least, greatest));
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    (void)peer, (void)flags;
    DRIVER_ENTER(true);
    return CUDA_ERROR_INVALID_DEVICE; /* there is one */
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    (void)peer;
    DRIVER_ENTER(true);
    return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}
