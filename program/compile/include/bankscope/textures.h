/* textures.h - tex1D and its relatives, and surfaces: the instructions tex, tld4, suld and sust; what a fetch
 * does is the machine's. And the texture references that CUDA 12 took away but older programs have. */
#ifndef BANKSCOPE_TEXTURES_H
#define BANKSCOPE_TEXTURES_H

#include "../cuda_runtime_api.h"

/* ---- texels ----------------------------------------------------------------------------------- */

/* What a type looks like as a texel: channels of what; fetched as what. */
template <typename T> struct bankscope_channels;
#define BANKSCOPE_CHANNELS(name, element, fetched_as, count, kind)                                 \
    template <> struct bankscope_channels<name> {                                                  \
        typedef element channel;                                                                   \
        typedef fetched_as fetched;                                                                \
        static const int number = count;                                                           \
        static const cudaChannelFormatKind format = cudaChannelFormatKind##kind;                   \
    };
#define BANKSCOPE_CHANNELS_OF(type, fetched_as, vector, kind)                                      \
    BANKSCOPE_CHANNELS(type, type, fetched_as, 1, kind)                                            \
    BANKSCOPE_CHANNELS(vector##1, type, fetched_as, 1, kind)                                       \
    BANKSCOPE_CHANNELS(vector##2, type, fetched_as, 2, kind)                                       \
    BANKSCOPE_CHANNELS(vector##4, type, fetched_as, 4, kind)
BANKSCOPE_CHANNELS(char, signed char, int, 1, Signed)
BANKSCOPE_CHANNELS_OF(signed char, int, char, Signed)
BANKSCOPE_CHANNELS_OF(unsigned char, unsigned, uchar, Unsigned)
BANKSCOPE_CHANNELS_OF(short, int, short, Signed)
BANKSCOPE_CHANNELS_OF(unsigned short, unsigned, ushort, Unsigned)
BANKSCOPE_CHANNELS_OF(int, int, int, Signed)
BANKSCOPE_CHANNELS_OF(unsigned int, unsigned, uint, Unsigned)
BANKSCOPE_CHANNELS_OF(float, float, float, Float)
#undef BANKSCOPE_CHANNELS_OF
#undef BANKSCOPE_CHANNELS

template <typename T> cudaChannelFormatDesc cudaCreateChannelDesc()
{
    typedef bankscope_channels<T> of;
    const int bits = 8 * (int)sizeof(typename of::channel);
    return cudaCreateChannelDesc(bits, of::number > 1 ? bits : 0, of::number > 2 ? bits : 0,
                                 of::number > 3 ? bits : 0, of::format);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf()
{
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}

/* Four channels as T, which has as many of them as it needs. */
template <typename T> struct bankscope_texel {
    typename bankscope_channels<T>::fetched x, y, z, w;
    __device__ BANKSCOPE_MEMBER T value() const
    {
        typedef typename bankscope_channels<T>::channel channel;
        const channel all[4] = {(channel)x, (channel)y, (channel)z, (channel)w};
        T some;
        __builtin_memcpy(&some, all, sizeof some);
        return some;
    }
};

/* ---- textures ---------------------------------------------------------------------------------- */

/* One instruction for each type that a texel is fetched as: what is before and behind its type, and the
 * operands from %4 on, of which %4 is the texture. */
#define BANKSCOPE_FETCH(texel, before, behind, ...)                                                \
    do {                                                                                           \
        typedef decltype(texel.x) fetched;                                                         \
        if constexpr (std::is_same<fetched, float>::value)                                         \
            __asm__ __volatile__(before ".f32" behind                                              \
                                 : "=f"(texel.x), "=f"(texel.y), "=f"(texel.z), "=f"(texel.w)      \
                                 : __VA_ARGS__);                                                   \
        else if constexpr (std::is_same<fetched, int>::value)                                      \
            __asm__ __volatile__(before ".s32" behind                                              \
                                 : "=r"(texel.x), "=r"(texel.y), "=r"(texel.z), "=r"(texel.w)      \
                                 : __VA_ARGS__);                                                   \
        else                                                                                       \
            __asm__ __volatile__(before ".u32" behind                                              \
                                 : "=r"(texel.x), "=r"(texel.y), "=r"(texel.z), "=r"(texel.w)      \
                                 : __VA_ARGS__);                                                   \
    } while (0)
#define BANKSCOPE_LIST(...) __VA_ARGS__
/* A function of that name, and one that puts its result at an address. */
#define BANKSCOPE_TEXTURE(name, parameters, arguments, before, behind, ...)                        \
    template <typename T>                                                                          \
    BANKSCOPE_DEVICE T name(cudaTextureObject_t texture, BANKSCOPE_LIST parameters)                \
    {                                                                                              \
        bankscope_texel<T> texel;                                                                  \
        BANKSCOPE_FETCH(texel, before, behind, "l"(texture), __VA_ARGS__);                         \
        return texel.value();                                                                      \
    }                                                                                              \
    template <typename T>                                                                          \
    BANKSCOPE_DEVICE void name(T *to, cudaTextureObject_t texture, BANKSCOPE_LIST parameters)      \
    {                                                                                              \
        *to = name<T>(texture, BANKSCOPE_LIST arguments);                                          \
    }
BANKSCOPE_TEXTURE(tex1Dfetch, (int x), (x), "tex.1d.v4", ".s32 {%0, %1, %2, %3}, [%4, {%5}];",
                  "r"(x))
BANKSCOPE_TEXTURE(tex1D, (float x), (x), "tex.1d.v4", ".f32 {%0, %1, %2, %3}, [%4, {%5}];", "f"(x))
BANKSCOPE_TEXTURE(tex2D, (float x, float y), (x, y), "tex.2d.v4",
                  ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", "f"(x), "f"(y))
BANKSCOPE_TEXTURE(tex3D, (float x, float y, float z), (x, y, z), "tex.3d.v4",
                  ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", "f"(x), "f"(y), "f"(z))
BANKSCOPE_TEXTURE(tex1DLayered, (float x, int layer), (x, layer), "tex.a1d.v4",
                  ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", "r"(layer), "f"(x))
BANKSCOPE_TEXTURE(tex2DLayered, (float x, float y, int layer), (x, y, layer), "tex.a2d.v4",
                  ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", "r"(layer), "f"(x), "f"(y))
BANKSCOPE_TEXTURE(texCubemap, (float x, float y, float z), (x, y, z), "tex.cube.v4",
                  ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", "f"(x), "f"(y), "f"(z))
BANKSCOPE_TEXTURE(tex1DLod, (float x, float level), (x, level), "tex.level.1d.v4",
                  ".f32 {%0, %1, %2, %3}, [%4, {%5}], %6;", "f"(x), "f"(level))
BANKSCOPE_TEXTURE(tex2DLod, (float x, float y, float level), (x, y, level), "tex.level.2d.v4",
                  ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;", "f"(x), "f"(y), "f"(level))
BANKSCOPE_TEXTURE(tex3DLod, (float x, float y, float z, float level), (x, y, z, level),
                  "tex.level.3d.v4", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], %8;", "f"(x),
                  "f"(y), "f"(z), "f"(level))
BANKSCOPE_TEXTURE(tex1DGrad, (float x, float dx, float dy), (x, dx, dy), "tex.grad.1d.v4",
                  ".f32 {%0, %1, %2, %3}, [%4, {%5}], {%6}, {%7};", "f"(x), "f"(dx), "f"(dy))
BANKSCOPE_TEXTURE(tex2DGrad, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy),
                  "tex.grad.2d.v4", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8}, {%9, %10};",
                  "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
#undef BANKSCOPE_TEXTURE

/* One channel of the four texels around a place. */
template <typename T>
BANKSCOPE_DEVICE T tex2Dgather(cudaTextureObject_t texture, float x, float y, int channel = 0)
{
    bankscope_texel<T> texel;
#define BANKSCOPE_GATHER(name)                                                                     \
    BANKSCOPE_FETCH(texel, "tld4." name ".2d.v4", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];",        \
                    "l"(texture), "f"(x), "f"(y))
    if (channel == 0)
        BANKSCOPE_GATHER("r");
    else if (channel == 1)
        BANKSCOPE_GATHER("g");
    else if (channel == 2)
        BANKSCOPE_GATHER("b");
    else
        BANKSCOPE_GATHER("a");
#undef BANKSCOPE_GATHER
    return texel.value();
}
template <typename T>
BANKSCOPE_DEVICE void tex2Dgather(T *to, cudaTextureObject_t texture, float x, float y,
                                  int channel = 0)
{
    *to = tex2Dgather<T>(texture, x, y, channel);
}
#undef BANKSCOPE_FETCH

/* ---- surfaces: x counts bytes ------------------------------------------------------------------------ */

/* What a value of so many bytes is read and written as. */
template <size_t bytes> struct bankscope_surface_words {
    typedef unsigned type;
};
template <> struct bankscope_surface_words<1> {
    typedef unsigned short type;
};
template <> struct bankscope_surface_words<2> {
    typedef unsigned short type;
};

/* The accesses of one width, where `to` is the array of words; `where` names the operands behind it. */
#define BANKSCOPE_SURFACE_READ(shape, mode, where, ...)                                            \
    do {                                                                                           \
        if constexpr (sizeof(T) == 1)                                                              \
            __asm__ __volatile__("suld.b." shape ".b8." mode " {%0}, [%[s], " where "];"           \
                                 : "=h"(to[0])                                                     \
                                 : __VA_ARGS__                                                     \
                                 : "memory");                                                      \
        else if constexpr (sizeof(T) == 2)                                                         \
            __asm__ __volatile__("suld.b." shape ".b16." mode " {%0}, [%[s], " where "];"          \
                                 : "=h"(to[0])                                                     \
                                 : __VA_ARGS__                                                     \
                                 : "memory");                                                      \
        else if constexpr (sizeof(T) == 4)                                                         \
            __asm__ __volatile__("suld.b." shape ".b32." mode " {%0}, [%[s], " where "];"          \
                                 : "=r"(to[0])                                                     \
                                 : __VA_ARGS__                                                     \
                                 : "memory");                                                      \
        else if constexpr (sizeof(T) == 8)                                                         \
            __asm__ __volatile__("suld.b." shape ".v2.b32." mode " {%0, %1}, [%[s], " where "];"   \
                                 : "=r"(to[0]), "=r"(to[1])                                        \
                                 : __VA_ARGS__                                                     \
                                 : "memory");                                                      \
        else                                                                                       \
            __asm__ __volatile__("suld.b." shape ".v4.b32." mode                                   \
                                 " {%0, %1, %2, %3}, [%[s], " where "];"                           \
                                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])              \
                                 : __VA_ARGS__                                                     \
                                 : "memory");                                                      \
    } while (0)
#define BANKSCOPE_SURFACE_WRITE(shape, mode, where, ...)                                           \
    do {                                                                                           \
        if constexpr (sizeof(T) == 1)                                                              \
            __asm__ __volatile__(                                                                  \
                "sust.b." shape ".b8." mode " [%[s], " where "], {%0};" ::"h"(to[0]), __VA_ARGS__  \
                : "memory");                                                                       \
        else if constexpr (sizeof(T) == 2)                                                         \
            __asm__ __volatile__(                                                                  \
                "sust.b." shape ".b16." mode " [%[s], " where "], {%0};" ::"h"(to[0]), __VA_ARGS__ \
                : "memory");                                                                       \
        else if constexpr (sizeof(T) == 4)                                                         \
            __asm__ __volatile__(                                                                  \
                "sust.b." shape ".b32." mode " [%[s], " where "], {%0};" ::"r"(to[0]), __VA_ARGS__ \
                : "memory");                                                                       \
        else if constexpr (sizeof(T) == 8)                                                         \
            __asm__ __volatile__("sust.b." shape ".v2.b32." mode " [%[s], " where                  \
                                 "], {%0, %1};" ::"r"(to[0]),                                      \
                                 "r"(to[1]), __VA_ARGS__                                           \
                                 : "memory");                                                      \
        else                                                                                       \
            __asm__ __volatile__("sust.b." shape ".v4.b32." mode " [%[s], " where                  \
                                 "], {%0, %1, %2, %3};" ::"r"(to[0]),                              \
                                 "r"(to[1]), "r"(to[2]), "r"(to[3]), __VA_ARGS__                   \
                                 : "memory");                                                      \
    } while (0)
#define BANKSCOPE_SURFACE_MODES(access, shape, where, ...)                                         \
    do {                                                                                           \
        if (mode == cudaBoundaryModeZero)                                                          \
            access(shape, "zero", where, __VA_ARGS__);                                             \
        else if (mode == cudaBoundaryModeClamp)                                                    \
            access(shape, "clamp", where, __VA_ARGS__);                                            \
        else                                                                                       \
            access(shape, "trap", where, __VA_ARGS__);                                             \
    } while (0)
#define BANKSCOPE_SURFACE(name, parameters, arguments, shape, where, ...)                          \
    template <typename T>                                                                          \
    BANKSCOPE_DEVICE T surf##name##read(cudaSurfaceObject_t surface, BANKSCOPE_LIST parameters,    \
                                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)       \
    {                                                                                              \
        typename bankscope_surface_words<sizeof(T)>::type to[4];                                   \
        BANKSCOPE_SURFACE_MODES(BANKSCOPE_SURFACE_READ, shape, where, [s] "l"(surface),            \
                                __VA_ARGS__);                                                      \
        T value;                                                                                   \
        __builtin_memcpy(&value, to, sizeof value);                                                \
        return value;                                                                              \
    }                                                                                              \
    template <typename T>                                                                          \
    BANKSCOPE_DEVICE void surf##name##read(T *at, cudaSurfaceObject_t surface,                     \
                                           BANKSCOPE_LIST parameters,                              \
                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)    \
    {                                                                                              \
        *at = surf##name##read<T>(surface, BANKSCOPE_LIST arguments, mode);                        \
    }                                                                                              \
    template <typename T>                                                                          \
    BANKSCOPE_DEVICE void surf##name##write(T value, cudaSurfaceObject_t surface,                  \
                                            BANKSCOPE_LIST parameters,                             \
                                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)   \
    {                                                                                              \
        typename bankscope_surface_words<sizeof(T)>::type to[4] = {};                              \
        __builtin_memcpy(to, &value, sizeof value);                                                \
        BANKSCOPE_SURFACE_MODES(BANKSCOPE_SURFACE_WRITE, shape, where, [s] "l"(surface),           \
                                __VA_ARGS__);                                                      \
    }
BANKSCOPE_SURFACE(1D, (int x), (x), "1d", "{%[x]}", [x] "r"(x))
BANKSCOPE_SURFACE(2D, (int x, int y), (x, y), "2d", "{%[x], %[y]}", [x] "r"(x), [y] "r"(y))
BANKSCOPE_SURFACE(3D, (int x, int y, int z), (x, y, z), "3d",
                  "{%[x], %[y], %[z], %[z]}", [x] "r"(x), [y] "r"(y), [z] "r"(z))
BANKSCOPE_SURFACE(1DLayered, (int x, int layer), (x, layer), "a1d",
                  "{%[l], %[x]}", [l] "r"(layer), [x] "r"(x))
BANKSCOPE_SURFACE(2DLayered, (int x, int y, int layer), (x, y, layer), "a2d",
                  "{%[l], %[x], %[y], %[y]}", [l] "r"(layer), [x] "r"(x), [y] "r"(y))
#undef BANKSCOPE_SURFACE
#undef BANKSCOPE_SURFACE_MODES
#undef BANKSCOPE_SURFACE_WRITE
#undef BANKSCOPE_SURFACE_READ
#undef BANKSCOPE_LIST

#endif
