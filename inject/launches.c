/* launches.c - gives launches memory on the device to record into, and sends what they recorded when they end. */
#define _GNU_SOURCE
#include "inject/inject.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_KERNELS = 4096,
    MOST_LAUNCHES = 64,      /* at a time */
    MOST_GRAPHS = 8,         /* that are launched at a time */
    MOST_NODES = GPU_SLOTS,  /* of a graph's launch */
    CHUNK = 1 << 14,         /* records copied at a time */
    LEAST_RECORDS = 1 << 16, /* fewer are not worth a launch */
};

/* Launches that record into one memory on the device, which is kept for later ones: a launch, or those of a CUDA
 * graph. Of a graph they end together, long after the calls that begin them. */
struct batch {
    bool busy;
    CUcontext context;
    struct gpu_buffer *buffer; /* on the device */
    struct gpu_record *record; /* on the device, `room` of them */
    uint64_t room;
    struct running *launch; /* `most` of them */
    int launches, most;
};

static struct batch single[MOST_LAUNCHES], graph[MOST_GRAPHS];
static struct kernel known_kernel[MOST_KERNELS];
static int kernels;

/* The graph that this thread is launching, if any of it is recorded. */
static __thread struct batch *launching;

/* The function's name as a programmer writes it; to be freed. NULL: no memory. Only a name that begins so
 * is mangled: `t`, for one, would be taken for a type's. */
static char *demangled(const char *name)
{
    if (strncmp(name, "_Z", 2) != 0)
        return strdup(name);
    typedef char *demangle_function(const char *, char *, size_t *, int *);
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    demangle_function *demangle =
        library ? (demangle_function *)(uintptr_t)dlsym(library, "__cxa_demangle") : NULL;
    int status = 0;
    char *clear = demangle ? demangle(name, NULL, NULL, &status) : NULL;
    return clear ? clear : strdup(name);
}

/* NULL: there are too many kernels, or no memory. */
static struct kernel *find_kernel(const char *name)
{
    for (int i = 0; i < kernels; i++)
        if (!strcmp(known_kernel[i].name, name))
            return &known_kernel[i];
    char *copy = kernels < MOST_KERNELS ? strdup(name) : NULL;
    char *clear = copy ? demangled(name) : NULL;
    if (!clear) {
        free(copy);
        return NULL;
    }
    struct kernel *kernel = &known_kernel[kernels++];
    *kernel = (struct kernel){.name = copy,
                              .clear = clear,
                              .chosen = !recorder.some_kernels ||
                                        !regexec(&recorder.kernel, clear, 0, NULL, 0),
                              .left = recorder.most_records};
    return kernel;
}

/* Whether the user chose this launch, which begins; then it is to be told of. */
static bool is_wanted(const struct kernel *kernel, uint64_t number)
{
    const bool wanted = !recorder.failed && ring_is_open(&recorder.ring) && kernel &&
                        kernel->chosen &&
                        (recorder.only_launch == UINT64_MAX || recorder.only_launch == number);
    if (wanted)
        ring_promise(&recorder.ring);
    return wanted;
}

/* Whether there is room for what it records. */
static bool has_room(const struct kernel *kernel)
{
    return kernel->left >= LEAST_RECORDS || (kernel->left && kernel->left == recorder.most_records);
}

static void free_room(struct batch *batch)
{
    if (batch->record)
        sanitizerFree(batch->context, batch->record);
    if (batch->buffer)
        sanitizerFree(batch->context, batch->buffer);
    batch->record = NULL;
    batch->buffer = NULL;
}

/* Memory on the device for `most` records, or for fewer where it has not so much. */
static bool make_room(struct batch *batch, CUcontext context, uint64_t most)
{
    if (batch->record && batch->context == context && batch->room >= most)
        return true;
    free_room(batch);
    batch->context = context;
    if (!sanitizer_did(sanitizerAlloc(context, (void **)&batch->buffer, sizeof *batch->buffer),
                       "no memory on the GPU"))
        return false;
    for (batch->room = most;; batch->room /= 2) {
        SanitizerResult result =
            sanitizerAlloc(context, (void **)&batch->record, batch->room * sizeof *batch->record);
        if (result == SANITIZER_SUCCESS)
            return true;
        batch->record = NULL;
        if (batch->room <= LEAST_RECORDS)
            return sanitizer_did(result, "no memory on the GPU for records");
    }
}

/* No record is used. */
static bool begin_records(struct batch *batch, uint64_t most, Sanitizer_StreamHandle stream)
{
    struct gpu_buffer *start = calloc(1, sizeof *start);
    if (!start)
        return sanitizer_did(1, "there is no memory for records");
    start->most = most < batch->room ? most : batch->room;
    start->first = recorder.first_block;
    start->last = recorder.last_block;
    start->record = batch->record;
    const bool copied =
        sanitizer_did(sanitizerMemcpyHostToDeviceAsync(batch->buffer, start, sizeof *start, stream),
                      "a copy to the GPU fails");
    free(start);
    return copied;
}

static void drop_batch(struct batch *batch, CUcontext context)
{
    if (batch->context == context)
        *batch = (struct batch){.launch = batch->launch, .most = batch->most};
}

void forget_batches(CUcontext context)
{
    for (int i = 0; i < MOST_LAUNCHES; i++)
        drop_batch(&single[i], context);
    for (int i = 0; i < MOST_GRAPHS; i++)
        drop_batch(&graph[i], context);
}

void prepare_call(const Sanitizer_CallbackData *data)
{
    const char *call = data->functionName;
    /* Threads that are in the driver may launch before this one, and so may other processes. */
    bool in_time = recorder.only_launch == UINT64_MAX ||
                   ring_may_launch(&recorder.ring, recorder.only_launch, recorder.inside);
    if (!strncmp(call, "cuStreamBeginCapture", 20) || !strncmp(call, "cuGraphCreate", 13)) {
        freeze_modules();
    } else if (!strncmp(call, "cuLaunch", 8) && strncmp(call, "cuLaunchHost", 12) != 0) {
        struct kernel *kernel = data->symbolName ? find_kernel(data->symbolName) : NULL;
        if (kernel)
            set_patched(kernel->module, kernel->chosen && in_time && has_room(kernel));
    }
}

/* Has the launch run without being recorded. A patch would get any address for its buffer otherwise. */
static void pass_over(const Sanitizer_LaunchData *data)
{
    sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream, NULL);
}

static bool give_buffer(const Sanitizer_LaunchData *data, const struct batch *batch)
{
    return sanitizer_did(
        sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream, batch->buffer),
        "a launch cannot be patched");
}

static struct running describe(const Sanitizer_LaunchData *data)
{
    return (struct running){.handle = data->hLaunch,
                            .stream = data->hStream,
                            .kernel = find_kernel(data->functionName),
                            .module = data->module,
                            .number = ring_launch(&recorder.ring),
                            .grid_number = (uint32_t)data->gridId,
                            .grid = {data->gridDim_x, data->gridDim_y, data->gridDim_z},
                            .block = {data->blockDim_x, data->blockDim_y, data->blockDim_z}};
}

/* One that is free, and now is not. NULL: none is. */
static struct batch *take_batch(struct batch *from, int count, int most)
{
    for (int i = 0; i < count; i++) {
        struct batch *batch = &from[i];
        if (batch->busy ||
            (!batch->launch && !(batch->launch = calloc((size_t)most, sizeof *batch->launch))))
            continue;
        batch->busy = true;
        batch->most = most;
        batch->launches = 0;
        return batch;
    }
    return NULL;
}

static void find_code(struct running *launch, const Sanitizer_LaunchData *data)
{
    if (sanitizerGetFunctionPcAndSize(data->module, data->functionName, &launch->pc,
                                      &launch->bytes) != SANITIZER_SUCCESS)
        launch->pc = 0;
}

void begin_launch(const Sanitizer_LaunchData *data)
{
    struct running now = describe(data);
    struct batch *batch = NULL;
    bool wanted = is_wanted(now.kernel, now.number);
    if (now.kernel)
        now.kernel->module = data->module;
    uint64_t most =
        wanted && has_room(now.kernel) && is_patched(data->module) ? now.kernel->left : 0;
    if (most)
        batch = take_batch(single, MOST_LAUNCHES, 1);
    pthread_mutex_unlock(&recorder.lock);
    if (wanted)
        find_code(&now, data);
    bool recorded = batch && make_room(batch, data->context, most) &&
                    begin_records(batch, most, data->hStream) && give_buffer(data, batch);
    if (!recorded)
        pass_over(data);
    pthread_mutex_lock(&recorder.lock);
    if (recorded) {
        batch->launch[batch->launches++] = now;
        return;
    }
    if (batch)
        batch->busy = false;
    note_stream(data->context, data->hStream);
    if (wanted) /* enough of its kernel was recorded, or too many run at a time */
        send_unrecorded(&now, RECORD_LAUNCHES);
}

/* A graph's first launch that is wanted makes room for all of them. Its branches wait only for what was in the stream
 * when the call began, so that the buffer must be there before the first of them begins.
 */
static bool begin_graph(const Sanitizer_LaunchData *data)
{
    struct batch *batch = take_batch(graph, MOST_GRAPHS, MOST_NODES);
    if (!batch)
        return false;
    pthread_mutex_unlock(&recorder.lock);
    const bool begun =
        make_room(batch, data->context, recorder.most_records) &&
        begin_records(batch, recorder.most_records, data->hApiStream) &&
        sanitizer_did(sanitizerStreamSynchronize(data->hApiStream), "a copy to the GPU fails");
    pthread_mutex_lock(&recorder.lock);
    batch->busy = begun;
    launching = begun ? batch : NULL;
    return begun;
}

void begin_node(const Sanitizer_GraphNodeLaunchData *node)
{
    const Sanitizer_LaunchData *data = &node->launchData;
    if (node->nodeType != CU_GRAPH_NODE_TYPE_KERNEL)
        return;
    if (node->isGraphUpload) {
        pass_over(data);
        return;
    }
    struct running now = describe(data);
    now.stream = data->hApiStream;
    const bool wanted = is_wanted(now.kernel, now.number);
    bool recorded = wanted && has_room(now.kernel) && is_patched(data->module) &&
                    (launching || begin_graph(data)) && launching->context == data->context &&
                    launching->launches < MOST_NODES;
    pthread_mutex_unlock(&recorder.lock);
    /* Also for launches that are not wanted: what is set for one may be taken for another. */
    const bool set =
        launching && launching->context == data->context && give_buffer(data, launching);
    recorded = recorded && set;
    if (recorded)
        find_code(&now, data);
    else if (!set)
        pass_over(data);
    pthread_mutex_lock(&recorder.lock);
    if (recorded) {
        launching->launch[launching->launches++] = now;
        return;
    }
    note_stream(data->apiContext, data->hApiStream);
    if (wanted)
        send_unrecorded(&now, has_room(now.kernel) ? RECORD_GRAPH : RECORD_LAUNCHES);
}

/* Copies what the launches left on the device; the records, to be freed. NULL: it fails. */
static struct gpu_record *fetch_records(const struct batch *batch, struct gpu_buffer *head,
                                        size_t *count)
{
    char *pinned = NULL;
    const Sanitizer_StreamHandle stream = batch->launch[0].stream;
    size_t room = CHUNK * sizeof(struct gpu_record);
    if (!sanitizer_did(sanitizerAllocHost(batch->context, (void **)&pinned, room),
                       "no pinned memory"))
        return NULL;
    struct gpu_record *record = NULL;
    if (sanitizer_did(sanitizerMemcpyDeviceToHost(pinned, batch->buffer, sizeof *head, stream),
                      "a copy from the GPU fails")) {
        memcpy(head, pinned, sizeof *head);
        *count = head->used < head->most ? head->used : head->most;
        record = calloc(*count + 1, sizeof *record);
        if (!record)
            stop_recording("there is no memory for records", 0);
        for (size_t i = 0; record && i < *count; i += CHUNK) {
            size_t part = *count - i < CHUNK ? *count - i : CHUNK;
            if (!sanitizer_did(sanitizerMemcpyDeviceToHost(pinned, batch->record + i,
                                                           part * sizeof *record, stream),
                               "a copy from the GPU fails")) {
                free(record);
                record = NULL;
                break;
            }
            memcpy(record + i, pinned, part * sizeof *record);
        }
    }
    sanitizerFreeHost(batch->context, pinned);
    return record;
}

/* Which launch of the batch it is; behind the last: none that is wanted. */
static uint32_t launch_of(const struct batch *batch, uint32_t grid_number)
{
    uint32_t i = 0;
    while (i < (uint32_t)batch->launches && batch->most > 1 &&
           batch->launch[i].grid_number != grid_number)
        i++;
    return i;
}

/* Has records name their launch by its place in the batch. */
static void name_launches(const struct batch *batch, struct gpu_record *record, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t grid = record[i].grid;
        const uint32_t launch = launch_of(batch, grid);
        for (; i < count && record[i].grid == grid; i++)
            record[i].grid = launch;
        i--;
    }
}

/* Waits for the launches and sends what was recorded. */
static void collect_batch(struct batch *batch)
{
    struct gpu_buffer *head = calloc(1, sizeof *head);
    struct gpu_record *record = NULL;
    uint32_t *order = NULL;
    size_t count = 0, first = 0;
    pthread_mutex_unlock(&recorder.lock);
    if (!head)
        stop_recording("there is no memory for records", 0);
    else if (sanitizerStreamSynchronize(batch->launch[0].stream) == SANITIZER_SUCCESS)
        record = fetch_records(batch, head, &count);
    if (record) {
        name_launches(batch, record, count);
        order = order_by_block(record, count);
        if (!order)
            stop_recording("there is no memory to put records in order", 0);
    }
    pthread_mutex_lock(&recorder.lock);
    for (int i = 0; head && i < batch->launches; i++) {
        const struct running *launch = &batch->launch[i];
        size_t end = first;
        while (order && end < count && record[order[end]].grid == (uint32_t)i)
            end++;
        send_launch(launch, head->dropped[launch->grid_number % GPU_SLOTS], record,
                    order ? order + first : NULL, end - first);
        first = end;
    }
    free(order);
    free(record);
    free(head);
    batch->busy = false;
}

void end_launch(const Sanitizer_LaunchData *data)
{
    for (int i = 0; i < MOST_LAUNCHES; i++)
        if (single[i].busy && single[i].launches && single[i].launch[0].handle == data->hLaunch)
            collect_batch(&single[i]);
}

void end_graph(void)
{
    struct batch *batch = launching;
    launching = NULL;
    if (batch)
        collect_batch(batch);
}
