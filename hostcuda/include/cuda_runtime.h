/* cuda_runtime.h - CUDA C++ for this machine: the language's words and functions, and the runtime API.
 *
 * The driver includes it before every source, as nvcc does. A program sees no difference but this:
 * the host's code can read device memory, and __CUDA_ARCH__ is defined for all code. */
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
#include "hostcuda_ptx.h"
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
                                kind, 1, 0);
}
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes,
                                    size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = 0)
{
    return hostcuda_copy_symbol(&symbol, sizeof symbol, const_cast<void *>(from), bytes, offset,
                                kind, 1, stream);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return hostcuda_copy_symbol(&symbol, sizeof symbol, to, bytes, offset, kind, 0, 0);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = 0)
{
    return hostcuda_copy_symbol(&symbol, sizeof symbol, to, bytes, offset, kind, 0, stream);
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

/* ---- graphs: what CUDA 12 and older call otherwise ------------------------------------------------ */

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                        cudaGraphNode_t *bad, char *log, size_t bytes)
{
    if (bad)
        *bad = nullptr;
    if (log && bytes)
        *log = '\0';
    return cudaGraphInstantiate(exec, graph, 0ull);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphNode_t *bad, cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
    if (bad)
        *bad = info.errorNode;
    if (result)
        *result = info.result;
    return error;
}
inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                            unsigned long long *id, cudaGraph_t *graph,
                                            const cudaGraphNode_t **after, size_t *count)
{
    return cudaStreamGetCaptureInfo(stream, status, id, graph, after, nullptr, count);
}
inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                       size_t count, unsigned flags = 0)
{
    return cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
}
inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *after, size_t count,
                                    cudaGraphNodeParams *what)
{
    return cudaGraphAddNode(node, graph, after, nullptr, count, what);
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to, size_t count)
{
    return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to, size_t count)
{
    return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                     size_t *count)
{
    return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                size_t *count)
{
    return cudaGraphNodeGetDependencies(node, nodes, nullptr, count);
}
inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                  size_t *count)
{
    return cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count);
}
#define cudaStreamGetCaptureInfo_v2 cudaStreamGetCaptureInfo
#define cudaStreamGetCaptureInfo_v3 cudaStreamGetCaptureInfo
#define cudaStreamUpdateCaptureDependencies_v2 cudaStreamUpdateCaptureDependencies
#define cudaGraphAddNode_v2 cudaGraphAddNode
#define cudaGraphAddDependencies_v2 cudaGraphAddDependencies
#define cudaGraphRemoveDependencies_v2 cudaGraphRemoveDependencies
#define cudaGraphGetEdges_v2 cudaGraphGetEdges
#define cudaGraphNodeGetDependencies_v2 cudaGraphNodeGetDependencies
#define cudaGraphNodeGetDependentNodes_v2 cudaGraphNodeGetDependentNodes

template <typename T>
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *after, size_t count,
                                           const T &symbol, const void *from, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind)
{
    return cudaGraphAddMemcpyNode1D(node, graph, after, count, (char *)(void *)&symbol + offset,
                                    from, bytes, kind);
}
template <typename T>
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *after, size_t count, void *to,
                                             const T &symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind)
{
    return cudaGraphAddMemcpyNode1D(node, graph, after, count, to,
                                    (const char *)(const void *)&symbol + offset, bytes, kind);
}
/* In kernels. */
inline void cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned)
{
    hostcuda_missing("cudaGraphSetConditional", "graphs have no conditional nodes here");
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

#include "hostcuda_launch.h"

template <typename... P>
cudaError_t hostcuda_launch_packed(int cooperative, int line, void (*kernel)(P...), dim3 grid,
                                   dim3 block, void **arguments, size_t shared_bytes = 0,
                                   cudaStream_t stream = 0)
{
    return hostcuda::start({nullptr, grid, block, shared_bytes, stream, line, cooperative},
                           (const void *)kernel, &hostcuda::signature<P...>::value, arguments);
}
inline cudaError_t hostcuda_launch_packed(int cooperative, int line, const void *kernel, dim3 grid,
                                          dim3 block, void **arguments, size_t shared_bytes = 0,
                                          cudaStream_t stream = 0)
{
    return hostcuda::start({nullptr, grid, block, shared_bytes, stream, line, cooperative}, kernel,
                           hostcuda_known(kernel), arguments);
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
            return hostcuda_launch_packed(cooperative, 0, kernel, config->gridDim, config->blockDim,
                                          arguments, config->dynamicSmemBytes, config->stream);
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

#define cudaLaunchKernel(...) hostcuda_launch_packed(0, __LINE__, HOSTCUDA_UNCAST(__VA_ARGS__))
#define cudaLaunchCooperativeKernel(...)                                                           \
    hostcuda_launch_packed(1, __LINE__, HOSTCUDA_UNCAST(__VA_ARGS__))

#endif
#endif
