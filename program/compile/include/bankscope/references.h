/* references.h - texture references, which CUDA 12 took away but older programs have: variables of the file
 * that textures are bound to by name. Only for a program that has them (BANKSCOPE_REFERENCES), because
 * `texture` is a word that others use for their own variables.
 *
 * A reference is a variable of the device, and of its shadow on the host: binding makes a texture object
 * and copies it to the device.
 */
#ifndef BANKSCOPE_REFERENCES_H
#define BANKSCOPE_REFERENCES_H

#include "../cuda_runtime_api.h"
#include "typed_api.h"

struct textureReference {
    int normalized;
    cudaTextureFilterMode filterMode;
    cudaTextureAddressMode addressMode[3];
    cudaChannelFormatDesc channelDesc;
    cudaTextureReadMode readMode;
    cudaTextureObject_t object; /* made when something is bound */
};

#pragma clang force_cuda_host_device begin
template <typename T> constexpr cudaChannelFormatDesc bankscope_channel_description()
{
    typedef bankscope_channels<T> of;
    const int bits = 8 * (int)sizeof(typename of::channel);
    return {bits, of::number > 1 ? bits : 0, of::number > 2 ? bits : 0, of::number > 3 ? bits : 0,
            of::format};
}
template <typename T, int type = cudaTextureType1D,
          cudaTextureReadMode mode = cudaReadModeElementType>
struct bankscope_texture_reference : textureReference {
    constexpr bankscope_texture_reference(int normalized = 0,
                                          cudaTextureFilterMode filter = cudaFilterModePoint,
                                          cudaTextureAddressMode address = cudaAddressModeClamp)
        : textureReference{
              normalized, filter, {address, address, address}, bankscope_channel_description<T>(),
              mode,       0}
    {
    }
    constexpr bankscope_texture_reference(int normalized, cudaTextureFilterMode filter,
                                          cudaTextureAddressMode address,
                                          cudaChannelFormatDesc format)
        : textureReference{normalized, filter, {address, address, address}, format, mode, 0}
    {
    }
};
#pragma clang force_cuda_host_device end
#define texture __device__ bankscope_texture_reference

/* ---- binding --------------------------------------------------------------------------------------- */

inline cudaError_t bankscope_bind(textureReference &reference, const cudaResourceDesc &resource)
{
    cudaTextureDesc description = {};
    for (int axis = 0; axis < 3; axis++)
        description.addressMode[axis] = reference.addressMode[axis];
    description.filterMode = reference.filterMode;
    description.readMode = reference.readMode;
    description.normalizedCoords = reference.normalized;
    if (reference.object)
        cudaDestroyTextureObject(reference.object);
    cudaError_t error =
        cudaCreateTextureObject(&reference.object, &resource, &description, nullptr);
    if (error != cudaSuccess)
        return error;
    return cudaMemcpyToSymbol((const void *)&reference, &reference, sizeof reference);
}
inline cudaError_t cudaBindTexture(size_t *offset, textureReference &reference, const void *at,
                                   const cudaChannelFormatDesc &format, size_t bytes = UINT_MAX)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<void *>(at);
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = bytes;
    if (offset)
        *offset = 0;
    return bankscope_bind(reference, resource);
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
    return bankscope_bind(reference, resource);
}
inline cudaError_t cudaBindTexture2D(size_t *offset, textureReference &reference, const void *at,
                                     size_t width, size_t height, size_t pitch)
{
    return cudaBindTexture2D(offset, reference, at, reference.channelDesc, width, height, pitch);
}
inline cudaError_t cudaBindTextureToArray(textureReference &reference, cudaArray_const_t array)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = const_cast<cudaArray_t>(array);
    return bankscope_bind(reference, resource);
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

/* ---- fetching -------------------------------------------------------------------------------------- */

/* What a reference gives: floats of the same number of channels for normalised integers. */
template <typename T, cudaTextureReadMode mode> struct bankscope_fetched {
    typedef T type;
};
#define BANKSCOPE_NORMALIZED(from, to)                                                             \
    template <> struct bankscope_fetched<from, cudaReadModeNormalizedFloat> {                      \
        typedef to type;                                                                           \
    };
#define BANKSCOPE_NORMALIZED_OF(type, vector)                                                      \
    BANKSCOPE_NORMALIZED(type, float)                                                              \
    BANKSCOPE_NORMALIZED(vector##1, float1)                                                        \
    BANKSCOPE_NORMALIZED(vector##2, float2)                                                        \
    BANKSCOPE_NORMALIZED(vector##4, float4)
BANKSCOPE_NORMALIZED_OF(signed char, char)
BANKSCOPE_NORMALIZED_OF(unsigned char, uchar)
BANKSCOPE_NORMALIZED_OF(short, short)
BANKSCOPE_NORMALIZED_OF(unsigned short, ushort)
#undef BANKSCOPE_NORMALIZED_OF
#undef BANKSCOPE_NORMALIZED
#define BANKSCOPE_REFERENCE(name, parameters, arguments)                                           \
    template <typename T, int type, cudaTextureReadMode mode>                                      \
    BANKSCOPE_DEVICE typename bankscope_fetched<T, mode>::type name parameters                     \
    {                                                                                              \
        return name<typename bankscope_fetched<T, mode>::type> arguments;                          \
    }
#define BANKSCOPE_OF const bankscope_texture_reference<T, type, mode> &of
BANKSCOPE_REFERENCE(tex1Dfetch, (BANKSCOPE_OF, int i), (of.object, i))
BANKSCOPE_REFERENCE(tex1D, (BANKSCOPE_OF, float x), (of.object, x))
BANKSCOPE_REFERENCE(tex2D, (BANKSCOPE_OF, float x, float y), (of.object, x, y))
BANKSCOPE_REFERENCE(tex3D, (BANKSCOPE_OF, float x, float y, float z), (of.object, x, y, z))
BANKSCOPE_REFERENCE(tex1DLayered, (BANKSCOPE_OF, float x, int layer), (of.object, x, layer))
BANKSCOPE_REFERENCE(tex2DLayered, (BANKSCOPE_OF, float x, float y, int layer),
                    (of.object, x, y, layer))
#undef BANKSCOPE_OF
#undef BANKSCOPE_REFERENCE

#endif
