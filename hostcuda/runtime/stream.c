/* Streams and events. All work is done when the call that asks for it returns, so streams need no
 * queue, and an event is the time at which it was recorded. */
#include "runtime.h"
#include <stdlib.h>
#include <time.h>

struct CUstream_st {
    unsigned flags;
    int priority;
};

struct CUevent_st {
    unsigned flags;
    bool recorded;
    struct timespec when;
};

static bool is_own(cudaStream_t stream)
{
    return stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    RETURN_STICKY();
    REQUIRE(stream && flags <= cudaStreamNonBlocking);
    *stream = malloc(sizeof **stream);
    if (!*stream)
        return hostcuda_remember(cudaErrorMemoryAllocation);
    **stream = (struct CUstream_st){flags, priority > 0 ? 0 : priority < -5 ? -5 : priority};
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    RETURN_STICKY();
    if (!is_own(stream))
        return hostcuda_remember(cudaErrorInvalidResourceHandle);
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaDeviceSynchronize();
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    (void)stream;
    return cudaDeviceSynchronize();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    (void)stream, (void)flags;
    RETURN_STICKY();
    return event ? cudaSuccess : hostcuda_remember(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    RETURN_STICKY();
    REQUIRE(flags);
    *flags = is_own(stream) ? stream->flags : cudaStreamDefault;
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    RETURN_STICKY();
    REQUIRE(priority);
    *priority = is_own(stream) ? stream->priority : 0;
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned int flags)
{
    REQUIRE(callback && flags == 0);
    callback(stream, (cudaError_t)hostcuda_sticky(), data);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    (void)stream;
    RETURN_STICKY();
    REQUIRE(function);
    function(data);
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    (void)stream;
    RETURN_STICKY();
    REQUIRE(status);
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    RETURN_STICKY();
    REQUIRE(event && flags < 8);
    *event = calloc(1, sizeof **event);
    if (!*event)
        return hostcuda_remember(cudaErrorMemoryAllocation);
    (*event)->flags = flags;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    RETURN_STICKY();
    if (!event)
        return hostcuda_remember(cudaErrorInvalidResourceHandle);
    event->recorded = true;
    clock_gettime(CLOCK_MONOTONIC, &event->when);
    return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    (void)flags;
    return cudaEventRecord(event, stream);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    RETURN_STICKY();
    return event ? cudaSuccess : hostcuda_remember(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return cudaEventQuery(event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    RETURN_STICKY();
    if (!event)
        return hostcuda_remember(cudaErrorInvalidResourceHandle);
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop)
{
    RETURN_STICKY();
    REQUIRE(milliseconds);
    if (!start || !stop || !start->recorded || !stop->recorded ||
        (start->flags | stop->flags) & cudaEventDisableTiming)
        return hostcuda_remember(cudaErrorInvalidResourceHandle);
    *milliseconds = (float)(1e3 * (double)(stop->when.tv_sec - start->when.tv_sec) +
                            1e-6 * (double)(stop->when.tv_nsec - start->when.tv_nsec));
    return cudaSuccess;
}

/* Hints for the caches and the scheduler: taken, and without effect. */
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue *value)
{
    (void)stream, (void)attribute;
    RETURN_STICKY();
    REQUIRE(value);
    return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue *value)
{
    (void)stream, (void)attribute;
    RETURN_STICKY();
    REQUIRE(value);
    *value = (cudaStreamAttrValue){{0}};
    return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    RETURN_STICKY();
    return cudaSuccess;
}
