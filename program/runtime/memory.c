/* Memory of the runtime API: allocations, copies, sets. Which memory an address is in, arena.c knows. */
#include "program/runtime/runtime.h"
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Whether the device's side of a copy may be at an address, and whether the host's may. */
static bool device_may(const void *at)
{
    struct runtime_region region;
    return runtime_is_device(at) || runtime_find(at, &region);
}

/* A side that the kind says is the host's may be anywhere: addresses are unified, and a GPU takes memory of the device
 * there, too (measured on an H100, driver 580). */
cudaError_t runtime_check_copy(const void *to, const void *from, enum cudaMemcpyKind kind)
{
    static const bool to_device[] = {false, true, false, true};
    static const bool from_device[] = {false, false, true, true};
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!to || !from)
        return cudaErrorInvalidValue;
    if (kind == cudaMemcpyDefault)
        return cudaSuccess;
    const bool fits =
        (!to_device[kind] || device_may(to)) && (!from_device[kind] || device_may(from));
    return fits ? cudaSuccess : cudaErrorInvalidValue;
}

/* waits: the call may wait for all streams. */
static cudaError_t allocate(void **memory, size_t bytes, enum machine_memory_kind kind, bool waits)
{
    RETURN_STICKY();
    RETURN_FORBIDDEN(false);
    REQUIRE(memory);
    *memory = NULL;
    if (waits)
        runtime_order_waited(NULL);
    if (bytes == 0)
        return kind == MACHINE_MANAGED ? runtime_remember(cudaErrorInvalidValue) : cudaSuccess;
    if (bytes <= runtime_total_memory())
        *memory = runtime_allocate(bytes, kind);
    return *memory ? cudaSuccess : runtime_remember(cudaErrorMemoryAllocation);
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    return allocate(memory, bytes, MACHINE_DEVICE, true);
}

/* A graph would have to allocate anew whenever it is launched. */
static bool is_captured(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status;
    return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
           status == cudaStreamCaptureStatusActive;
}
#define REFUSE_CAPTURE(stream, what)                                                               \
    do {                                                                                           \
        if (is_captured(stream))                                                                   \
            return runtime_missing(what " in a stream that is captured",                           \
                                   "graphs cannot allocate memory here; allocate it before");      \
    } while (0)

cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream)
{
    RETURN_STICKY();
    REFUSE_CAPTURE(stream, "cudaMallocAsync");
    return allocate(memory, bytes, MACHINE_DEVICE, false);
}

cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    return allocate(memory, bytes, MACHINE_PINNED, true);
}

cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    RETURN_STICKY();
    REQUIRE(pool);
    return cudaMallocAsync(memory, bytes, stream);
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned int flags)
{
    REQUIRE(flags <= (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined));
    return allocate(memory, bytes, MACHINE_PINNED, true);
}

cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned int flags)
{
    REQUIRE(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost);
    return allocate(memory, bytes, MACHINE_MANAGED, true);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *memory, struct cudaExtent extent)
{
    REQUIRE(memory);
    size_t pitch = (extent.width + 511) / 512 * 512, bytes;
    if (__builtin_mul_overflow(pitch, extent.height, &bytes) ||
        __builtin_mul_overflow(bytes, extent.depth, &bytes))
        return runtime_remember(cudaErrorMemoryAllocation);
    *memory = (struct cudaPitchedPtr){NULL, pitch, extent.width, extent.height};
    return allocate(&memory->ptr, bytes, MACHINE_DEVICE, true);
}

cudaError_t cudaMallocPitch(void **memory, size_t *pitch, size_t width, size_t height)
{
    REQUIRE(memory && pitch);
    struct cudaPitchedPtr pitched = {0};
    cudaError_t error = cudaMalloc3D(&pitched, runtime_extent(width, height, 1));
    *memory = pitched.ptr;
    *pitch = pitched.pitch;
    return error;
}

/* Reports an address that begins no allocation: freed twice, or not what was given. */
static cudaError_t free_one(const char *what, void *memory, enum machine_memory_kind kind)
{
    runtime_early_waited();
    cudaError_t error = runtime_release(memory, kind);
    if (error != cudaSuccess)
        runtime_report_free(what, memory);
    return runtime_remember(error);
}

cudaError_t cudaFree(void *memory)
{
    RETURN_STICKY();
    if (!memory)
        return cudaSuccess;
    RETURN_FORBIDDEN(false);
    runtime_order_waited(NULL);
    return free_one("cudaFree", memory, MACHINE_DEVICE);
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    RETURN_STICKY();
    REFUSE_CAPTURE(stream, "cudaFreeAsync");
    return memory ? free_one("cudaFree", memory, MACHINE_DEVICE) : cudaSuccess;
}

cudaError_t cudaFreeHost(void *memory)
{
    RETURN_STICKY();
    RETURN_FORBIDDEN(false);
    runtime_order_waited(NULL);
    return memory ? free_one("cudaFreeHost", memory, MACHINE_PINNED) : cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    struct runtime_region region;
    RETURN_STICKY();
    REQUIRE(device && host && flags == 0 && runtime_find(host, &region));
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    struct runtime_region region;
    RETURN_STICKY();
    REQUIRE(flags && runtime_find(host, &region) && region.kind == MACHINE_PINNED);
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    RETURN_STICKY();
    REQUIRE(free && total);
    *total = runtime_total_memory();
    *free = runtime_device_bytes() < *total ? *total - runtime_device_bytes() : 0;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *at)
{
    static const enum cudaMemoryType types[] = {
        [MACHINE_DEVICE] = cudaMemoryTypeDevice, [MACHINE_MANAGED] = cudaMemoryTypeManaged,
        [MACHINE_PINNED] = cudaMemoryTypeHost,   [MACHINE_VARIABLE] = cudaMemoryTypeDevice,
        [MACHINE_HEAP] = cudaMemoryTypeDevice,
    };
    struct runtime_region region;
    RETURN_STICKY();
    REQUIRE(attributes);
    *attributes = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
                                                 .device = cudaInvalidDeviceId};
    if (!runtime_find(at, &region)) {
        attributes->hostPointer = (void *)(uintptr_t)at;
        return cudaSuccess;
    }
    attributes->type = types[region.kind];
    attributes->device = 0;
    attributes->devicePointer = (void *)(uintptr_t)at;
    if (attributes->type != cudaMemoryTypeDevice)
        attributes->hostPointer = attributes->devicePointer;
    return cudaSuccess;
}

/* Another thread may have launched a kernel since runtime_access said that this would be written. */
static void has_written(const void *at)
{
    runtime_lock();
    runtime_repeat_touch(at);
    runtime_unlock();
}

cudaError_t runtime_copy_box(const char *what, struct runtime_plane to, struct runtime_plane from,
                             struct cudaExtent extent)
{
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
        return cudaSuccess;
    for (size_t z = 0; z < extent.depth; z++)
        for (size_t y = 0; y < extent.height; y++) {
            unsigned char *target = to.at + z * to.slice + y * to.pitch;
            unsigned char *source = from.at + z * from.slice + y * from.pitch;
            cudaError_t error = runtime_access(what, source, extent.width, false);
            if (error == cudaSuccess)
                error = runtime_access(what, target, extent.width, true);
            if (error != cudaSuccess)
                return runtime_remember(error);
            memmove(runtime_host(target), runtime_host(source), extent.width);
            has_written(target);
        }
    runtime_order_box(what, &to, &from, extent);
    return cudaSuccess;
}

struct cudaMemcpy3DParms runtime_rows(void *to, size_t to_pitch, const void *from,
                                      size_t from_pitch, size_t width, size_t height,
                                      enum cudaMemcpyKind kind)
{
    return (struct cudaMemcpy3DParms){
        .srcPtr = runtime_pitched((void *)(uintptr_t)from, from_pitch, width, height),
        .dstPtr = runtime_pitched(to, to_pitch, width, height),
        .extent = runtime_extent(width, height, 1),
        .kind = kind};
}

/* A copy from or to memory of the host's that is not pinned is done when its call returns, as CUDA says. */
static bool is_pageable(const struct cudaMemcpy3DParms *copy)
{
    return (copy->srcPtr.ptr && !device_may(copy->srcPtr.ptr)) ||
           (copy->dstPtr.ptr && !device_may(copy->dstPtr.ptr));
}

cudaError_t runtime_copy_in(cudaStream_t stream, const char *what, struct cudaMemcpy3DParms copy)
{
    struct runtime_work work = {cudaGraphNodeTypeMemcpy, .copy = copy};
    RETURN_IF_CAPTURED(stream, &work);
    const char *async = strstr(what, "Async");
    if (!async)
        runtime_early_waited();
    struct runtime_early *early = async ? runtime_early_begin() : NULL;
    const cudaError_t error = runtime_copy(what, &copy);
    if (async)
        runtime_early_end(early, what);
    if (!async || is_pageable(&copy))
        runtime_order_waits();
    return error;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    RETURN_STICKY();
    return runtime_copy_in(NULL, "cudaMemcpy",
                           runtime_rows(to, bytes, from, bytes, bytes, 1, kind));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return runtime_copy_in(stream, "cudaMemcpyAsync",
                           runtime_rows(to, bytes, from, bytes, bytes, 1, kind));
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream)
{
    if (to_device != 0 || from_device != 0)
        return runtime_remember(cudaErrorInvalidDevice);
    return runtime_copy_in(
        stream, "cudaMemcpyPeer",
        runtime_rows(to, bytes, from, bytes, bytes, 1, cudaMemcpyDeviceToDevice));
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, NULL);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return runtime_copy_in(NULL, "cudaMemcpy2D",
                           runtime_rows(to, to_pitch, from, from_pitch, width, height, kind));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return runtime_copy_in(stream, "cudaMemcpy2DAsync",
                           runtime_rows(to, to_pitch, from, from_pitch, width, height, kind));
}

/* One side of a 3-D copy, an array or pitched memory; x of a position in an array counts texels. */
static struct runtime_plane side(cudaArray_t array, struct cudaPitchedPtr memory,
                                 struct cudaPos position)
{
    struct runtime_plane plane = {memory.ptr, memory.pitch, memory.pitch * memory.ysize};
    size_t unit = 1;
    if (array) {
        unit = array->texel;
        plane.at = array->texels;
        plane.pitch = array->width * unit;
        plane.slice = plane.pitch * array->height;
    }
    if (plane.at)
        plane.at += position.x * unit + position.y * plane.pitch + position.z * plane.slice;
    return plane;
}

/* Which side of a copy, by its kind the device's, is memory of the host. */
static void report_direction(const char *what, const void *to, enum cudaMemcpyKind kind)
{
    static const char *const names[] = {"HostToHost", "HostToDevice", "DeviceToHost",
                                        "DeviceToDevice"};
    const bool writes = kind & cudaMemcpyHostToDevice && !device_may(to);
    runtime_unless_asked(runtime_report_line(RECORDS_ARGUMENT, NULL,
                                             "%s by cudaMemcpy%s %s memory of the host", what,
                                             names[kind], writes ? "writes" : "reads"));
}

cudaError_t runtime_copy(const char *what, const struct cudaMemcpy3DParms *copy)
{
    RETURN_STICKY();
    if ((!copy->extent.width || !copy->extent.height || !copy->extent.depth) &&
        (unsigned)copy->kind <= cudaMemcpyDefault)
        return cudaSuccess;
    REQUIRE(!copy->srcArray != !copy->srcPtr.ptr && !copy->dstArray != !copy->dstPtr.ptr);
    struct runtime_plane to = side(copy->dstArray, copy->dstPtr, copy->dstPos);
    struct runtime_plane from = side(copy->srcArray, copy->srcPtr, copy->srcPos);
    cudaError_t error = runtime_check_copy(to.at, from.at, copy->kind);
    if (error == cudaErrorInvalidValue && to.at && from.at)
        report_direction(what, to.at, copy->kind);
    if (error != cudaSuccess)
        return runtime_remember(error);
    struct cudaExtent extent = copy->extent; /* counts texels where an array takes part */
    if (copy->dstArray)
        extent.width *= copy->dstArray->texel;
    else if (copy->srcArray)
        extent.width *= copy->srcArray->texel;
    if (extent.width > to.pitch || extent.width > from.pitch)
        return runtime_remember(cudaErrorInvalidPitchValue);
    return runtime_copy_box(what, to, from, extent);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream)
{
    REQUIRE(copy);
    struct runtime_work work = {cudaGraphNodeTypeMemcpy, .copy = *copy};
    RETURN_IF_CAPTURED(stream, &work);
    return runtime_copy("cudaMemcpy3D", copy);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy)
{
    const cudaError_t error = cudaMemcpy3DAsync(copy, NULL);
    runtime_order_waits();
    return error;
}

cudaError_t runtime_set(const char *what, const struct cudaMemsetParams *set)
{
    RETURN_STICKY();
    size_t width = set->width * set->elementSize;
    if (width == 0 || set->height == 0)
        return cudaSuccess;
    REQUIRE(set->dst && (width <= set->pitch || set->height == 1) && device_may(set->dst));
    for (size_t y = 0; y < set->height; y++) {
        unsigned char *row = (unsigned char *)set->dst + y * set->pitch;
        cudaError_t error = runtime_access(what, row, width, true);
        if (error != cudaSuccess)
            return runtime_remember(error);
        unsigned char *bytes = runtime_host(row);
        if (set->elementSize == 1)
            memset(bytes, (int)set->value, width);
        else
            for (size_t x = 0; x < width; x += set->elementSize)
                memcpy(bytes + x, &set->value, set->elementSize);
        has_written(row);
    }
    const struct runtime_plane to = {set->dst, set->pitch, 0};
    runtime_order_box(what, &to, NULL, runtime_extent(width, set->height, 1));
    return cudaSuccess;
}

static cudaError_t set_rows_in(cudaStream_t stream, const char *what, void *at, size_t pitch,
                               int value, size_t width, size_t height)
{
    struct runtime_work work = {cudaGraphNodeTypeMemset,
                                .set = {at, pitch, (unsigned char)value, 1, width, height}};
    RETURN_IF_CAPTURED(stream, &work);
    return runtime_set(what, &work.set);
}

cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream)
{
    return set_rows_in(stream, "cudaMemset", at, bytes, value, bytes, 1);
}

cudaError_t cudaMemset(void *at, int value, size_t bytes)
{
    return cudaMemsetAsync(at, value, bytes, NULL);
}

cudaError_t cudaMemset2DAsync(void *at, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return set_rows_in(stream, "cudaMemset2D", at, pitch, value, width, height);
}

cudaError_t cudaMemset2D(void *at, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(at, pitch, value, width, height, NULL);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr at, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < extent.depth && error == cudaSuccess; z++)
        error =
            set_rows_in(stream, "cudaMemset3D", (unsigned char *)at.ptr + z * at.pitch * at.ysize,
                        at.pitch, value, extent.width, extent.height);
    return error;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr at, int value, struct cudaExtent extent)
{
    return cudaMemset3DAsync(at, value, extent, NULL);
}
