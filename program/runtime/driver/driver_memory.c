/* driver_memory.c - the driver API: memory, copies, streams and events. */
#include "program/runtime/driver/driver.h"

#include <string.h>

static void *at(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
    void *memory = NULL;
    DRIVER_ENTER(true);
    if (!address || !bytes)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t error = cudaMalloc(&memory, bytes);
    *address = (uintptr_t)memory;
    return driver_result(error);
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream)
{
    void *memory = NULL;
    DRIVER_ENTER(true);
    if (!address || !bytes)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t error = cudaMallocAsync(&memory, bytes, stream);
    *address = (uintptr_t)memory;
    return driver_result(error);
}

CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
                         unsigned int element)
{
    void *memory = NULL;
    (void)element;
    DRIVER_ENTER(true);
    if (!address)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t error = cudaMallocPitch(&memory, pitch, width, height);
    *address = (uintptr_t)memory;
    return driver_result(error);
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags)
{
    void *memory = NULL;
    DRIVER_ENTER(true);
    if (!address)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t error = cudaMallocManaged(&memory, bytes, flags);
    *address = (uintptr_t)memory;
    return driver_result(error);
}

CUresult cuMemFree(CUdeviceptr address)
{
    DRIVER_ENTER(true);
    return driver_result(cudaFree(at(address)));
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    DRIVER_ENTER(true);
    return driver_result(cudaFreeAsync(at(address), stream));
}

CUresult cuMemAllocHost(void **memory, size_t bytes)
{
    DRIVER_ENTER(true);
    return driver_result(cudaMallocHost(memory, bytes));
}

CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned int flags)
{
    DRIVER_ENTER(true);
    return driver_result(cudaHostAlloc(memory, bytes, flags));
}

CUresult cuMemFreeHost(void *memory)
{
    DRIVER_ENTER(true);
    return driver_result(cudaFreeHost(memory));
}

CUresult cuMemHostRegister(void *memory, size_t bytes, unsigned int flags)
{
    DRIVER_ENTER(true);
    return driver_result(cudaHostRegister(memory, bytes, flags));
}

CUresult cuMemHostUnregister(void *memory)
{
    DRIVER_ENTER(true);
    return driver_result(cudaHostUnregister(memory));
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *memory, unsigned int flags)
{
    void *device = NULL;
    DRIVER_ENTER(true);
    if (!address)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t error = cudaHostGetDevicePointer(&device, memory, flags);
    *address = (uintptr_t)device;
    return driver_result(error);
}

CUresult cuMemGetInfo(size_t *free, size_t *total)
{
    DRIVER_ENTER(true);
    return driver_result(cudaMemGetInfo(free, total));
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    struct runtime_region region;
    DRIVER_ENTER(true);
    if (!runtime_find(at(address), &region))
        return CUDA_ERROR_NOT_FOUND;
    if (base)
        *base = (uintptr_t)region.base;
    if (bytes)
        *bytes = region.bytes;
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
    struct runtime_region region;
    DRIVER_ENTER(false);
    if (!data || !runtime_find(at(address), &region))
        return CUDA_ERROR_INVALID_VALUE;
    const bool on_host = region.kind == MACHINE_PINNED;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        return cuCtxGetCurrent(data);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)data = on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)data = address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (region.kind == MACHINE_DEVICE)
            return CUDA_ERROR_INVALID_VALUE;
        *(void **)data = at(address);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)data = region.kind == MACHINE_MANAGED;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)data = (uintptr_t)region.base;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)data = region.bytes;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* ---- copies ------------------------------------------------------------------------------------------ */

#define COPY(name, to_type, from_type, to, from, kind)                                             \
    CUresult name(to_type target, from_type source, size_t bytes)                                  \
    {                                                                                              \
        DRIVER_ENTER(true);                                                                        \
        return driver_result(cudaMemcpy(to, from, bytes, kind));                                   \
    }                                                                                              \
    CUresult name##Async(to_type target, from_type source, size_t bytes, CUstream stream)          \
    {                                                                                              \
        DRIVER_ENTER(true);                                                                        \
        return driver_result(cudaMemcpyAsync(to, from, bytes, kind, stream));                      \
    }

COPY(cuMemcpy, CUdeviceptr, CUdeviceptr, at(target), at(source), cudaMemcpyDefault)
COPY(cuMemcpyHtoD, CUdeviceptr, const void *, at(target), source, cudaMemcpyHostToDevice)
COPY(cuMemcpyDtoH, void *, CUdeviceptr, target, at(source), cudaMemcpyDeviceToHost)
COPY(cuMemcpyDtoD, CUdeviceptr, CUdeviceptr, at(target), at(source), cudaMemcpyDeviceToDevice)

/* One end of a copy of rows; NULL: an array. */
static char *end_of(CUmemorytype type, const void *host, CUdeviceptr device, size_t x, size_t y,
                    size_t pitch)
{
    const size_t offset = y * pitch + x;
    if (type == CU_MEMORYTYPE_HOST)
        return (char *)(uintptr_t)host + offset;
    return type == CU_MEMORYTYPE_ARRAY ? NULL : (char *)at(device) + offset;
}

static CUresult copy_rows(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    const size_t to_pitch = copy->dstPitch ? copy->dstPitch : copy->WidthInBytes,
                 from_pitch = copy->srcPitch ? copy->srcPitch : copy->WidthInBytes;
    char *to = end_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstXInBytes,
                      copy->dstY, to_pitch);
    const char *from = end_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice,
                              copy->srcXInBytes, copy->srcY, from_pitch);
    if (!to || !from)
        return driver_result(
            runtime_missing("a copy of CUDA arrays by the driver API", "use cudaMemcpy2DToArray"));
    return driver_result(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, copy->WidthInBytes,
                                           copy->Height, cudaMemcpyDefault, stream));
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy)
{
    DRIVER_ENTER(true);
    return copy_rows(copy, NULL);
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy)
{
    DRIVER_ENTER(true);
    return copy_rows(copy, NULL);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    DRIVER_ENTER(true);
    return copy_rows(copy, stream);
}

static CUresult set(const char *what, CUdeviceptr address, size_t pitch, unsigned value,
                    unsigned bytes, size_t width, size_t height)
{
    const struct cudaMemsetParams how = {at(address), pitch, value, bytes, width, height};
    if (address % bytes)
        return CUDA_ERROR_INVALID_VALUE;
    return driver_result(runtime_set(what, &how));
}

#define SET(name, type)                                                                            \
    CUresult name(CUdeviceptr address, type value, size_t count)                                   \
    {                                                                                              \
        DRIVER_ENTER(true);                                                                        \
        return set(#name, address, count * sizeof value, value, sizeof value, count, 1);           \
    }                                                                                              \
    CUresult name##Async(CUdeviceptr address, type value, size_t count, CUstream stream)           \
    {                                                                                              \
        (void)stream; /* it has happened when the call returns */                                  \
        DRIVER_ENTER(true);                                                                        \
        return set(#name, address, count * sizeof value, value, sizeof value, count, 1);           \
    }

SET(cuMemsetD8, unsigned char)
SET(cuMemsetD16, unsigned short)
SET(cuMemsetD32, unsigned int)

CUresult cuMemsetD2D8(CUdeviceptr address, size_t pitch, unsigned char value, size_t width,
                      size_t height)
{
    DRIVER_ENTER(true);
    return set("cuMemsetD2D8", address, pitch, value, 1, width, height);
}

CUresult cuMemsetD2D32(CUdeviceptr address, size_t pitch, unsigned int value, size_t width,
                       size_t height)
{
    DRIVER_ENTER(true);
    return set("cuMemsetD2D32", address, pitch, value, 4, width, height);
}

/* ---- streams and events ------------------------------------------------------------------------------ */

#define FORWARD(name, parameters, call)                                                            \
    CUresult name parameters                                                                       \
    {                                                                                              \
        DRIVER_ENTER(true);                                                                        \
        return driver_result(call);                                                                \
    }

FORWARD(cuStreamCreate, (CUstream * stream, unsigned int flags),
        cudaStreamCreateWithFlags(stream, flags))
FORWARD(cuStreamCreateWithPriority, (CUstream * stream, unsigned int flags, int priority),
        cudaStreamCreateWithPriority(stream, flags, priority))
FORWARD(cuStreamDestroy, (CUstream stream), cudaStreamDestroy(stream))
FORWARD(cuStreamSynchronize, (CUstream stream), cudaStreamSynchronize(stream))
FORWARD(cuStreamQuery, (CUstream stream), cudaStreamQuery(stream))
FORWARD(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags),
        cudaStreamWaitEvent(stream, event, flags))
FORWARD(cuStreamGetFlags, (CUstream stream, unsigned int *flags), cudaStreamGetFlags(stream, flags))
FORWARD(cuStreamGetPriority, (CUstream stream, int *priority),
        cudaStreamGetPriority(stream, priority))
FORWARD(cuStreamAddCallback,
        (CUstream stream, CUstreamCallback callback, void *data, unsigned int flags),
        cudaStreamAddCallback(stream, (cudaStreamCallback_t)(void (*)(void))callback, data, flags))
FORWARD(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *data),
        cudaLaunchHostFunc(stream, function, data))
FORWARD(cuEventCreate, (CUevent * event, unsigned int flags),
        cudaEventCreateWithFlags(event, flags))
FORWARD(cuEventRecord, (CUevent event, CUstream stream), cudaEventRecord(event, stream))
FORWARD(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned int flags),
        cudaEventRecordWithFlags(event, stream, flags))
FORWARD(cuEventQuery, (CUevent event), cudaEventQuery(event))
FORWARD(cuEventSynchronize, (CUevent event), cudaEventSynchronize(event))
FORWARD(cuEventDestroy, (CUevent event), cudaEventDestroy(event))
FORWARD(cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent stop),
        cudaEventElapsedTime(milliseconds, start, stop))

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    (void)stream;
    return cuCtxGetCurrent(context);
}

CUresult cuProfilerStart(void)
{
    return CUDA_SUCCESS;
}

CUresult cuProfilerStop(void)
{
    return CUDA_SUCCESS;
}
