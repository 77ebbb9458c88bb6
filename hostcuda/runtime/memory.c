/* Memory of the runtime API. Which memory an address is in, the engine knows (hostcuda_find);
 * variables of the program may be either side's. */
#include "runtime.h"
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* The variables of the program lie between these, which the linker defines. */
extern char __data_start[], end[];

static bool is_variable(const void *at)
{
    return (uintptr_t)at >= (uintptr_t)__data_start && (uintptr_t)at < (uintptr_t)end;
}

/* Whether the device's side of a copy may be at an address, and whether the host's may. */
static bool device_may(const void *at)
{
    struct hostcuda_region region;
    return is_variable(at) || hostcuda_find(at, &region);
}

static bool host_may(const void *at)
{
    struct hostcuda_region region;
    return !hostcuda_find(at, &region) || region.kind != HOSTCUDA_DEVICE;
}

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
    bool fits = (to_device[kind] ? device_may(to) : host_may(to)) &&
                (from_device[kind] ? device_may(from) : host_may(from));
    return fits ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t allocate(void **memory, size_t bytes, enum hostcuda_memory kind)
{
    RETURN_STICKY();
    RETURN_FORBIDDEN(false);
    REQUIRE(memory);
    *memory = NULL;
    if (bytes == 0)
        return kind == HOSTCUDA_MANAGED ? hostcuda_remember(cudaErrorInvalidValue) : cudaSuccess;
    struct cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    if (bytes <= properties.totalGlobalMem)
        *memory = hostcuda_allocate(bytes, kind);
    return *memory ? cudaSuccess : hostcuda_remember(cudaErrorMemoryAllocation);
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    return allocate(memory, bytes, HOSTCUDA_DEVICE);
}

/* A graph would have to allocate anew whenever it is launched. */
static void refuse_capture(cudaStream_t stream, const char *what)
{
    enum cudaStreamCaptureStatus status;
    if (cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
        status == cudaStreamCaptureStatusActive)
        hostcuda_missing(what, "graphs cannot allocate memory here; allocate it before");
}

cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream)
{
    refuse_capture(stream, "cudaMallocAsync in a stream that is captured");
    return allocate(memory, bytes, HOSTCUDA_DEVICE);
}

cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    return allocate(memory, bytes, HOSTCUDA_PINNED);
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned int flags)
{
    REQUIRE(flags <= (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined));
    return allocate(memory, bytes, HOSTCUDA_PINNED);
}

cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned int flags)
{
    REQUIRE(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost);
    return allocate(memory, bytes, HOSTCUDA_MANAGED);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *memory, struct cudaExtent extent)
{
    REQUIRE(memory);
    size_t pitch = (extent.width + 511) / 512 * 512, bytes;
    if (__builtin_mul_overflow(pitch, extent.height, &bytes) ||
        __builtin_mul_overflow(bytes, extent.depth, &bytes))
        return hostcuda_remember(cudaErrorMemoryAllocation);
    *memory = (struct cudaPitchedPtr){NULL, pitch, extent.width, extent.height};
    return allocate(&memory->ptr, bytes, HOSTCUDA_DEVICE);
}

cudaError_t cudaMallocPitch(void **memory, size_t *pitch, size_t width, size_t height)
{
    REQUIRE(memory && pitch);
    struct cudaPitchedPtr pitched = {0};
    cudaError_t error = cudaMalloc3D(&pitched, make_cudaExtent(width, height, 1));
    *memory = pitched.ptr;
    *pitch = pitched.pitch;
    return error;
}

cudaError_t cudaFree(void *memory)
{
    struct hostcuda_region region;
    RETURN_STICKY();
    if (!memory)
        return cudaSuccess;
    RETURN_FORBIDDEN(false);
    bool managed = hostcuda_find(memory, &region) && region.kind == HOSTCUDA_MANAGED;
    return hostcuda_remember(
        hostcuda_release(memory, managed ? HOSTCUDA_MANAGED : HOSTCUDA_DEVICE));
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    refuse_capture(stream, "cudaFreeAsync in a stream that is captured");
    return cudaFree(memory);
}

cudaError_t cudaFreeHost(void *memory)
{
    RETURN_STICKY();
    RETURN_FORBIDDEN(false);
    return hostcuda_remember(hostcuda_release(memory, HOSTCUDA_PINNED));
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned int flags)
{
    struct hostcuda_region region;
    (void)flags;
    RETURN_STICKY();
    REQUIRE(memory && bytes > 0);
    if (hostcuda_find(memory, &region))
        return hostcuda_remember(cudaErrorHostMemoryAlreadyRegistered);
    hostcuda_register(memory, bytes);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *memory)
{
    RETURN_STICKY();
    REQUIRE(memory);
    return hostcuda_unregister(memory) == 0 ? cudaSuccess
                                            : hostcuda_remember(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    struct hostcuda_region region;
    RETURN_STICKY();
    REQUIRE(device && host && flags == 0 && hostcuda_find(host, &region));
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    struct hostcuda_region region;
    RETURN_STICKY();
    REQUIRE(flags && hostcuda_find(host, &region) && region.kind == HOSTCUDA_PINNED);
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    struct cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceProperties(&properties, 0);
    if (error != cudaSuccess)
        return error;
    REQUIRE(free && total);
    *total = properties.totalGlobalMem;
    *free = hostcuda_device_bytes() < *total ? *total - hostcuda_device_bytes() : 0;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *at)
{
    static const enum cudaMemoryType types[] = {
        [HOSTCUDA_DEVICE] = cudaMemoryTypeDevice,
        [HOSTCUDA_MANAGED] = cudaMemoryTypeManaged,
        [HOSTCUDA_PINNED] = cudaMemoryTypeHost,
        [HOSTCUDA_HEAP] = cudaMemoryTypeDevice,
    };
    struct hostcuda_region region;
    RETURN_STICKY();
    REQUIRE(attributes);
    *attributes = (struct cudaPointerAttributes){cudaMemoryTypeUnregistered, -2, NULL, NULL};
    if (!hostcuda_find(at, &region)) {
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

cudaError_t runtime_copy_box(const char *what, struct runtime_plane to, struct runtime_plane from,
                             struct cudaExtent extent)
{
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
        return cudaSuccess;
    for (size_t z = 0; z < extent.depth; z++)
        for (size_t y = 0; y < extent.height; y++) {
            unsigned char *target = to.at + z * to.slice + y * to.pitch;
            unsigned char *source = from.at + z * from.slice + y * from.pitch;
            int error = hostcuda_host_access(what, source, extent.width, HOSTCUDA_HOST_READS);
            if (error == 0)
                error = hostcuda_host_access(what, target, extent.width, HOSTCUDA_HOST_WRITES);
            if (error != 0)
                return hostcuda_remember(error);
            memmove(target, source, extent.width);
        }
    return cudaSuccess;
}

struct cudaMemcpy3DParms runtime_rows(void *to, size_t to_pitch, const void *from,
                                      size_t from_pitch, size_t width, size_t height,
                                      enum cudaMemcpyKind kind)
{
    return (struct cudaMemcpy3DParms){
        .srcPtr = make_cudaPitchedPtr((void *)(uintptr_t)from, from_pitch, width, height),
        .dstPtr = make_cudaPitchedPtr(to, to_pitch, width, height),
        .extent = make_cudaExtent(width, height, 1),
        .kind = kind};
}

static cudaError_t copy_rows_in(cudaStream_t stream, const char *what,
                                struct cudaMemcpy3DParms copy)
{
    struct runtime_work work = {cudaGraphNodeTypeMemcpy, .copy = copy};
    RETURN_IF_CAPTURED(stream, &work);
    return runtime_copy(what, &copy);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return copy_rows_in(NULL, "cudaMemcpy", runtime_rows(to, bytes, from, bytes, bytes, 1, kind));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy_rows_in(stream, "cudaMemcpyAsync",
                        runtime_rows(to, bytes, from, bytes, bytes, 1, kind));
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream)
{
    if (to_device != 0 || from_device != 0)
        return hostcuda_remember(cudaErrorInvalidDevice);
    return copy_rows_in(stream, "cudaMemcpyPeer",
                        runtime_rows(to, bytes, from, bytes, bytes, 1, cudaMemcpyDeviceToDevice));
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, NULL);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_rows_in(NULL, "cudaMemcpy2D",
                        runtime_rows(to, to_pitch, from, from_pitch, width, height, kind));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return copy_rows_in(stream, "cudaMemcpy2DAsync",
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
    if (error != cudaSuccess)
        return hostcuda_remember(error);
    struct cudaExtent extent = copy->extent; /* counts texels where an array takes part */
    if (copy->dstArray)
        extent.width *= copy->dstArray->texel;
    else if (copy->srcArray)
        extent.width *= copy->srcArray->texel;
    if (extent.width > to.pitch || extent.width > from.pitch)
        return hostcuda_remember(cudaErrorInvalidPitchValue);
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
    return cudaMemcpy3DAsync(copy, NULL);
}

cudaError_t hostcuda_copy_symbol(const void *symbol, size_t size, void *memory, size_t bytes,
                                 size_t offset, enum cudaMemcpyKind kind, int to_symbol,
                                 cudaStream_t stream)
{
    RETURN_STICKY();
    if (!is_variable(symbol))
        return hostcuda_remember(cudaErrorInvalidSymbol);
    if (offset > size || bytes > size - offset)
        return hostcuda_remember(cudaErrorInvalidValue);
    unsigned char *at = (unsigned char *)(uintptr_t)symbol + offset;
    return to_symbol ? copy_rows_in(stream, "cudaMemcpyToSymbol",
                                    runtime_rows(at, bytes, memory, bytes, bytes, 1, kind))
                     : copy_rows_in(stream, "cudaMemcpyFromSymbol",
                                    runtime_rows(memory, bytes, at, bytes, bytes, 1, kind));
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
        int error = hostcuda_host_access(what, row, width, HOSTCUDA_HOST_WRITES);
        if (error != 0)
            return hostcuda_remember(error);
        if (set->elementSize == 1)
            memset(row, (int)set->value, width);
        else
            for (size_t x = 0; x < width; x += set->elementSize)
                memcpy(row + x, &set->value, set->elementSize);
    }
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

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *memory, size_t bytes,
                                     unsigned int flags)
{
    (void)stream, (void)memory, (void)bytes, (void)flags;
    RETURN_STICKY();
    return cudaSuccess;
}

/* There is one pool; it gives back at once what is freed, whatever its attributes are. */
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    REQUIRE(pool);
    *pool = (cudaMemPool_t)1;
    return cudaSetDevice(device);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return cudaDeviceGetDefaultMemPool(pool, device);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    (void)attribute;
    REQUIRE(pool && value);
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    REQUIRE(pool && value);
    if (attribute < cudaMemPoolAttrReleaseThreshold)
        *(int *)value = 1;
    else
        *(uint64_t *)value =
            attribute == cudaMemPoolAttrReleaseThreshold ? 0 : hostcuda_device_bytes();
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    (void)bytes;
    REQUIRE(pool);
    return cudaSuccess;
}
