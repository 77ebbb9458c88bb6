/* CUDA arrays: allocations of texels, and copies to and from them. */
#include "program/runtime/runtime.h"

int runtime_channels(struct cudaChannelFormatDesc format)
{
    return (format.x > 0) + (format.y > 0) + (format.z > 0) + (format.w > 0);
}

size_t runtime_texel_bytes(struct cudaChannelFormatDesc format)
{
    return (size_t)(format.x + format.y + format.z + format.w) / 8;
}

bool runtime_is_format(struct cudaChannelFormatDesc format)
{
    int n = runtime_channels(format);
    int bits[] = {format.x, format.y, format.z, format.w};
    for (int i = 1; i < n; i++)
        if (bits[i] != bits[0])
            return false;
    return (n == 1 || n == 2 || n == 4) && format.f <= cudaChannelFormatKindFloat &&
           (bits[0] == 8 || bits[0] == 16 || bits[0] == 32) &&
           (format.f != cudaChannelFormatKindFloat || bits[0] >= 16);
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned int flags)
{
    RETURN_STICKY();
    REQUIRE(array && format && extent.width > 0);
    if (!runtime_is_format(*format))
        return runtime_remember(cudaErrorInvalidChannelDescriptor);
    struct cudaArray *made = runtime_new(sizeof *made);
    if (!made)
        return runtime_remember(cudaErrorMemoryAllocation);
    *made = (struct cudaArray){
        .format = *format,
        .extent = extent,
        .width = extent.width,
        .height = extent.height > 0 ? extent.height : 1,
        .depth = extent.depth > 0 ? extent.depth : 1,
        .texel = runtime_texel_bytes(*format),
        .flags = flags,
    };
    size_t bytes;
    if (__builtin_mul_overflow(made->width * made->texel, made->height, &bytes) ||
        __builtin_mul_overflow(bytes, made->depth, &bytes) ||
        !(made->texels = runtime_allocate(bytes, MACHINE_DEVICE))) {
        runtime_delete(made);
        return runtime_remember(cudaErrorMemoryAllocation);
    }
    *array = made;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                            size_t width, size_t height, unsigned int flags)
{
    return cudaMalloc3DArray(array, format, runtime_extent(width, height, 0), flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    RETURN_STICKY();
    if (!array)
        return cudaSuccess;
    cudaError_t error = runtime_release(array->texels, MACHINE_DEVICE);
    runtime_delete(array);
    return runtime_remember(error);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array)
{
    RETURN_STICKY();
    if (!array)
        return runtime_remember(cudaErrorInvalidResourceHandle);
    if (format)
        *format = array->format;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array)
{
    RETURN_STICKY();
    REQUIRE(format && array);
    *format = array->format;
    return cudaSuccess;
}

/* A rectangle of an array; x and the width count bytes, y rows. */
static cudaError_t copy_rectangle(const char *what, cudaArray_const_t array, size_t x, size_t y,
                                  void *memory, size_t pitch, size_t width, size_t height,
                                  enum cudaMemcpyKind kind, bool to_array)
{
    RETURN_STICKY();
    REQUIRE(array);
    size_t row = array->width * array->texel;
    REQUIRE(x <= row && width <= row - x && y <= array->height && height <= array->height - y);
    if (height > 1 && width > pitch)
        return runtime_remember(cudaErrorInvalidPitchValue);
    struct runtime_plane inside = {array->texels + y * row + x, row, 0},
                         outside = {memory, pitch, 0};
    struct runtime_plane to = to_array ? inside : outside, from = to_array ? outside : inside;
    cudaError_t error = runtime_check_copy(to.at, from.at, kind);
    if (error != cudaSuccess)
        return runtime_remember(error);
    return runtime_copy_box(what, to, from, runtime_extent(width, height, 1));
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_rectangle("cudaMemcpy2DToArray", to, x, y, (void *)(uintptr_t)from, pitch, width,
                          height, kind, true);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    REQUIRE(to);
    size_t texel = to->texel;
    struct runtime_work work = {
        cudaGraphNodeTypeMemcpy,
        .copy = {.srcPtr = runtime_pitched((void *)(uintptr_t)from, pitch, width, height),
                 .dstArray = to,
                 .dstPos = {x / texel, y, 0},
                 .extent = runtime_extent(width / texel, height, 1),
                 .kind = kind}};
    RETURN_IF_CAPTURED(stream, &work);
    return cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_rectangle("cudaMemcpy2DFromArray", from, x, y, to, pitch, width, height, kind,
                          false);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    REQUIRE(from);
    size_t texel = from->texel;
    struct runtime_work work = {cudaGraphNodeTypeMemcpy,
                                .copy = {.srcArray = (cudaArray_t)(uintptr_t)from,
                                         .srcPos = {x / texel, y, 0},
                                         .dstPtr = runtime_pitched(to, pitch, width, height),
                                         .extent = runtime_extent(width / texel, height, 1),
                                         .kind = kind}};
    RETURN_IF_CAPTURED(stream, &work);
    return cudaMemcpy2DFromArray(to, pitch, from, x, y, width, height, kind);
}

/* Bytes that run on from row to row. */
static cudaError_t copy_run(const char *what, cudaArray_const_t array, size_t x, size_t y,
                            void *memory, size_t bytes, enum cudaMemcpyKind kind, bool to_array)
{
    RETURN_STICKY();
    REQUIRE(array);
    size_t row = array->width * array->texel, all = row * array->height;
    REQUIRE(x < row && y < array->height && bytes <= all - (y * row + x));
    struct runtime_plane inside = {array->texels + y * row + x, 0, 0}, outside = {memory, 0, 0};
    struct runtime_plane to = to_array ? inside : outside, from = to_array ? outside : inside;
    cudaError_t error = runtime_check_copy(to.at, from.at, kind);
    if (error != cudaSuccess)
        return runtime_remember(error);
    return runtime_copy_box(what, to, from, runtime_extent(bytes, 1, 1));
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind)
{
    return copy_run("cudaMemcpyToArray", to, x, y, (void *)(uintptr_t)from, bytes, kind, true);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind)
{
    return copy_run("cudaMemcpyFromArray", from, x, y, to, bytes, kind, false);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                   size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RETURN_STICKY();
    RETURN_IF_CAPTURED(stream, NULL);
    return cudaMemcpyToArray(to, x, y, from, bytes, kind);
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RETURN_STICKY();
    RETURN_IF_CAPTURED(stream, NULL);
    return cudaMemcpyFromArray(to, from, x, y, bytes, kind);
}
