/* Streams and events. All work is done when the call that asks for it returns, so streams need no
 * queue, and an event is the time at which it was recorded. Work of a stream that is captured becomes
 * nodes of a graph (graph.c) instead: each comes after the stream's last ones, and after those that the
 * stream waits for through events. */
#define _GNU_SOURCE
#include "program/runtime/stream.h"
#include <pthread.h>
#include <string.h>
#include <time.h>

struct CUstream_st {
    unsigned flags;
    int priority;
    struct capture *capture;
    struct runtime_nodes last; /* that the next node comes after */
    struct CUstream_st *next;  /* of the same capture */
    struct runtime_sequence sequence;
};

struct capture {
    struct capture *next;
    unsigned long long id;
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
    cudaGraph_t graph;
    bool own;     /* the graph was made for it */
    size_t first; /* node of the graph that it captured */
    cudaStream_t origin, streams;
    bool invalid;
};

static struct {
    pthread_mutex_t lock;
    struct capture *first;
    unsigned long long ids;
} captures = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

static struct CUstream_st per_thread = {.sequence = {.lane = 1}};

static bool is_own(cudaStream_t stream)
{
    return stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}

/* The stream whose work can be captured; NULL: it is the legacy stream. */
static cudaStream_t capturable(cudaStream_t stream)
{
    return stream == cudaStreamPerThread ? &per_thread : is_own(stream) ? stream : NULL;
}

struct runtime_sequence *stream_sequence(cudaStream_t stream)
{
    cudaStream_t s = capturable(stream);
    return s ? &s->sequence : NULL;
}

/* ---- capture ----------------------------------------------------------------------------------- */

static cudaError_t set_nodes(struct runtime_nodes *nodes, const cudaGraphNode_t *from, size_t count)
{
    nodes->count = 0;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < count && error == cudaSuccess; i++)
        if (!runtime_nodes_have(nodes, from[i]))
            error = runtime_nodes_add(nodes, from[i]);
    return error;
}

static void join(cudaStream_t stream, struct capture *capture)
{
    stream->capture = capture;
    stream->next = capture->streams;
    capture->streams = stream;
}

static void leave(cudaStream_t stream)
{
    if (!stream->capture)
        return;
    cudaStream_t *at = &stream->capture->streams;
    while (*at != stream)
        at = &(*at)->next;
    *at = stream->next;
    stream->capture = NULL;
    stream->last.count = 0;
}

/* The legacy stream waits for all streams that are not told otherwise, and these for it. */
static bool legacy_disturbs(void)
{
    bool any = false;
    for (struct capture *c = captures.first; c; c = c->next)
        for (cudaStream_t s = c->streams; s; s = s->next)
            if (!(s->flags & cudaStreamNonBlocking))
                any = c->invalid = true;
    return any;
}

static bool capture_locked(cudaStream_t stream, const struct runtime_work *work, cudaError_t *error)
{
    cudaStream_t s = capturable(stream);
    *error = cudaErrorStreamCaptureImplicit;
    if (!s)
        return legacy_disturbs();
    if (!s->capture)
        return false;
    *error = cudaErrorStreamCaptureInvalidated;
    if (s->capture->invalid || !work)
        return s->capture->invalid;
    cudaGraphNode_t node;
    *error = runtime_add_node(&node, s->capture->graph, s->last.node, s->last.count, work);
    if (*error == cudaSuccess)
        *error = set_nodes(&s->last, &node, 1);
    s->capture->invalid = *error != cudaSuccess;
    return true;
}

bool stream_capturing(void)
{
    return __atomic_load_n(&captures.first, __ATOMIC_RELAXED) != NULL;
}

bool runtime_captures(cudaStream_t stream, const struct runtime_work *work, cudaError_t *error)
{
    bool captured = false;
    if (stream_capturing()) {
        pthread_mutex_lock(&captures.lock);
        captured = capture_locked(stream, work, error);
        pthread_mutex_unlock(&captures.lock);
    }
    if (captured)
        runtime_remember(*error);
    else if (work)
        runtime_order_begin(stream_sequence(stream));
    return captured;
}

cudaError_t runtime_forbidden(bool ever)
{
    bool any = false;
    if (!stream_capturing())
        return cudaSuccess;
    pthread_mutex_lock(&captures.lock);
    for (struct capture *c = captures.first; c; c = c->next)
        if (ever || c->mode == cudaStreamCaptureModeGlobal ||
            (c->mode == cudaStreamCaptureModeThreadLocal &&
             pthread_equal(c->thread, pthread_self())))
            any = c->invalid = true;
    pthread_mutex_unlock(&captures.lock);
    return any ? runtime_remember(cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

/* The mode that calls of this thread count as made in. */
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    static _Thread_local enum cudaStreamCaptureMode now = cudaStreamCaptureModeGlobal;
    RETURN_STICKY();
    REQUIRE(mode && (unsigned)*mode <= cudaStreamCaptureModeRelaxed);
    enum cudaStreamCaptureMode before = now;
    now = *mode;
    *mode = before;
    return cudaSuccess;
}

/* The error of a call that asks whether a stream's work is done. */
static cudaError_t check_waitable(cudaStream_t stream)
{
    RETURN_STICKY();
    runtime_early_waited();
    if (!stream_capturing()) {
        const struct runtime_clock clock = runtime_order_of(stream_sequence(stream));
        runtime_order_waited(&clock);
        return cudaSuccess;
    }
    cudaStream_t s = capturable(stream);
    if (s && s->capture) {
        s->capture->invalid = true;
        return runtime_remember(cudaErrorStreamCaptureUnsupported);
    }
    RETURN_IF_CAPTURED(stream, NULL);
    return cudaSuccess;
}

static cudaError_t begin_capture(cudaStream_t stream, cudaGraph_t graph,
                                 const cudaGraphNode_t *after, size_t count,
                                 enum cudaStreamCaptureMode mode)
{
    RETURN_STICKY();
    REQUIRE((unsigned)mode <= cudaStreamCaptureModeRelaxed && (!count || after));
    cudaStream_t s = capturable(stream);
    if (!s)
        return runtime_remember(cudaErrorStreamCaptureUnsupported);
    if (s->capture)
        return runtime_remember(cudaErrorIllegalState);
    struct capture *c = runtime_new(sizeof *c);
    if (!c)
        return runtime_remember(cudaErrorMemoryAllocation);
    *c = (struct capture){.mode = mode, .thread = pthread_self(), .graph = graph, .own = !graph};
    cudaError_t error = graph ? cudaSuccess : cudaGraphCreate(&c->graph, 0);
    if (error == cudaSuccess)
        error = set_nodes(&s->last, after, count);
    if (error != cudaSuccess) {
        runtime_delete(c);
        return runtime_remember(error);
    }
    c->first = runtime_graph_nodes(c->graph);
    c->origin = s;
    pthread_mutex_lock(&captures.lock);
    c->id = ++captures.ids;
    join(s, c);
    c->next = captures.first;
    __atomic_store_n(&captures.first, c, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&captures.lock);
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return begin_capture(stream, NULL, NULL, 0, mode);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *after,
                                          const cudaGraphEdgeData *edges, size_t count,
                                          enum cudaStreamCaptureMode mode)
{
    (void)edges;
    REQUIRE(graph);
    return begin_capture(stream, graph, after, count, mode);
}

/* Why the capture does not yield a graph. */
static cudaError_t capture_fails(const struct capture *c)
{
    if (c->invalid)
        return cudaErrorStreamCaptureInvalidated;
    return runtime_unjoined(c->graph, c->first, &c->origin->last) ? cudaErrorStreamCaptureUnjoined
                                                                  : cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    RETURN_STICKY();
    REQUIRE(graph);
    cudaStream_t s = capturable(stream);
    struct capture *c = s ? s->capture : NULL;
    *graph = NULL;
    if (!c)
        return runtime_remember(cudaErrorIllegalState);
    if (c->origin != s) {
        c->invalid = true;
        return runtime_remember(cudaErrorStreamCaptureUnmatched);
    }
    if (c->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(c->thread, pthread_self()))
        return runtime_remember(cudaErrorStreamCaptureWrongThread);
    pthread_mutex_lock(&captures.lock);
    cudaError_t error = capture_fails(c);
    while (c->streams)
        leave(c->streams);
    struct capture **at = &captures.first;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    pthread_mutex_unlock(&captures.lock);
    if (error == cudaSuccess)
        *graph = c->graph;
    else if (c->own)
        cudaGraphDestroy(c->graph);
    runtime_delete(c);
    return runtime_remember(error);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **after, const cudaGraphEdgeData **edges,
                                     size_t *count)
{
    RETURN_STICKY();
    REQUIRE(status);
    cudaStream_t s = capturable(stream);
    struct capture *c = s ? s->capture : NULL;
    *status = !c           ? cudaStreamCaptureStatusNone
              : c->invalid ? cudaStreamCaptureStatusInvalidated
                           : cudaStreamCaptureStatusActive;
    if (!s)
        RETURN_IF_CAPTURED(stream, NULL);
    if (!c)
        return cudaSuccess;
    if (id)
        *id = c->id;
    if (graph)
        *graph = c->graph;
    if (after)
        *after = s->last.node;
    if (edges)
        *edges = NULL;
    if (count)
        *count = s->last.count;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    return cudaStreamGetCaptureInfo(stream, status, NULL, NULL, NULL, NULL, NULL);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                const cudaGraphEdgeData *edges, size_t count,
                                                unsigned int flags)
{
    (void)edges;
    RETURN_STICKY();
    REQUIRE(flags <= cudaStreamSetCaptureDependencies && (nodes || !count));
    cudaStream_t s = capturable(stream);
    if (!s || !s->capture)
        return runtime_remember(cudaErrorIllegalState);
    if (flags == cudaStreamSetCaptureDependencies)
        return runtime_remember(set_nodes(&s->last, nodes, count));
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < count && error == cudaSuccess; i++)
        if (!runtime_nodes_have(&s->last, nodes[i]))
            error = runtime_nodes_add(&s->last, nodes[i]);
    return runtime_remember(error);
}

/* An event takes the place of the stream's last nodes. */
bool stream_capture_record(cudaEvent_t event, cudaStream_t stream, cudaError_t *error)
{
    cudaStream_t s = capturable(stream);
    if (!s || !s->capture || s->capture->invalid)
        return runtime_captures(stream, NULL, error);
    event->capture = s->capture->id;
    *error = set_nodes(&event->behind, s->last.node, s->last.count);
    return true;
}

/* The stream's next node comes after what the event stands for. */
static bool capture_wait(cudaStream_t stream, cudaEvent_t event, cudaError_t *error)
{
    cudaStream_t s = capturable(stream);
    struct capture *of = captures.first;
    while (of && of->id != event->capture)
        of = of->next;
    if (!of || of->invalid || !s) { /* the event is none of a capture that goes on */
        if (runtime_captures(stream, NULL, error))
            return true;
        *error = cudaErrorStreamCaptureIsolation;
        if (of || !s || !s->capture || !event->recorded)
            return of && !s;
        s->capture->invalid = true;
        return true;
    }
    *error = cudaErrorStreamCaptureMerge;
    if (s->capture && s->capture != of) {
        s->capture->invalid = of->invalid = true;
        return true;
    }
    if (!s->capture) {
        s->last.count = 0;
        join(s, of);
    }
    *error = cudaSuccess;
    for (size_t i = 0; i < event->behind.count && *error == cudaSuccess; i++)
        if (!runtime_nodes_have(&s->last, event->behind.node[i]))
            *error = runtime_nodes_add(&s->last, event->behind.node[i]);
    return true;
}

/* ---- streams ------------------------------------------------------------------------------------- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    RETURN_STICKY();
    REQUIRE(stream && flags <= cudaStreamNonBlocking);
    *stream = runtime_new(sizeof **stream);
    if (!*stream)
        return runtime_remember(cudaErrorMemoryAllocation);
    **stream = (struct CUstream_st){.flags = flags,
                                    .priority = priority > 0    ? 0
                                                : priority < -5 ? -5
                                                                : priority};
    runtime_order_stream(&(*stream)->sequence, flags & cudaStreamNonBlocking);
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
        return runtime_remember(cudaErrorInvalidResourceHandle);
    if (stream->capture && stream->capture->origin == stream)
        return runtime_remember(cudaErrorStreamCaptureUnsupported);
    leave(stream);
    runtime_delete(stream->last.node);
    runtime_delete(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return check_waitable(stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return check_waitable(stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    RETURN_STICKY();
    if (!event)
        return runtime_remember(cudaErrorInvalidResourceHandle);
    if (!stream_capturing() || !event->capture)
        runtime_order_behind(stream_sequence(stream), &event->clock);
    if (!stream_capturing())
        return cudaSuccess;
    if (flags & cudaEventWaitExternal) {
        struct runtime_work work = {cudaGraphNodeTypeWaitEvent, .event = event};
        RETURN_IF_CAPTURED(stream, &work);
        return cudaSuccess;
    }
    pthread_mutex_lock(&captures.lock);
    cudaError_t error = cudaSuccess;
    bool captured = capture_wait(stream, event, &error);
    pthread_mutex_unlock(&captures.lock);
    return captured ? runtime_remember(error) : cudaSuccess;
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

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    RETURN_STICKY();
    REQUIRE(id);
    *id = (uintptr_t)stream;
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    (void)stream;
    RETURN_STICKY();
    REQUIRE(device);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    (void)to, (void)from;
    RETURN_STICKY();
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned int flags)
{
    REQUIRE(callback && flags == 0);
    cudaStream_t s = capturable(stream);
    if (s && s->capture) {
        s->capture->invalid = true;
        return runtime_remember(cudaErrorStreamCaptureUnsupported);
    }
    runtime_order_begin(stream_sequence(stream));
    runtime_order_waits();
    runtime_early_callback(true);
    callback(stream, runtime_begin()->sticky, data);
    runtime_early_callback(false);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    RETURN_STICKY();
    REQUIRE(function);
    struct runtime_work work = {cudaGraphNodeTypeHost, .host = {function, data}};
    RETURN_IF_CAPTURED(stream, &work);
    runtime_order_waits(); /* the function may tell the host that what is before it is done */
    runtime_early_callback(true);
    function(data);
    runtime_early_callback(false);
    return cudaSuccess;
}

/* Hints for the caches and the scheduler: taken, and without effect. */
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue *value)
{
    (void)stream, (void)attribute;
    RETURN_STICKY();
    REQUIRE(value);
    return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue *value)
{
    (void)stream, (void)attribute;
    RETURN_STICKY();
    REQUIRE(value);
    memset(value, 0, sizeof *value);
    return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    RETURN_STICKY();
    return cudaSuccess;
}
