/* event.c - events: the time at which one was recorded, and in a capture the nodes that it stands for. */
#include "program/runtime/stream.h"

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    RETURN_STICKY();
    REQUIRE(event && flags < 8);
    *event = runtime_new(sizeof **event);
    if (!*event)
        return runtime_remember(cudaErrorMemoryAllocation);
    (*event)->flags = flags;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    RETURN_STICKY();
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    RETURN_STICKY();
    if (!event)
        return runtime_remember(cudaErrorInvalidResourceHandle);
    cudaError_t error;
    if (stream_capturing() && flags & cudaEventRecordExternal) {
        struct runtime_work work = {cudaGraphNodeTypeEventRecord, .event = event};
        RETURN_IF_CAPTURED(stream, &work);
    } else if (stream_capturing() && stream_capture_record(event, stream, &error)) {
        return runtime_remember(error);
    }
    event->recorded = true;
    event->clock = runtime_order_of(stream_sequence(stream));
    event->capture = 0;
    clock_gettime(CLOCK_MONOTONIC, &event->when);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    RETURN_STICKY();
    if (!event)
        return runtime_remember(cudaErrorInvalidResourceHandle);
    runtime_early_waited();
    runtime_order_waited(&event->clock);
    return event->capture ? runtime_remember(cudaErrorCapturedEvent) : cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return cudaEventQuery(event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    RETURN_STICKY();
    if (!event)
        return runtime_remember(cudaErrorInvalidResourceHandle);
    runtime_delete(event->behind.node);
    runtime_delete(event);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop)
{
    RETURN_STICKY();
    REQUIRE(milliseconds);
    if (start && stop && (start->capture || stop->capture))
        return runtime_remember(cudaErrorCapturedEvent);
    if (!start || !stop || !start->recorded || !stop->recorded ||
        (start->flags | stop->flags) & cudaEventDisableTiming)
        return runtime_remember(cudaErrorInvalidResourceHandle);
    *milliseconds = (float)(1e3 * (double)(stop->when.tv_sec - start->when.tv_sec) +
                            1e-6 * (double)(stop->when.tv_nsec - start->when.tv_nsec));
    return cudaSuccess;
}
