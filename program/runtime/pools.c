/* Pools, prefetching and advice: there is one pool, which gives back at once what is freed, whatever its
 * attributes are, and all memory is near. */
#include "program/runtime/runtime.h"

struct cudaMemPoolProps;
struct cudaMemAccessDesc;

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *memory, size_t bytes,
                                     unsigned int flags)
{
    (void)stream, (void)memory, (void)bytes, (void)flags;
    RETURN_STICKY();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    REQUIRE(pool);
    *pool = (cudaMemPool_t)1;
    return cudaSetDevice(device);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return cudaDeviceGetDefaultMemPool(pool, device);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    (void)attribute;
    REQUIRE(pool && value);
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    REQUIRE(pool && value);
    if (attribute < cudaMemPoolAttrReleaseThreshold)
        *(int *)value = 1;
    else
        *(uint64_t *)value =
            attribute == cudaMemPoolAttrReleaseThreshold ? 0 : runtime_device_bytes();
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    (void)bytes;
    REQUIRE(pool);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    REQUIRE(pool);
    return cudaSetDevice(device);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    RETURN_STICKY();
    REQUIRE(properties);
    return cudaDeviceGetDefaultMemPool(pool, 0);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    RETURN_STICKY();
    REQUIRE(pool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                 size_t count)
{
    RETURN_STICKY();
    REQUIRE(pool && (list || !count));
    return cudaSuccess;
}

/* Whether all of it is managed memory. */
static cudaError_t check_managed(const void *at, size_t bytes)
{
    struct runtime_region region;
    RETURN_STICKY();
    REQUIRE(at && bytes && runtime_find(at, &region) && region.kind == MACHINE_MANAGED &&
            bytes <= region.bytes - (size_t)((const unsigned char *)at - region.base));
    return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void *at, size_t bytes, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream)
{
    (void)location, (void)stream;
    REQUIRE(flags == 0);
    return check_managed(at, bytes);
}

cudaError_t cudaMemAdvise(const void *at, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    (void)advice, (void)location;
    return check_managed(at, bytes);
}
