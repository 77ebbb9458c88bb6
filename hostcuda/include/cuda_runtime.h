/* cuda_runtime.h - CUDA C++ for this machine: the language's words and functions, and the runtime API.
 *
 * The driver includes it before every source, as nvcc does. A program sees no difference but this:
 * the host's code can read device memory, __CUDA_ARCH__ is defined for all code, and there is no
 * inline PTX. */
#ifndef HOSTCUDA_CUDA_RUNTIME_H
#define HOSTCUDA_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#ifdef __cplusplus
#include <assert.h>
#include <stdio.h>
#include <tuple>
#include <utility>
#include "hostcuda_math.h"
#include "hostcuda_warp.h"
#include "hostcuda_atomics.h"
#include "hostcuda_textures.h"

/* ---- the runtime API with types ---------------------------------------------------------------- */

template <typename T> cudaError_t cudaMalloc(T **memory, size_t bytes)
{
    return cudaMalloc((void **)(void *)memory, bytes);
}
template <typename T>
cudaError_t cudaMallocHost(T **memory, size_t bytes, unsigned flags = cudaHostAllocDefault)
{
    return cudaHostAlloc((void **)(void *)memory, bytes, flags);
}
template <typename T> cudaError_t cudaHostAlloc(T **memory, size_t bytes, unsigned flags)
{
    return cudaHostAlloc((void **)(void *)memory, bytes, flags);
}
template <typename T>
cudaError_t cudaMallocManaged(T **memory, size_t bytes, unsigned flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)(void *)memory, bytes, flags);
}
template <typename T>
cudaError_t cudaMallocPitch(T **memory, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)(void *)memory, pitch, width, height);
}
template <typename T> cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync((void **)(void *)memory, bytes, stream);
}
template <typename T>
cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaMemPool_t, cudaStream_t stream)
{
    return cudaMallocAsync((void **)(void *)memory, bytes, stream);
}
template <typename T>
cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags = 0)
{
    return cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <typename T>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *memory, size_t bytes = 0,
                                     unsigned flags = cudaMemAttachSingle)
{
    return cudaStreamAttachMemAsync(stream, (void *)memory, bytes, flags);
}
inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags = cudaEventDefault)
{
    return cudaEventCreateWithFlags(event, flags);
}

/* Advice about managed memory, in CUDA 13's form and the older one with a device's number. */
template <typename T> cudaError_t cudaMemPrefetchAsync(const T *, size_t, int, cudaStream_t = 0)
{
    return cudaDeviceSynchronize();
}
template <typename T>
cudaError_t cudaMemPrefetchAsync(const T *, size_t, cudaMemLocation, unsigned = 0, cudaStream_t = 0)
{
    return cudaDeviceSynchronize();
}
template <typename T> cudaError_t cudaMemAdvise(const T *, size_t, cudaMemoryAdvise, int)
{
    return cudaDeviceSynchronize();
}
template <typename T>
cudaError_t cudaMemAdvise(const T *, size_t, cudaMemoryAdvise, cudaMemLocation)
{
    return cudaDeviceSynchronize();
}

/* Variables of the program, by themselves. */
template <typename T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return hostcuda_copy_symbol(&symbol, sizeof symbol, const_cast<void *>(from), bytes, offset,
                                kind, 1);
}
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes,
                                    size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t = 0)
{
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return hostcuda_copy_symbol(&symbol, sizeof symbol, to, bytes, offset, kind, 0);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t = 0)
{
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
template <typename T> cudaError_t cudaGetSymbolAddress(void **at, const T &symbol)
{
    *at = (void *)&symbol;
    return cudaSuccess;
}
template <typename P, typename T> cudaError_t cudaGetSymbolAddress(P **at, const T &symbol)
{
    *at = (P *)(void *)&symbol;
    return cudaSuccess;
}
template <typename T> cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    *bytes = sizeof symbol;
    return cudaSuccess;
}

/* ---- what is known of a kernel: nothing but what the hardware would allow it ------------------ */

template <typename F> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, F *)
{
    if (!attributes)
        return hostcuda_remember(cudaErrorInvalidValue);
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    attributes->numRegs = 32;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = HOSTCUDA_STATIC_MOST;
    return cudaSuccess;
}
template <typename F> cudaError_t cudaFuncSetAttribute(F *, cudaFuncAttribute attribute, int value)
{
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value > HOSTCUDA_DYNAMIC_MOST)
        return hostcuda_remember(cudaErrorInvalidValue);
    return cudaSuccess;
}
template <typename F> cudaError_t cudaFuncSetCacheConfig(F *, cudaFuncCache)
{
    return cudaSuccess;
}
template <typename F> cudaError_t cudaFuncSetSharedMemConfig(F *, cudaSharedMemConfig)
{
    return cudaSuccess;
}

template <typename F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F, int threads,
                                                          size_t shared_bytes)
{
    if (!blocks || threads < 1)
        return hostcuda_remember(cudaErrorInvalidValue);
    int by_threads = threads > 1024 ? 0 : 2048 / ((threads + 31) / 32 * 32);
    int by_shared = (int)min((size_t)32, (size_t)(228 * 1024) / (shared_bytes + 1024));
    *blocks = min(32, min(by_threads, by_shared));
    return cudaSuccess;
}
template <typename F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, F kernel,
                                                                   int threads, size_t shared_bytes,
                                                                   unsigned)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared_bytes);
}
template <typename F, typename Bytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, F kernel,
                                                           Bytes bytes_of, int most = 0)
{
    int best = 0, occupied = 0;
    for (int threads = most > 0 && most < 1024 ? most / 32 * 32 : 1024; threads > 0;
         threads -= 32) {
        int blocks = 0;
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes_of(threads));
        if (blocks * threads > occupied) {
            occupied = blocks * threads;
            best = threads;
        }
    }
    *block = best;
    *grid = best ? 16 * (occupied / best) : 0;
    return cudaSuccess;
}
template <typename F>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, F kernel,
                                               size_t shared_bytes = 0, int most = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        grid, block, kernel, [=](int) { return shared_bytes; }, most);
}
template <typename F>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, F, int blocks, int)
{
    if (!bytes || blocks < 1)
        return hostcuda_remember(cudaErrorInvalidValue);
    *bytes = min((size_t)HOSTCUDA_DYNAMIC_MOST, (size_t)(228 * 1024) / (size_t)blocks - 1024);
    return cudaSuccess;
}

/* ---- launches by a call of the API ---------------------------------------------------------------- */

template <typename... P> struct hostcuda_packed {
    void (*kernel)(P...);
    void **arguments;

    template <size_t... I>
    HOSTCUDA_INLINE void call(const hostcuda_packed *p, std::index_sequence<I...>)
    {
        p->kernel(*static_cast<std::remove_reference_t<P> *>(p->arguments[I])...);
    }
    HOSTCUDA_QUIET static void run(void *packed)
    {
        call(static_cast<const hostcuda_packed *>(packed), std::index_sequence_for<P...>());
    }
};
template <typename... P>
cudaError_t hostcuda_launch_packed(int cooperative, const char *file, int line,
                                   void (*kernel)(P...), dim3 grid, dim3 block, void **arguments,
                                   size_t shared_bytes = 0, cudaStream_t stream = 0)
{
    hostcuda_packed<P...> packed = {kernel, arguments};
    struct hostcuda_launch launch = {};
    launch.grid = {grid.x, grid.y, grid.z};
    launch.block = {block.x, block.y, block.z};
    launch.shared_bytes = shared_bytes;
    launch.stream = stream;
    launch.kernel = (const void *)kernel;
    launch.called = (const void **)&packed.kernel;
    launch.run = hostcuda_packed<P...>::run;
    launch.argument = &packed;
    launch.cooperative = cooperative;
    launch.file = file;
    launch.line = line;
    return hostcuda_remember(hostcuda_launch(&launch));
}
inline cudaError_t hostcuda_launch_packed(int, const char *file, int line, const void *, dim3, dim3,
                                          void **, size_t = 0, cudaStream_t = 0)
{
    fprintf(stderr, "%s:%d: ", file, line);
    hostcuda_missing("the launch of a kernel whose type is lost in a void pointer",
                     "pass the kernel itself");
}
template <typename... P, typename... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...),
                               A &&...values)
{
    if (!config)
        return hostcuda_remember(cudaErrorInvalidValue);
    std::tuple<std::decay_t<P>...> converted(std::forward<A>(values)...);
    int cooperative = 0;
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeCooperative)
            cooperative = config->attrs[i].val.cooperative;
    return std::apply(
        [&](auto &...value) {
            void *arguments[] = {(void *)&value..., nullptr};
            return hostcuda_launch_packed(cooperative, nullptr, 0, kernel, config->gridDim,
                                          config->blockDim, arguments, config->dynamicSmemBytes,
                                          config->stream);
        },
        converted);
}

/* A program casts the kernel to void *, which would lose its type: the macros drop the cast, that is,
   a parenthesis at the very beginning of their arguments. */
#define HOSTCUDA_FIRST(first, ...) first
#define HOSTCUDA_SECOND(first, second, ...) second
#define HOSTCUDA_JOIN(a, b) a##b
#define HOSTCUDA_PARENTHESIS(...) ~, DROP,
#define HOSTCUDA_CHOOSE(...) HOSTCUDA_SECOND(__VA_ARGS__)
#define HOSTCUDA_APPLY(choice, ...) HOSTCUDA_JOIN(HOSTCUDA_UNCAST_, choice)(__VA_ARGS__)
#define HOSTCUDA_EAT(...)
#define HOSTCUDA_UNCAST_DROP(...) HOSTCUDA_EAT __VA_ARGS__
#define HOSTCUDA_UNCAST_KEEP(...) __VA_ARGS__
#define HOSTCUDA_UNCAST(...) HOSTCUDA_UNCAST_2(HOSTCUDA_FIRST(__VA_ARGS__, ~), __VA_ARGS__)
#define HOSTCUDA_UNCAST_2(first, ...)                                                              \
    HOSTCUDA_APPLY(HOSTCUDA_CHOOSE(HOSTCUDA_PARENTHESIS first, KEEP, ~), __VA_ARGS__)

#define cudaLaunchKernel(...)                                                                      \
    hostcuda_launch_packed(0, __FILE__, __LINE__, HOSTCUDA_UNCAST(__VA_ARGS__))
#define cudaLaunchCooperativeKernel(...)                                                           \
    hostcuda_launch_packed(1, __FILE__, __LINE__, HOSTCUDA_UNCAST(__VA_ARGS__))

#include "hostcuda_launch.h"
#endif
#endif
