/* hostcuda_textures.h - tex1D and its relatives, surfaces, and the texture references that CUDA 12
 * took away but older programs have. What a fetch does is in runtime/texture.c. */
#ifndef HOSTCUDA_TEXTURES_H
#define HOSTCUDA_TEXTURES_H

#include "cuda_runtime_api.h"

/* What a type looks like as a texel: how many channels of what. */
template <typename T> struct hostcuda_channels;
#define HOSTCUDA_CHANNELS(name, type, element, count, kind)                                        \
    template <> struct hostcuda_channels<name> {                                                   \
        typedef element channel;                                                                   \
        static const int number = count;                                                           \
        static const cudaChannelFormatKind format = cudaChannelFormatKind##kind;                   \
    };
#define HOSTCUDA_CHANNELS_OF(type, vector, kind)                                                   \
    HOSTCUDA_CHANNELS(type, type, type, 1, kind)                                                   \
    HOSTCUDA_CHANNELS(vector##1, type, type, 1, kind)                                              \
    HOSTCUDA_CHANNELS(vector##2, type, type, 2, kind)                                              \
    HOSTCUDA_CHANNELS(vector##4, type, type, 4, kind)
HOSTCUDA_CHANNELS(char, char, signed char, 1, Signed)
HOSTCUDA_CHANNELS_OF(signed char, char, Signed)
HOSTCUDA_CHANNELS_OF(unsigned char, uchar, Unsigned)
HOSTCUDA_CHANNELS_OF(short, short, Signed)
HOSTCUDA_CHANNELS_OF(unsigned short, ushort, Unsigned)
HOSTCUDA_CHANNELS_OF(int, int, Signed)
HOSTCUDA_CHANNELS_OF(unsigned int, uint, Unsigned)
HOSTCUDA_CHANNELS_OF(float, float, Float)
#undef HOSTCUDA_CHANNELS_OF
#undef HOSTCUDA_CHANNELS

template <typename T> cudaChannelFormatDesc cudaCreateChannelDesc()
{
    typedef hostcuda_channels<T> of;
    const int bits = 8 * (int)sizeof(typename of::channel);
    return cudaCreateChannelDesc(bits, of::number > 1 ? bits : 0, of::number > 2 ? bits : 0,
                                 of::number > 3 ? bits : 0, of::format);
}

/* The channels of a texel as T. What is fetched is float, or int where the texture has integers. */
template <typename T>
HOSTCUDA_QUIET T hostcuda_texel_as(cudaTextureObject_t texture, const hostcuda_texel &texel)
{
    typedef typename hostcuda_channels<T>::channel channel;
    const bool is_float = hostcuda_texture_is_float(texture);
    alignas(T) channel values[sizeof(T) / sizeof(channel)];
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
        values[i] = is_float ? (channel)texel.f[i] : (channel)texel.i[i];
    T result;
    memcpy(&result, values, sizeof result);
    return result;
}
template <typename T>
HOSTCUDA_QUIET T hostcuda_tex(cudaTextureObject_t texture, int dimensions, float x, float y = 0,
                              float z = 0, int layer = 0)
{
    hostcuda_texel texel;
    hostcuda_fetch(texture, dimensions, x, y, z, layer, &texel);
    return hostcuda_texel_as<T>(texture, texel);
}
template <typename T> HOSTCUDA_QUIET T tex1Dfetch(cudaTextureObject_t texture, int i)
{
    hostcuda_texel texel;
    hostcuda_fetch_linear(texture, i, &texel);
    return hostcuda_texel_as<T>(texture, texel);
}
template <typename T>
HOSTCUDA_QUIET T tex2Dgather(cudaTextureObject_t texture, float x, float y, int channel = 0)
{
    hostcuda_texel texel;
    hostcuda_gather(texture, x, y, channel, &texel);
    return hostcuda_texel_as<T>(texture, texel);
}

/* Levels and gradients choose among
   mipmaps, of which there is one. The common ones can also put their result at an address. */
#define HOSTCUDA_TEX(name, parameters, arguments)                                                  \
    template <typename T> HOSTCUDA_INLINE T name parameters                                        \
    {                                                                                              \
        return hostcuda_tex<T> arguments;                                                          \
    }
HOSTCUDA_TEX(tex1D, (cudaTextureObject_t t, float x), (t, 1, x))
HOSTCUDA_TEX(tex2D, (cudaTextureObject_t t, float x, float y), (t, 2, x, y))
HOSTCUDA_TEX(tex3D, (cudaTextureObject_t t, float x, float y, float z), (t, 3, x, y, z))
HOSTCUDA_TEX(tex1DLayered, (cudaTextureObject_t t, float x, int layer), (t, 1, x, 0, 0, layer))
HOSTCUDA_TEX(tex2DLayered, (cudaTextureObject_t t, float x, float y, int layer),
             (t, 2, x, y, 0, layer))
HOSTCUDA_TEX(tex1DLod, (cudaTextureObject_t t, float x, float), (t, 1, x))
HOSTCUDA_TEX(tex2DLod, (cudaTextureObject_t t, float x, float y, float), (t, 2, x, y))
HOSTCUDA_TEX(tex3DLod, (cudaTextureObject_t t, float x, float y, float z, float), (t, 3, x, y, z))
HOSTCUDA_TEX(tex1DGrad, (cudaTextureObject_t t, float x, float, float), (t, 1, x))
HOSTCUDA_TEX(tex2DGrad, (cudaTextureObject_t t, float x, float y, float2, float2), (t, 2, x, y))
#undef HOSTCUDA_TEX
template <typename T> HOSTCUDA_INLINE void tex1Dfetch(T *to, cudaTextureObject_t t, int i)
{
    *to = tex1Dfetch<T>(t, i);
}
template <typename T> HOSTCUDA_INLINE void tex1D(T *to, cudaTextureObject_t t, float x)
{
    *to = tex1D<T>(t, x);
}
template <typename T> HOSTCUDA_INLINE void tex2D(T *to, cudaTextureObject_t t, float x, float y)
{
    *to = tex2D<T>(t, x, y);
}
template <typename T>
HOSTCUDA_INLINE void tex3D(T *to, cudaTextureObject_t t, float x, float y, float z)
{
    *to = tex3D<T>(t, x, y, z);
}

/* ---- surfaces: x counts bytes ------------------------------------------------------------------------ */

template <typename T>
HOSTCUDA_QUIET T hostcuda_surface_read(cudaSurfaceObject_t surface, int x, int y, int z, int mode)
{
    T value = T();
    if (const void *at = hostcuda_surface(surface, x, y, z, sizeof value, mode))
        memcpy(&value, at, sizeof value);
    return value;
}
template <typename T>
HOSTCUDA_QUIET void hostcuda_surface_write(cudaSurfaceObject_t surface, T value, int x, int y,
                                           int z, int mode)
{
    if (void *at = hostcuda_surface(surface, x, y, z, sizeof value, mode))
        memcpy(at, &value, sizeof value);
}
#define HOSTCUDA_SURFACE(dimension, parameters, arguments)                                         \
    template <typename T>                                                                          \
    HOSTCUDA_INLINE T surf##dimension##read(cudaSurfaceObject_t s, HOSTCUDA_EACH parameters,       \
                                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)   \
    {                                                                                              \
        return hostcuda_surface_read<T>(s, HOSTCUDA_EACH arguments, mode);                         \
    }                                                                                              \
    template <typename T>                                                                          \
    HOSTCUDA_INLINE void surf##dimension##read(                                                    \
        T *to, cudaSurfaceObject_t s, HOSTCUDA_EACH parameters,                                    \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                       \
    {                                                                                              \
        *to = hostcuda_surface_read<T>(s, HOSTCUDA_EACH arguments, mode);                          \
    }                                                                                              \
    template <typename T>                                                                          \
    HOSTCUDA_INLINE void surf##dimension##write(                                                   \
        T value, cudaSurfaceObject_t s, HOSTCUDA_EACH parameters,                                  \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                       \
    {                                                                                              \
        hostcuda_surface_write<T>(s, value, HOSTCUDA_EACH arguments, mode);                        \
    }
#define HOSTCUDA_EACH(...) __VA_ARGS__
HOSTCUDA_SURFACE(1D, (int x), (x, 0, 0))
HOSTCUDA_SURFACE(2D, (int x, int y), (x, y, 0))
HOSTCUDA_SURFACE(3D, (int x, int y, int z), (x, y, z))
HOSTCUDA_SURFACE(1DLayered, (int x, int layer), (x, 0, layer))
HOSTCUDA_SURFACE(2DLayered, (int x, int y, int layer), (x, y, layer))
#undef HOSTCUDA_EACH
#undef HOSTCUDA_SURFACE

/* ---- texture references --------------------------------------------------------------------------------- */

struct textureReference {
    int normalized;
    cudaTextureFilterMode filterMode;
    cudaTextureAddressMode addressMode[3];
    cudaChannelFormatDesc channelDesc;
    cudaTextureReadMode readMode;
    cudaTextureObject_t object; /* made when something is bound */
};
template <typename T, int type = cudaTextureType1D,
          cudaTextureReadMode mode = cudaReadModeElementType>
struct texture : textureReference {
    texture(int normalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
            cudaTextureAddressMode address = cudaAddressModeClamp)
        : textureReference{
              normalized, filter, {address, address, address}, cudaCreateChannelDesc<T>(), mode, 0}
    {
    }
};
inline cudaError_t hostcuda_bind(textureReference &reference, const cudaResourceDesc &resource)
{
    cudaTextureDesc description = {};
    for (int axis = 0; axis < 3; axis++)
        description.addressMode[axis] = reference.addressMode[axis];
    description.filterMode = reference.filterMode;
    description.readMode = reference.readMode;
    description.normalizedCoords = reference.normalized;
    if (reference.object)
        cudaDestroyTextureObject(reference.object);
    return cudaCreateTextureObject(&reference.object, &resource, &description, nullptr);
}
inline cudaError_t cudaBindTexture(size_t *offset, textureReference &reference, const void *at,
                                   const cudaChannelFormatDesc &format, size_t bytes = UINT_MAX)
{
    hostcuda_region region;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<void *>(at);
    resource.res.linear.desc = format;
    if (bytes == UINT_MAX && hostcuda_find(at, &region))
        bytes = region.bytes - (size_t)((const char *)at - (const char *)region.base);
    resource.res.linear.sizeInBytes = bytes;
    if (offset)
        *offset = 0;
    return hostcuda_bind(reference, resource);
}
inline cudaError_t cudaBindTexture(size_t *offset, textureReference &reference, const void *at,
                                   size_t bytes = UINT_MAX)
{
    return cudaBindTexture(offset, reference, at, reference.channelDesc, bytes);
}
/* As C has it. */
inline cudaError_t cudaBindTexture(size_t *offset, const textureReference *reference,
                                   const void *at, const cudaChannelFormatDesc *format,
                                   size_t bytes = UINT_MAX)
{
    return cudaBindTexture(offset, const_cast<textureReference &>(*reference), at, *format, bytes);
}
inline cudaError_t cudaBindTexture2D(size_t *offset, textureReference &reference, const void *at,
                                     const cudaChannelFormatDesc &format, size_t width,
                                     size_t height, size_t pitch)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = const_cast<void *>(at);
    resource.res.pitch2D.desc = format;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    if (offset)
        *offset = 0;
    return hostcuda_bind(reference, resource);
}
inline cudaError_t cudaBindTextureToArray(textureReference &reference, cudaArray_const_t array)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = const_cast<cudaArray_t>(array);
    return hostcuda_bind(reference, resource);
}
inline cudaError_t cudaBindTextureToArray(textureReference &reference, cudaArray_const_t array,
                                          const cudaChannelFormatDesc &)
{
    return cudaBindTextureToArray(reference, array);
}
inline cudaError_t cudaUnbindTexture(textureReference &reference)
{
    cudaError_t error = cudaDestroyTextureObject(reference.object);
    reference.object = 0;
    return error;
}
/* What a reference gives: floats of the same number of channels for normalised integers. */
template <typename T, cudaTextureReadMode mode> struct hostcuda_fetched {
    typedef T type;
};
#define HOSTCUDA_NORMALIZED(from, to)                                                              \
    template <> struct hostcuda_fetched<from, cudaReadModeNormalizedFloat> {                       \
        typedef to type;                                                                           \
    };
#define HOSTCUDA_NORMALIZED_OF(type, vector)                                                       \
    HOSTCUDA_NORMALIZED(type, float)                                                               \
    HOSTCUDA_NORMALIZED(vector##1, float1)                                                         \
    HOSTCUDA_NORMALIZED(vector##2, float2)                                                         \
    HOSTCUDA_NORMALIZED(vector##4, float4)
HOSTCUDA_NORMALIZED_OF(signed char, char)
HOSTCUDA_NORMALIZED_OF(unsigned char, uchar)
HOSTCUDA_NORMALIZED_OF(short, short)
HOSTCUDA_NORMALIZED_OF(unsigned short, ushort)
#undef HOSTCUDA_NORMALIZED_OF
#undef HOSTCUDA_NORMALIZED
#define HOSTCUDA_REFERENCE(name, parameters, arguments)                                            \
    template <typename T, int type, cudaTextureReadMode mode>                                      \
    HOSTCUDA_INLINE typename hostcuda_fetched<T, mode>::type name parameters                       \
    {                                                                                              \
        return name<typename hostcuda_fetched<T, mode>::type> arguments;                           \
    }
#define HOSTCUDA_REFERENCE_OF const texture<T, type, mode> &t
HOSTCUDA_REFERENCE(tex1Dfetch, (HOSTCUDA_REFERENCE_OF, int i), (t.object, i))
HOSTCUDA_REFERENCE(tex1D, (HOSTCUDA_REFERENCE_OF, float x), (t.object, x))
HOSTCUDA_REFERENCE(tex2D, (HOSTCUDA_REFERENCE_OF, float x, float y), (t.object, x, y))
HOSTCUDA_REFERENCE(tex3D, (HOSTCUDA_REFERENCE_OF, float x, float y, float z), (t.object, x, y, z))
HOSTCUDA_REFERENCE(tex1DLayered, (HOSTCUDA_REFERENCE_OF, float x, int layer), (t.object, x, layer))
HOSTCUDA_REFERENCE(tex2DLayered, (HOSTCUDA_REFERENCE_OF, float x, float y, int layer),
                   (t.object, x, y, layer))
#undef HOSTCUDA_REFERENCE_OF
#undef HOSTCUDA_REFERENCE

#endif
