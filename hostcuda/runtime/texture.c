/* Arrays, textures and surfaces: plain fetches. What the hardware's filter does is in CUDA's
 * programming guide, "Texture Fetching": weights have 8 bits after the point. */
#include "runtime.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- arrays ------------------------------------------------------------------------------------ */

static int channels(struct cudaChannelFormatDesc format)
{
    return (format.x > 0) + (format.y > 0) + (format.z > 0) + (format.w > 0);
}

static size_t texel_bytes(struct cudaChannelFormatDesc format)
{
    return (size_t)(format.x + format.y + format.z + format.w) / 8;
}

static bool is_format(struct cudaChannelFormatDesc format)
{
    int n = channels(format);
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
    if (!is_format(*format))
        return hostcuda_remember(cudaErrorInvalidChannelDescriptor);
    struct cudaArray *made = malloc(sizeof *made);
    if (!made)
        return hostcuda_remember(cudaErrorMemoryAllocation);
    *made = (struct cudaArray){
        .format = *format,
        .extent = extent,
        .width = extent.width,
        .height = extent.height > 0 ? extent.height : 1,
        .depth = extent.depth > 0 ? extent.depth : 1,
        .texel = texel_bytes(*format),
        .flags = flags,
    };
    size_t bytes;
    if (__builtin_mul_overflow(made->width * made->texel, made->height, &bytes) ||
        __builtin_mul_overflow(bytes, made->depth, &bytes) ||
        !(made->texels = hostcuda_allocate(bytes, HOSTCUDA_DEVICE))) {
        free(made);
        return hostcuda_remember(cudaErrorMemoryAllocation);
    }
    *array = made;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                            size_t width, size_t height, unsigned int flags)
{
    return cudaMalloc3DArray(array, format, make_cudaExtent(width, height, 0), flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    RETURN_STICKY();
    if (!array)
        return cudaSuccess;
    int error = hostcuda_release(array->texels, HOSTCUDA_DEVICE);
    free(array);
    return hostcuda_remember(error);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array)
{
    RETURN_STICKY();
    if (!array)
        return hostcuda_remember(cudaErrorInvalidResourceHandle);
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
        return hostcuda_remember(cudaErrorInvalidPitchValue);
    struct runtime_plane inside = {array->texels + y * row + x, row, 0},
                         outside = {memory, pitch, 0};
    struct runtime_plane to = to_array ? inside : outside, from = to_array ? outside : inside;
    cudaError_t error = runtime_check_copy(to.at, from.at, kind);
    if (error != cudaSuccess)
        return hostcuda_remember(error);
    return runtime_copy_box(what, to, from, make_cudaExtent(width, height, 1));
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
        .copy = {.srcPtr = make_cudaPitchedPtr((void *)(uintptr_t)from, pitch, width, height),
                 .dstArray = to,
                 .dstPos = make_cudaPos(x / texel, y, 0),
                 .extent = make_cudaExtent(width / texel, height, 1),
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
                                         .srcPos = make_cudaPos(x / texel, y, 0),
                                         .dstPtr = make_cudaPitchedPtr(to, pitch, width, height),
                                         .extent = make_cudaExtent(width / texel, height, 1),
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
        return hostcuda_remember(error);
    return runtime_copy_box(what, to, from, make_cudaExtent(bytes, 1, 1));
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

/* ---- textures ---------------------------------------------------------------------------------- */

struct texture {
    struct cudaResourceDesc resource;
    struct cudaTextureDesc description;
    struct cudaChannelFormatDesc format;
    unsigned char *texels;
    long width, height, depth;
    size_t pitch, slice, texel;
    int channels;
};

static cudaError_t describe(struct texture *texture, const struct cudaResourceDesc *resource)
{
    *texture = (struct texture){.resource = *resource, .height = 1, .depth = 1};
    switch (resource->resType) {
    case cudaResourceTypeArray: {
        const struct cudaArray *array = resource->res.array.array;
        if (!array)
            return cudaErrorInvalidResourceHandle;
        texture->format = array->format;
        texture->texels = array->texels;
        texture->width = (long)array->width;
        texture->height = (long)array->height;
        texture->depth = (long)array->depth;
        texture->pitch = array->width * array->texel;
        break;
    }
    case cudaResourceTypeLinear:
        texture->format = resource->res.linear.desc;
        texture->texels = resource->res.linear.devPtr;
        texture->pitch = resource->res.linear.sizeInBytes;
        break;
    case cudaResourceTypePitch2D:
        texture->format = resource->res.pitch2D.desc;
        texture->texels = resource->res.pitch2D.devPtr;
        texture->width = (long)resource->res.pitch2D.width;
        texture->height = (long)resource->res.pitch2D.height;
        texture->pitch = resource->res.pitch2D.pitchInBytes;
        break;
    default:
        hostcuda_missing("a mipmapped array as a texture", "use its first level, a CUDA array");
    }
    if (!is_format(texture->format))
        return cudaErrorInvalidChannelDescriptor;
    if (!texture->texels)
        return cudaErrorInvalidValue;
    texture->channels = channels(texture->format);
    texture->texel = texel_bytes(texture->format);
    if (resource->resType == cudaResourceTypeLinear)
        texture->width = (long)(texture->pitch / texture->texel);
    texture->slice = texture->pitch * (size_t)texture->height;
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *description,
                                    const struct cudaResourceViewDesc *view)
{
    (void)view;
    RETURN_STICKY();
    REQUIRE(texture && resource && description);
    struct texture *made = malloc(sizeof *made);
    if (!made)
        return hostcuda_remember(cudaErrorMemoryAllocation);
    cudaError_t error = describe(made, resource);
    if (error == cudaSuccess && description->filterMode == cudaFilterModeLinear &&
        made->format.f != cudaChannelFormatKindFloat &&
        description->readMode == cudaReadModeElementType)
        error = cudaErrorInvalidFilterSetting;
    if (error == cudaSuccess && description->readMode == cudaReadModeNormalizedFloat &&
        (made->format.f == cudaChannelFormatKindFloat || made->format.x == 32))
        error = cudaErrorInvalidNormSetting;
    if (error != cudaSuccess) {
        free(made);
        return hostcuda_remember(error);
    }
    made->description = *description;
    *texture = (cudaTextureObject_t)(uintptr_t)made;
    return cudaSuccess;
}

static struct texture *texture_of(unsigned long long object)
{
    return (struct texture *)(uintptr_t)object;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
    RETURN_STICKY();
    free(texture_of(texture));
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaTextureObject_t texture)
{
    RETURN_STICKY();
    REQUIRE(resource && texture);
    *resource = texture_of(texture)->resource;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *description,
                                            cudaTextureObject_t texture)
{
    RETURN_STICKY();
    REQUIRE(description && texture);
    *description = texture_of(texture)->description;
    return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface,
                                    const struct cudaResourceDesc *resource)
{
    struct cudaTextureDesc plain = {.addressMode = {cudaAddressModeClamp}};
    REQUIRE(resource && resource->resType == cudaResourceTypeArray);
    return cudaCreateTextureObject(surface, resource, &plain, NULL);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface)
{
    return cudaDestroyTextureObject(surface);
}

int hostcuda_texture_is_float(cudaTextureObject_t texture)
{
    const struct texture *t = texture_of(texture);
    return t->format.f == cudaChannelFormatKindFloat ||
           t->description.readMode == cudaReadModeNormalizedFloat;
}

static float half_to_float(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    float value = exponent == 31  ? (fraction ? NAN : INFINITY)
                  : exponent == 0 ? ldexpf((float)fraction, -24)
                                  : ldexpf((float)(fraction | 1024), exponent - 25);
    return half & 0x8000 ? -value : value;
}

/* One channel of a texel in memory, as float or int. */
static void read_channel(const struct texture *t, const unsigned char *at,
                         union hostcuda_texel *out, int channel)
{
    int bits = t->format.x;
    uint32_t raw = 0;
    memcpy(&raw, at + (size_t)(channel * bits / 8), (size_t)bits / 8);
    if (t->format.f == cudaChannelFormatKindFloat) {
        if (bits == 32)
            out->u[channel] = raw;
        else
            out->f[channel] = half_to_float((uint16_t)raw);
        return;
    }
    bool is_signed = t->format.f == cudaChannelFormatKindSigned;
    int32_t value = bits == 32  ? (int32_t)raw
                    : is_signed ? (bits == 8 ? (int8_t)raw : (int16_t)raw)
                                : (int32_t)raw;
    if (t->description.readMode == cudaReadModeNormalizedFloat) {
        float most = (float)((1u << (is_signed ? bits - 1 : bits)) - 1);
        out->f[channel] = fmaxf(-1, (float)value / most);
    } else
        out->i[channel] = value;
}

/* Brings an index into 0..size-1 as the address mode says; -1: outside, the border's colour. */
static long address(const struct texture *t, int axis, long i, long size)
{
    enum cudaTextureAddressMode mode = t->description.addressMode[axis];
    if (i >= 0 && i < size)
        return i;
    if (mode == cudaAddressModeBorder)
        return -1;
    if (t->description.normalizedCoords && mode == cudaAddressModeWrap)
        return (i % size + size) % size;
    if (t->description.normalizedCoords && mode == cudaAddressModeMirror) {
        long j = (i % (2 * size) + 2 * size) % (2 * size);
        return j < size ? j : 2 * size - 1 - j;
    }
    return i < 0 ? 0 : size - 1;
}

static void read_texel(const struct texture *t, long x, long y, long z, union hostcuda_texel *texel)
{
    x = address(t, 0, x, t->width);
    y = address(t, 1, y, t->height);
    z = address(t, 2, z, t->depth);
    *texel = (union hostcuda_texel){{0, 0, 0, 0}};
    if (x < 0 || y < 0 || z < 0) {
        memcpy(texel->f, t->description.borderColor, sizeof texel->f);
        return;
    }
    const unsigned char *at =
        t->texels + (size_t)z * t->slice + (size_t)y * t->pitch + (size_t)x * t->texel;
    for (int channel = 0; channel < t->channels; channel++)
        read_channel(t, at, texel, channel);
}

/* The texel at or before a coordinate, and the weight of the one after it. */
static long before(float at, float *weight)
{
    float floored = floorf(at - 0.5f);
    *weight = rintf((at - 0.5f - floored) * 256) / 256;
    return (long)floored;
}

static long whole(float at)
{
    return isfinite(at) ? (long)floorf(fmaxf(-1e9f, fminf(1e9f, at))) : 0;
}

void hostcuda_fetch(cudaTextureObject_t object, int dimensions, float x, float y, float z,
                    int layer, union hostcuda_texel *texel)
{
    const struct texture *t = texture_of(object);
    if (t->description.normalizedCoords) {
        x *= (float)t->width;
        y *= (float)t->height;
        z *= (float)t->depth;
    }
    long lowest_z = dimensions < 3 ? layer : whole(z);
    if (t->description.filterMode == cudaFilterModePoint) {
        read_texel(t, whole(x), dimensions < 2 ? 0 : whole(y), lowest_z, texel);
        return;
    }
    float wx, wy = 0, wz = 0;
    long ix = before(x, &wx), iy = dimensions < 2 ? 0 : before(y, &wy);
    long iz = dimensions < 3 ? layer : before(z, &wz);
    float sum[4] = {0, 0, 0, 0};
    for (int corner = 0; corner < 1 << dimensions; corner++) {
        int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;
        float weight = (dx ? wx : 1 - wx) * (dimensions < 2 || !dy ? 1 - wy : wy) *
                       (dimensions < 3 || !dz ? 1 - wz : wz);
        union hostcuda_texel one;
        read_texel(t, ix + dx, iy + dy, iz + dz, &one);
        for (int channel = 0; channel < 4; channel++)
            if (weight != 0)
                sum[channel] += weight * one.f[channel];
    }
    memcpy(texel->f, sum, sizeof sum);
}

void hostcuda_fetch_linear(cudaTextureObject_t object, int i, union hostcuda_texel *texel)
{
    const struct texture *t = texture_of(object);
    *texel = (union hostcuda_texel){{0, 0, 0, 0}};
    if (i >= 0 && i < t->width)
        read_texel(t, i, 0, 0, texel);
}

void hostcuda_gather(cudaTextureObject_t object, float x, float y, int channel,
                     union hostcuda_texel *texel)
{
    static const int dx[] = {0, 1, 1, 0}, dy[] = {1, 1, 0, 0};
    const struct texture *t = texture_of(object);
    float weight;
    if (t->description.normalizedCoords) {
        x *= (float)t->width;
        y *= (float)t->height;
    }
    long ix = before(x, &weight), iy = before(y, &weight);
    for (int i = 0; i < 4; i++) {
        union hostcuda_texel one;
        read_texel(t, ix + dx[i], iy + dy[i], 0, &one);
        texel->u[i] = one.u[channel & 3];
    }
}

void *hostcuda_surface(cudaSurfaceObject_t object, int x, int y, int z, size_t bytes, int boundary)
{
    const struct texture *t = texture_of(object);
    long row = (long)t->pitch, width = (long)bytes;
    bool outside = x < 0 || x + width > row || y < 0 || y >= t->height || z < 0 || z >= t->depth;
    if (outside && boundary == cudaBoundaryModeTrap)
        hostcuda_fault(cudaErrorIllegalAddress,
                       "surface access outside of the surface: byte %d of "
                       "%ld in x, %d of %ld in y, %d of %ld in z",
                       x, row, y, t->height, z, t->depth);
    if (outside && boundary == cudaBoundaryModeZero)
        return NULL;
    long at_x = x < 0 ? 0 : x + width > row ? row - width : x;
    long at_y = y < 0 ? 0 : y >= t->height ? t->height - 1 : y;
    long at_z = z < 0 ? 0 : z >= t->depth ? t->depth - 1 : z;
    return t->texels + (size_t)at_z * t->slice + (size_t)at_y * t->pitch + (size_t)at_x;
}
