/* The device of the runtime API: one. What it is like are the documented figures of a GPU (gpus.c), with the
 * memory of this machine where that is less; its capability is the one that the code was compiled for. */
#include "program/runtime/runtime.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct runtime_gpu *runtime_gpu(void)
{
    const char *name = runtime_choice()->device;
    const struct runtime_gpu *gpu = runtime_gpu_named(*name ? name : runtime_gpu_standard);
    return gpu ? gpu : runtime_gpu_named(runtime_gpu_standard);
}

size_t runtime_total_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t here = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : (size_t)1 << 33;
    return here < runtime_gpu()->memory ? here : runtime_gpu()->memory;
}

static int capability(void)
{
    int target = runtime_target();
    return target ? target : runtime_gpu()->capability;
}

static int warp_size(void)
{
    return runtime_choice()->warp ? (int)runtime_choice()->warp : 32;
}

int runtime_resident(int threads, size_t shared)
{
    const struct runtime_gpu *gpu = runtime_gpu();
    enum { RESERVED = 1024, GRAIN = 128 };
    if (threads < 1 || threads > MACHINE_THREADS || shared > (size_t)gpu->shared_block)
        return 0;
    size_t bytes = (shared + RESERVED + GRAIN - 1) / GRAIN * GRAIN;
    int by_threads = gpu->threads / ((threads + 31) / 32 * 32);
    int by_shared = (int)((size_t)gpu->shared / bytes);
    int blocks = by_threads < by_shared ? by_threads : by_shared;
    return blocks < gpu->blocks ? blocks : gpu->blocks;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    RETURN_STICKY();
    REQUIRE(properties);
    if (device != 0)
        return runtime_remember(cudaErrorInvalidDevice);
    const struct runtime_gpu *gpu = runtime_gpu();
    struct cudaDeviceProp made = {
        .totalGlobalMem = runtime_total_memory(),
        .sharedMemPerBlock = MACHINE_STATIC_SHARED,
        .regsPerBlock = 65536,
        .warpSize = warp_size(),
        .memPitch = INT_MAX,
        .maxThreadsPerBlock = MACHINE_THREADS,
        .maxThreadsDim = {1024, 1024, 64},
        .maxGridSize = {INT_MAX, 65535, 65535},
        .totalConstMem = 65536,
        .major = capability() / 10,
        .minor = capability() % 10,
        .textureAlignment = 512,
        .texturePitchAlignment = 32,
        .multiProcessorCount = gpu->multiprocessors,
        .canMapHostMemory = 1,
        .maxTexture1D = 131072,
        .maxTexture1DMipmap = 32768,
        .maxTexture2D = {131072, 65536},
        .maxTexture2DMipmap = {32768, 32768},
        .maxTexture2DLinear = {131072, 65000, 2097120},
        .maxTexture2DGather = {32768, 32768},
        .maxTexture3D = {16384, 16384, 16384},
        .maxTexture3DAlt = {8192, 8192, 32768},
        .maxTextureCubemap = 32768,
        .maxTexture1DLayered = {32768, 2048},
        .maxTexture2DLayered = {32768, 32768, 2048},
        .maxTextureCubemapLayered = {32768, 2046},
        .maxSurface1D = 32768,
        .maxSurface2D = {131072, 65536},
        .maxSurface3D = {16384, 16384, 16384},
        .maxSurface1DLayered = {32768, 2048},
        .maxSurface2DLayered = {32768, 32768, 2048},
        .maxSurfaceCubemap = 32768,
        .maxSurfaceCubemapLayered = {32768, 2046},
        .surfaceAlignment = 512,
        .concurrentKernels = 1,
        .ECCEnabled = 1,
        .asyncEngineCount = 3,
        .unifiedAddressing = 1,
        .memoryBusWidth = gpu->bus_bits,
        .l2CacheSize = gpu->l2,
        .persistingL2CacheMaxSize = gpu->l2 / 8 * 5,
        .maxThreadsPerMultiProcessor = gpu->threads,
        .streamPrioritiesSupported = 1,
        .globalL1CacheSupported = 1,
        .localL1CacheSupported = 1,
        .sharedMemPerMultiprocessor = (size_t)gpu->shared,
        .regsPerMultiprocessor = 65536,
        .managedMemory = 1,
        .concurrentManagedAccess = 1,
        .computePreemptionSupported = 1,
        .canUseHostPointerForRegisteredMem = 1,
        .cooperativeLaunch = 1,
        .sharedMemPerBlockOptin = (size_t)gpu->shared_block,
        .maxBlocksPerMultiProcessor = gpu->blocks,
        .accessPolicyMaxWindowSize = 128 << 20,
        .reservedSharedMemPerBlock = 1024,
        .hostRegisterSupported = 1,
        .memoryPoolsSupported = 1,
        .unifiedFunctionPointers = 1,
    };
    snprintf(made.name, sizeof made.name, "%s", gpu->name);
    /* What is behind CUDA 13's members are our own headers', which ask for each by cudaDeviceGetAttribute. */
    memcpy(properties, &made, RUNTIME_PROPERTIES);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    struct cudaDeviceProp p;
    cudaError_t error = cudaGetDeviceProperties(&p, device);
    if (error != cudaSuccess)
        return error;
    REQUIRE(value);
    const struct {
        enum cudaDeviceAttr attribute;
        int value;
    } attributes[] = {
        {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
        {cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
        {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
        {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
        {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
        {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
        {cudaDevAttrMaxSharedMemoryPerBlock, (int)p.sharedMemPerBlock},
        {cudaDevAttrTotalConstantMemory, (int)p.totalConstMem},
        {cudaDevAttrWarpSize, p.warpSize},
        {cudaDevAttrMaxPitch, (int)p.memPitch},
        {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
        {cudaDevAttrClockRate, runtime_gpu()->clock},
        {cudaDevAttrTextureAlignment, (int)p.textureAlignment},
        {cudaDevAttrTexturePitchAlignment, (int)p.texturePitchAlignment},
        {cudaDevAttrSurfaceAlignment, (int)p.surfaceAlignment},
        {cudaDevAttrGpuOverlap, 1},
        {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
        {cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
        {cudaDevAttrConcurrentKernels, p.concurrentKernels},
        {cudaDevAttrEccEnabled, p.ECCEnabled},
        {cudaDevAttrMemoryClockRate, runtime_gpu()->memory_clock},
        {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
        {cudaDevAttrL2CacheSize, p.l2CacheSize},
        {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
        {cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
        {cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
        {cudaDevAttrMaxTexture1DWidth, p.maxTexture1D},
        {cudaDevAttrMaxTexture2DWidth, p.maxTexture2D[0]},
        {cudaDevAttrMaxTexture2DHeight, p.maxTexture2D[1]},
        {cudaDevAttrMaxTexture3DWidth, p.maxTexture3D[0]},
        {cudaDevAttrMaxTexture3DHeight, p.maxTexture3D[1]},
        {cudaDevAttrMaxTexture3DDepth, p.maxTexture3D[2]},
        {cudaDevAttrComputeCapabilityMajor, p.major},
        {cudaDevAttrComputeCapabilityMinor, p.minor},
        {cudaDevAttrStreamPrioritiesSupported, p.streamPrioritiesSupported},
        {cudaDevAttrGlobalL1CacheSupported, p.globalL1CacheSupported},
        {cudaDevAttrLocalL1CacheSupported, p.localL1CacheSupported},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (int)p.sharedMemPerMultiprocessor},
        {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
        {cudaDevAttrManagedMemory, p.managedMemory},
        {cudaDevAttrHostNativeAtomicSupported, p.hostNativeAtomicSupported},
        {cudaDevAttrSingleToDoublePrecisionPerfRatio, runtime_gpu()->doubles},
        {cudaDevAttrPageableMemoryAccess, p.pageableMemoryAccess},
        {cudaDevAttrConcurrentManagedAccess, p.concurrentManagedAccess},
        {cudaDevAttrComputePreemptionSupported, p.computePreemptionSupported},
        {cudaDevAttrCanUseHostPointerForRegisteredMem, p.canUseHostPointerForRegisteredMem},
        {cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)p.sharedMemPerBlockOptin},
        {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
        {cudaDevAttrReservedSharedMemoryPerBlock, (int)p.reservedSharedMemPerBlock},
        {cudaDevAttrHostRegisterSupported, p.hostRegisterSupported},
        {cudaDevAttrMemoryPoolsSupported, p.memoryPoolsSupported},
        {cudaDevAttrMaxPersistingL2CacheSize, p.persistingL2CacheMaxSize},
        {cudaDevAttrMaxAccessPolicyWindowSize, p.accessPolicyMaxWindowSize},
        {cudaDevAttrMaxTexture1DLinearWidth, 268435456},
    };
    *value = 0; /* what is not listed, this device has not */
    if (attribute < cudaDevAttrMaxThreadsPerBlock ||
        attribute > cudaDevAttrOnlyPartialHostNativeAtomicSupported)
        return runtime_remember(cudaErrorInvalidValue);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i].attribute == attribute)
            *value = attributes[i].value;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    RETURN_STICKY();
    REQUIRE(count);
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    RETURN_STICKY();
    REQUIRE(device);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    RETURN_STICKY();
    return device == 0 ? cudaSuccess : runtime_remember(cudaErrorInvalidDevice);
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
    (void)device_flags, (void)flags;
    return cudaSetDevice(device);
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    RETURN_STICKY();
    REQUIRE(count == 0 || devices);
    for (int i = 0; i < count; i++)
        if (devices[i] != 0)
            return runtime_remember(cudaErrorInvalidDevice);
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *properties)
{
    REQUIRE(properties);
    return cudaGetDevice(device);
}

cudaError_t cudaDeviceSynchronize(void)
{
    RETURN_STICKY();
    RETURN_FORBIDDEN(true);
    runtime_early_waited();
    runtime_order_waited(NULL);
    return cudaSuccess;
}

cudaError_t cudaDeviceReset(void)
{
    runtime_enter();
    runtime_early_waited();
    runtime_order_waited(NULL);
    runtime_lock();
    runtime_unload();
    runtime_release_all();
    runtime_begin()->sticky = cudaSuccess;
    runtime_unlock();
    cudaGetLastError();
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    RETURN_STICKY();
    REQUIRE((flags & ~(unsigned)cudaDeviceMask) == 0);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    RETURN_STICKY();
    REQUIRE(flags);
    *flags = cudaDeviceMapHost;
    return cudaSuccess;
}

/* Limits are remembered; those of a thread's stack and of the kernels' heap change something, the latter until the heap is
 * made. */
static size_t limits[] = {
    [cudaLimitStackSize] = 1024,
    [cudaLimitPrintfFifoSize] = 7340032,
    [cudaLimitMallocHeapSize] = 8 << 20,
    [cudaLimitDevRuntimeSyncDepth] = 2,
    [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64,
    [cudaLimitPersistingL2CacheSize] = 0,
};

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    RETURN_STICKY();
    if (limit > cudaLimitPersistingL2CacheSize)
        return runtime_remember(cudaErrorUnsupportedLimit);
    if (limit == cudaLimitMallocHeapSize && machine_memory_has_heap(runtime_begin()->memory))
        return runtime_remember(cudaErrorInvalidValue);
    limits[limit] = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    RETURN_STICKY();
    REQUIRE(value);
    if (limit > cudaLimitPersistingL2CacheSize)
        return runtime_remember(cudaErrorUnsupportedLimit);
    *value = limits[limit];
    return cudaSuccess;
}

size_t runtime_heap_bytes(void)
{
    return limits[cudaLimitMallocHeapSize];
}

size_t runtime_stack_bytes(void)
{
    return limits[cudaLimitStackSize];
}

size_t runtime_pending_launches(void)
{
    return limits[cudaLimitDevRuntimePendingLaunchCount];
}

/* Preferences are taken, remembered by nobody, and change nothing. */
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    (void)config;
    RETURN_STICKY();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    RETURN_STICKY();
    REQUIRE(config);
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    (void)config;
    RETURN_STICKY();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    RETURN_STICKY();
    REQUIRE(config);
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    RETURN_STICKY();
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device)
{
    RETURN_STICKY();
    REQUIRE(id && length > 0);
    if (device != 0)
        return runtime_remember(cudaErrorInvalidDevice);
    snprintf(id, (size_t)length, "0000:00:00.0");
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    REQUIRE(id);
    return cudaGetDevice(device);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    RETURN_STICKY();
    REQUIRE(can);
    *can = 0; /* a device is no peer of itself */
    return device == 0 && peer == 0 ? cudaSuccess : runtime_remember(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    (void)peer, (void)flags;
    RETURN_STICKY();
    return runtime_remember(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return cudaDeviceEnablePeerAccess(peer, 0);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device,
                                      int peer)
{
    (void)attribute;
    return cudaDeviceCanAccessPeer(value, device, peer);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    REQUIRE(version);
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return cudaDriverGetVersion(version);
}

cudaError_t cudaProfilerStart(void)
{
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
    return cudaSuccess;
}
