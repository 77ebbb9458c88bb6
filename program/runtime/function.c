/* What is known of a kernel, and how many of its blocks a multiprocessor holds. */
#include "program/runtime/runtime.h"

#include <limits.h>
#include <string.h>

enum {
    REGISTERS =
        32 /* of a thread, where nothing is known: PTX does not say how many a GPU would use */
};

struct CUkern_st; /* cudaKernel_t points to one */

/* Starts a function that is about a kernel: finds it, or returns the error. */
#define KERNEL(kernel, function)                                                                   \
    cudaError_t kernel##_error;                                                                    \
    RETURN_STICKY();                                                                               \
    struct runtime_kernel *kernel = runtime_kernel(function, &kernel##_error);                     \
    if (!kernel)                                                                                   \
    return runtime_remember(kernel##_error)

void runtime_function_attributes(const struct runtime_kernel *kernel,
                                 struct cudaFuncAttributes *attributes)
{
    const struct machine_kernel_facts *facts = &kernel->facts;
    int most = facts->most_threads ? (int)facts->most_threads : MACHINE_THREADS;
    memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes = facts->static_shared;
    attributes->localSizeBytes = facts->local_bytes;
    attributes->maxThreadsPerBlock = most < MACHINE_THREADS ? most : MACHINE_THREADS;
    const int registers = runtime_registers(kernel);
    attributes->numRegs = registers ? registers : REGISTERS;
    attributes->ptxVersion = attributes->binaryVersion = facts->target;
    attributes->maxDynamicSharedSizeBytes = kernel->dynamic_most;
    attributes->preferredShmemCarveout = -1;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    KERNEL(kernel, function);
    REQUIRE(attributes);
    runtime_function_attributes(kernel, attributes);
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    KERNEL(kernel, function);
    if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed)
        kernel->wide_clusters = value;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess; /* a preference */
    REQUIRE(value >= 0 &&
            (size_t)value + kernel->facts.static_shared <= (size_t)runtime_gpu()->shared_block);
    kernel->dynamic_most = value;
    return cudaSuccess;
}

/* Preferences are taken, and change nothing. */
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
    KERNEL(kernel, function);
    (void)config;
    return cudaSuccess;
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
    KERNEL(kernel, function);
    (void)config;
    return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *function)
{
    KERNEL(kernel, function);
    REQUIRE(name);
    *name = kernel->name;
    return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size)
{
    KERNEL(kernel, function);
    REQUIRE(offset && size && index < (size_t)kernel->facts.parameters);
    *offset = kernel->facts.parameter[index].offset;
    *size = kernel->facts.parameter[index].size;
    return cudaSuccess;
}

/* Handles are the same as what they are handles of. */
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *handle, const void *function)
{
    KERNEL(kernel, function);
    REQUIRE(handle);
    *handle = (cudaFunction_t)(void *)kernel;
    return cudaSuccess;
}

cudaError_t cudaGetKernel(struct CUkern_st **handle, const void *function)
{
    KERNEL(kernel, function);
    REQUIRE(handle);
    *handle = (struct CUkern_st *)(void *)kernel;
    return cudaSuccess;
}

/* ---- occupancy ------------------------------------------------------------------------------------- */

/* Blocks for whose warps a multiprocessor has registers, which its four parts hand out by 256. */
static int resident_by_registers(int registers, int threads)
{
    enum { ALL = 65536, GRAIN = 256, PARTS = 4 };
    const int warp = (32 * registers + GRAIN - 1) / GRAIN * GRAIN;
    return registers ? ALL / PARTS / warp * PARTS / ((threads + 31) / 32) : INT_MAX;
}

int runtime_occupancy(const struct runtime_kernel *kernel, int threads, size_t shared)
{
    const int most = kernel->facts.most_threads ? (int)kernel->facts.most_threads : MACHINE_THREADS;
    const bool fits = threads <= most && shared <= (size_t)kernel->dynamic_most;
    const int blocks = fits ? runtime_resident(threads, shared + kernel->facts.static_shared) : 0;
    const int held = resident_by_registers(runtime_registers(kernel), threads);
    return blocks < held ? blocks : held;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                   const void *function,
                                                                   int threads, size_t shared,
                                                                   unsigned int flags)
{
    KERNEL(kernel, function);
    REQUIRE(blocks && threads > 0 && flags <= cudaOccupancyDisableCachingOverride);
    *blocks = runtime_occupancy(kernel, threads, shared);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int threads, size_t shared)
{
    RETURN_STICKY();
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared,
                                                                  cudaOccupancyDefault);
}

/* The largest cluster of which the device can run one. */
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                                 const cudaLaunchConfig_t *config)
{
    enum { PORTABLE = 8 };
    KERNEL(kernel, function);
    REQUIRE(size && config);
    *size = kernel->wide_clusters ? MACHINE_CLUSTER : PORTABLE;
    return cudaSuccess;
}

/* How many clusters of the configuration's size run at a time: of blocks on all multiprocessors, as many as are whole. */
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config)
{
    KERNEL(kernel, function);
    REQUIRE(clusters && config && (config->attrs || !config->numAttrs));
    const uint32_t *required = kernel->facts.cluster;
    uint64_t size = required[0] ? (uint64_t)required[0] * required[1] * required[2] : 1;
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            size = (uint64_t)config->attrs[i].val.clusterDim.x * config->attrs[i].val.clusterDim.y *
                   config->attrs[i].val.clusterDim.z;
    const dim3 block = config->blockDim;
    const int each = runtime_resident((int)(block.x * block.y * block.z),
                                      config->dynamicSmemBytes + kernel->facts.static_shared);
    REQUIRE(size && size <= MACHINE_CLUSTER);
    *clusters = (int)((uint64_t)each * (uint64_t)runtime_gpu()->multiprocessors / size);
    return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function,
                                                      int blocks, int threads)
{
    enum { RESERVED = 1024 };
    KERNEL(kernel, function);
    REQUIRE(bytes && blocks > 0 && threads > 0);
    size_t each = (size_t)runtime_gpu()->shared / (size_t)blocks;
    size_t most = (size_t)runtime_gpu()->shared_block, used = kernel->facts.static_shared;
    each = each > RESERVED ? each - RESERVED : 0;
    each = each < most ? each : most;
    *bytes = each > used ? each - used : 0;
    return cudaSuccess;
}
