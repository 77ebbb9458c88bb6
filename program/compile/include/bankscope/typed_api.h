/* typed_api.h - the runtime API with types: templates and overloads of C++, and the forms that calls had
 * before CUDA 13. All end in functions of cuda_runtime_api.h. */
#ifndef BANKSCOPE_TYPED_API_H
#define BANKSCOPE_TYPED_API_H

#include "../cuda_runtime_api.h"
#include "traits.h"
#include <utility>

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
inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}

/* Advice about managed memory in the older form, with a device's number. */
inline cudaMemLocation bankscope_location(int device)
{
    cudaMemLocation location = {};
    location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device == cudaCpuDeviceId ? 0 : device;
    return location;
}
inline cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, int device,
                                        cudaStream_t stream = 0)
{
    return cudaMemPrefetchAsync(memory, bytes, bankscope_location(device), 0, stream);
}
inline cudaError_t cudaMemAdvise(const void *memory, size_t bytes, cudaMemoryAdvise advice,
                                 int device)
{
    return cudaMemAdvise(memory, bytes, advice, bankscope_location(device));
}
#define cudaMemPrefetchAsync_v2 cudaMemPrefetchAsync
#define cudaMemAdvise_v2 cudaMemAdvise

/* Variables of the program, by themselves. */
template <typename T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes,
                                    size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <typename T> cudaError_t cudaGetSymbolAddress(void **at, const T &symbol)
{
    return cudaGetSymbolAddress(at, (const void *)&symbol);
}
template <typename Pointer, typename T>
cudaError_t cudaGetSymbolAddress(Pointer **at, const T &symbol)
{
    return cudaGetSymbolAddress((void **)(void *)at, (const void *)&symbol);
}
template <typename T> cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return cudaGetSymbolSize(bytes, (const void *)&symbol);
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
    return cudaGraphAddMemcpyNodeToSymbol(node, graph, after, count, (const void *)&symbol, from,
                                          bytes, offset, kind);
}
template <typename T>
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *after, size_t count, void *to,
                                             const T &symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind)
{
    return cudaGraphAddMemcpyNodeFromSymbol(node, graph, after, count, to, (const void *)&symbol,
                                            bytes, offset, kind);
}

/* ---- kernels by their functions ---------------------------------------------------------------- */

template <typename Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, Kernel *kernel)
{
    return cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <typename Kernel>
cudaError_t cudaFuncSetAttribute(Kernel *kernel, cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <typename Kernel> cudaError_t cudaFuncSetCacheConfig(Kernel *kernel, cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <typename Kernel>
cudaError_t cudaFuncSetSharedMemConfig(Kernel *kernel, cudaSharedMemConfig config)
{
    return cudaFuncSetSharedMemConfig((const void *)kernel, config);
}
template <typename Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel kernel, int threads,
                                                          size_t shared_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads,
                                                         shared_bytes);
}
template <typename Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, Kernel kernel,
                                                                   int threads, size_t shared_bytes,
                                                                   unsigned flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel,
                                                                  threads, shared_bytes, flags);
}
template <typename Kernel>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, Kernel kernel, int blocks,
                                                      int threads)
{
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)kernel, blocks, threads);
}

/* The block that keeps most threads of a multiprocessor busy, the largest of those that do, and how many
 * of it the device holds. bytes_of(threads): dynamic shared memory of such a block. */
template <typename Kernel, typename Bytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *grid, int *block,
                                                                    Kernel kernel, Bytes bytes_of,
                                                                    int most = 0,
                                                                    unsigned flags = 0)
{
    int device = 0, processors = 0, resident = 0, warp = 0, best = 0, occupied = 0;
    cudaFuncAttributes attributes;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&resident, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    if (error == cudaSuccess)
        error = cudaFuncGetAttributes(&attributes, kernel);
    if (error != cudaSuccess)
        return error;
    int limit = attributes.maxThreadsPerBlock;
    if (most > 0 && most < limit)
        limit = most;
    for (int whole = (limit + warp - 1) / warp * warp; whole > 0 && occupied < resident;
         whole -= warp) {
        int threads = whole < limit ? whole : limit, blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, kernel, threads, (size_t)bytes_of(threads), flags);
        if (error != cudaSuccess)
            return error;
        if (blocks * threads > occupied) {
            occupied = blocks * threads;
            best = threads;
        }
    }
    *block = best;
    *grid = best ? processors * (occupied / best) : 0;
    return cudaSuccess;
}
template <typename Kernel, typename Bytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, Kernel kernel,
                                                           Bytes bytes_of, int most = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, kernel, bytes_of,
                                                                   most);
}
template <typename Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, Kernel kernel,
                                                        size_t shared_bytes = 0, int most = 0,
                                                        unsigned flags = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        grid, block, kernel, [=](int) { return shared_bytes; }, most, flags);
}
template <typename Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, Kernel kernel,
                                               size_t shared_bytes = 0, int most = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(grid, block, kernel, shared_bytes, most);
}

template <typename T>
cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes = 0, cudaStream_t stream = 0)
{
    return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared_bytes, stream);
}
template <typename T>
cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t shared_bytes = 0, cudaStream_t stream = 0)
{
    return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared_bytes,
                                       stream);
}
template <typename T>
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, T *kernel,
                                           const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel, config);
}
template <typename T>
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, T *kernel,
                                                 const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxPotentialClusterSize(size, (const void *)kernel, config);
}
/* Values of the kernel's types, whatever it was handed. */
template <typename... Parameters> struct bankscope_launch {
    static cudaError_t with(const cudaLaunchConfig_t *config, const void *kernel,
                            bankscope_value<Parameters>... value)
    {
        void *arguments[] = {(void *)&value..., nullptr};
        return cudaLaunchKernelExC(config, kernel, arguments);
    }
};
template <typename... Parameters, typename... Values>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                               Values &&...values)
{
    return bankscope_launch<Parameters...>::with(config, (const void *)kernel,
                                                 std::forward<Values>(values)...);
}

#endif
