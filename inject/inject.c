/* inject.c - records an unmodified CUDA program on a GPU, from inside of it.
 *
 * The driver loads this library because CUDA_INJECTION64_PATH names it (`bankscope run -- ./app`), in each process of
 * the program that uses the GPU, for the environment is inherited. It
 * has Compute Sanitizer's library patch every module that the program loads (patches.cu) and writes
 * what the patches collected, launch by launch, as records (program/stream.h) into the ring that
 * bankscope reads. Where nothing can be recorded it says so once and leaves the program alone.
 */
#define _GNU_SOURCE
#include "inject/inject.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_RECORDS = 4 << 20 }; /* of a kernel, over all its launches */

struct recorder recorder = {.lock = PTHREAD_MUTEX_INITIALIZER,
                            .ring = RING_WRITER,
                            .moved = PTHREAD_COND_INITIALIZER,
                            .only_launch = UINT64_MAX,
                            .last_block = UINT64_MAX,
                            .most_records = DEFAULT_RECORDS};

void stop_recording(const char *what, int code)
{
    if (!recorder.failed)
        fprintf(stderr,
                "bankscope: %s (Compute Sanitizer says %d); the program goes on unrecorded\n", what,
                code);
    recorder.failed = true;
}

bool sanitizer_did(SanitizerResult result, const char *what)
{
    if (result != SANITIZER_SUCCESS)
        stop_recording(what, (int)result);
    return result == SANITIZER_SUCCESS;
}

/* The context's memory, patches and streams end with it. */
static void forget_context(const Sanitizer_ResourceContextData *data)
{
    forget_batches(data->context);
    remove_context(data->context);
}

static void answer_resource(Sanitizer_CallbackId id, const void *data)
{
    if (id == SANITIZER_CBID_RESOURCE_MODULE_LOADED)
        add_module(data);
    else if (id == SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING)
        remove_module(data);
    else if (id == SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
        forget_context(data);
    else if (id == SANITIZER_CBID_RESOURCE_STREAM_DESTROY_STARTING)
        remove_stream(data);
}

static void answer_driver(const Sanitizer_CallbackData *data)
{
    static __thread int depth; /* calls of the driver's within each other */
    if (data->callbackSite == SANITIZER_API_ENTER) {
        if (depth++)
            return;
        while (recorder.gate)
            pthread_cond_wait(&recorder.moved, &recorder.lock);
        prepare_call(data);
        recorder.inside++;
        return;
    }
    if (depth && !--depth) {
        end_graph();
        recorder.inside--;
        pthread_cond_broadcast(&recorder.moved);
    }
}

static void SANITIZERAPI on_callback(void *context, Sanitizer_CallbackDomain domain,
                                     Sanitizer_CallbackId id, const void *data)
{
    static __thread bool inside; /* our own calls may come back here */
    (void)context;
    if (inside)
        return;
    inside = true;
    pthread_mutex_lock(&recorder.lock);
    if (domain == SANITIZER_CB_DOMAIN_RESOURCE)
        answer_resource(id, data);
    else if (domain == SANITIZER_CB_DOMAIN_DRIVER_API)
        answer_driver(data);
    else if (domain == SANITIZER_CB_DOMAIN_LAUNCH && id == SANITIZER_CBID_LAUNCH_BEGIN)
        begin_launch(data);
    else if (domain == SANITIZER_CB_DOMAIN_LAUNCH && id == SANITIZER_CBID_LAUNCH_END)
        end_launch(data);
    else if (domain == SANITIZER_CB_DOMAIN_GRAPHS && id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN)
        begin_node(data);
    pthread_mutex_unlock(&recorder.lock);
    inside = false;
}

static void at_exit(void)
{
    send_record(RECORD_EXIT, NULL, 0);
}

static void read_environment(void)
{
    const char *kernel = getenv(RECORDS_KERNEL), *launch = getenv(RECORDS_LAUNCH);
    const char *blocks = getenv(RECORDS_BLOCKS), *most = getenv(RECORDS_MOST);
    const char *memory = getenv(RECORDS_MEMORY);
    recorder.global = memory && strcmp(memory, "shared") != 0;
    recorder.some_kernels =
        kernel && regcomp(&recorder.kernel, kernel, REG_EXTENDED | REG_NOSUB) == 0;
    if (launch)
        recorder.only_launch = strtoull(launch, NULL, 10);
    if (blocks &&
        sscanf(blocks, "%" SCNu64 "-%" SCNu64, &recorder.first_block, &recorder.last_block) == 1)
        recorder.last_block = recorder.first_block;
    if (most && strtoull(most, NULL, 10))
        recorder.most_records = strtoull(most, NULL, 10);
    recorder.cubins = getenv(RECORDS_CUBINS);
}

/* The driver calls this when it starts. It unloads the library again if the result is 0. */
__attribute__((visibility("default"))) int InitializeInjection(void)
{
    Sanitizer_SubscriberHandle subscriber;
    if (recorder.ring.rings)
        return 1;
    const char *why = ring_attach(&recorder.ring);
    if (why) {
        if (*why)
            fprintf(stderr, "bankscope: %s, so nothing of this process is recorded\n", why);
        return 1;
    }
    read_environment();
    struct record_start start = {.version = RECORDS_VERSION};
    send_record(RECORD_START, &start, sizeof start);
    atexit(at_exit);
    if (sanitizer_did(sanitizerSubscribe(&subscriber, on_callback, NULL),
                      "the program cannot be watched")) {
        sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_DRIVER_API);
        sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_RESOURCE);
        sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_LAUNCH);
        sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_GRAPHS);
    }
    return 1;
}
