/* Textures and surfaces: from CUDA's descriptions to the machine's. What a fetch does is in
 * machine/texture.c. */
#include "program/runtime/runtime.h"

#include <string.h>

/* What a texture object was made of, by its handle: for those who ask. */
struct texture {
    uint64_t handle;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc description;
    struct texture *next;
};
static struct texture *textures;

static enum machine_texel_kind kind_of(enum cudaChannelFormatKind kind)
{
    return kind == cudaChannelFormatKindFloat      ? MACHINE_TEXEL_FLOAT
           : kind == cudaChannelFormatKindUnsigned ? MACHINE_TEXEL_UNSIGNED
                                                   : MACHINE_TEXEL_SIGNED;
}

/* The rows that a resource is. */
static cudaError_t describe(const struct cudaResourceDesc *resource, struct machine_texture *t,
                            struct cudaChannelFormatDesc *format)
{
    const struct cudaArray *array = resource->res.array.array;
    *t = (struct machine_texture){.width = 1, .height = 1, .depth = 1};
    switch (resource->resType) {
    case cudaResourceTypeArray:
        if (!array)
            return cudaErrorInvalidResourceHandle;
        *format = array->format;
        t->texels = array->texels;
        t->width = (uint32_t)array->width;
        t->height = (uint32_t)array->height;
        t->depth = (uint32_t)array->depth;
        t->pitch = array->width * array->texel;
        break;
    case cudaResourceTypeLinear:
        *format = resource->res.linear.desc;
        t->texels = resource->res.linear.devPtr;
        t->pitch = resource->res.linear.sizeInBytes;
        break;
    case cudaResourceTypePitch2D:
        *format = resource->res.pitch2D.desc;
        t->texels = resource->res.pitch2D.devPtr;
        t->width = (uint32_t)resource->res.pitch2D.width;
        t->height = (uint32_t)resource->res.pitch2D.height;
        t->pitch = resource->res.pitch2D.pitchInBytes;
        break;
    default:
        return runtime_missing("a mipmapped array as a texture",
                               "use its first level, a CUDA array");
    }
    if (!runtime_is_format(*format))
        return cudaErrorInvalidChannelDescriptor;
    if (resource->resType == cudaResourceTypeLinear)
        t->width = (uint32_t)(t->pitch / runtime_texel_bytes(*format));
    t->slice = t->pitch * t->height;
    t->channels = runtime_channels(*format);
    t->bits = format->x;
    t->kind = kind_of(format->f);
    return cudaSuccess;
}

/* All of its bytes must be allocated, or fetches would leave them. */
static cudaError_t check_bytes(const struct machine_texture *t)
{
    size_t row = (size_t)t->width * (size_t)(t->channels * t->bits / 8);
    size_t rows = (size_t)t->height * t->depth;
    if (!t->texels || row > t->pitch || !rows)
        return cudaErrorInvalidValue;
    return runtime_access("cudaCreateTextureObject", t->texels, (rows - 1) * t->pitch + row, false);
}

static cudaError_t check_reading(const struct machine_texture *t,
                                 const struct cudaTextureDesc *description)
{
    bool is_float = t->kind == MACHINE_TEXEL_FLOAT;
    if (description->filterMode == cudaFilterModeLinear && !is_float &&
        description->readMode == cudaReadModeElementType)
        return cudaErrorInvalidFilterSetting;
    if (description->readMode == cudaReadModeNormalizedFloat && (is_float || t->bits == 32))
        return cudaErrorInvalidNormSetting;
    return cudaSuccess;
}

static void apply(struct machine_texture *t, const struct cudaTextureDesc *description)
{
    static const enum machine_wrap wraps[] = {
        [cudaAddressModeWrap] = MACHINE_WRAP,
        [cudaAddressModeClamp] = MACHINE_CLAMP,
        [cudaAddressModeMirror] = MACHINE_MIRROR,
        [cudaAddressModeBorder] = MACHINE_BORDER,
    };
    for (int axis = 0; axis < 3; axis++)
        t->wrap[axis] = wraps[description->addressMode[axis] & 3];
    t->linear_filter = description->filterMode == cudaFilterModeLinear;
    t->normalized_values = description->readMode == cudaReadModeNormalizedFloat;
    t->normalized_coordinates = description->normalizedCoords;
    memcpy(t->border, description->borderColor, sizeof t->border);
}

bool runtime_has_textures(void)
{
    return textures;
}

/* Adds a texture to the machine's table, and what it is made of to the list. */
static cudaError_t add_texture(struct texture *made, const struct machine_texture *t,
                               cudaTextureObject_t *texture)
{
    runtime_lock();
    struct machine_texture mine = *t;
    mine.texels = runtime_host(t->texels);
    made->handle = machine_texture_add(runtime_begin()->textures, &mine);
    if (made->handle) {
        made->next = textures;
        textures = made;
        *texture = made->handle;
    }
    runtime_unlock();
    return made->handle ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *description,
                                    const struct cudaResourceViewDesc *view)
{
    struct machine_texture t;
    struct cudaChannelFormatDesc format;
    (void)view;
    RETURN_STICKY();
    REQUIRE(texture && resource && description);
    cudaError_t error = describe(resource, &t, &format);
    if (error == cudaSuccess)
        error = check_reading(&t, description);
    if (error == cudaSuccess)
        error = check_bytes(&t);
    struct texture *made = error == cudaSuccess ? runtime_new(sizeof *made) : NULL;
    if (error == cudaSuccess && !made)
        error = cudaErrorMemoryAllocation;
    if (error == cudaSuccess) {
        apply(&t, description);
        made->resource = *resource;
        made->description = *description;
        error = add_texture(made, &t, texture);
    }
    if (error != cudaSuccess)
        runtime_delete(made);
    return runtime_remember(error);
}

/* The texture of a handle; it is taken from the list if it is to go. */
static struct texture *find_texture(unsigned long long handle, bool take)
{
    runtime_lock();
    struct texture **at = &textures;
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    struct texture *found = *at;
    if (found && take) {
        *at = found->next;
        machine_texture_remove(runtime_begin()->textures, handle);
    }
    runtime_unlock();
    return found;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
    RETURN_STICKY();
    if (!texture)
        return cudaSuccess;
    struct texture *found = find_texture(texture, true);
    REQUIRE(found);
    runtime_delete(found);
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaTextureObject_t texture)
{
    RETURN_STICKY();
    const struct texture *found = find_texture(texture, false);
    REQUIRE(resource && found);
    *resource = found->resource;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *description,
                                            cudaTextureObject_t texture)
{
    RETURN_STICKY();
    const struct texture *found = find_texture(texture, false);
    REQUIRE(description && found);
    *description = found->description;
    return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface,
                                    const struct cudaResourceDesc *resource)
{
    struct cudaTextureDesc plain = {.addressMode = {cudaAddressModeClamp}};
    RETURN_STICKY();
    REQUIRE(resource && resource->resType == cudaResourceTypeArray);
    return cudaCreateTextureObject(surface, resource, &plain, NULL);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface)
{
    return cudaDestroyTextureObject(surface);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaSurfaceObject_t surface)
{
    return cudaGetTextureObjectResourceDesc(resource, surface);
}
