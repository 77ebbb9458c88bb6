/* inject.c - records an unmodified CUDA program on a GPU, from inside of it.
 *
 * The driver loads this library because CUDA_INJECTION64_PATH names it (`bankscope run -- ./app`). It
 * has Compute Sanitizer's library patch every module that the program loads (patches.cu) and writes
 * what the patches collected, launch by launch, as the records of hostcuda/records.h into the pipe that
 * bankscope reads. Where nothing can be recorded it says so once and leaves the program alone.
 */
#define _GNU_SOURCE
#include "hostcuda/hostcuda.h"
#include "hostcuda/records.h"
#include "inject/gpu_record.h"

#include <sanitizer.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* patches.fatbin, which the linker takes in (inject/patches.S). */
extern const unsigned char inject_patches[];

enum {
    MOST_MODULES = 4096,
    MOST_LAUNCHES = 64,        /* at a time */
    CHUNK = 1 << 14,           /* records copied at a time */
    DEFAULT_RECORDS = 4 << 20, /* a launch's */
};

/* A launch that has begun and not ended. */
struct running {
    const void *handle;
    struct gpu_buffer *buffer; /* on the device */
    struct gpu_record *record; /* on the device */
    uint64_t number;
    uint32_t grid[3], block[3];
};

static struct {
    pthread_mutex_t lock;
    FILE *pipe;
    regex_t kernel;
    bool some_kernels, failed;
    uint64_t launches, only_launch, first_block, last_block, most_records;
    const char *cubins; /* folder for the program's machine code; NULL: it is not wanted */
    CUmodule module[MOST_MODULES];
    int modules;
    CUcontext patched[16]; /* contexts that have the patches */
    int contexts;
    struct running running[MOST_LAUNCHES];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER,
         .only_launch = UINT64_MAX,
         .last_block = UINT64_MAX,
         .most_records = DEFAULT_RECORDS};

/* Says once what went wrong; from then on the program runs as if this library were not there. */
static void give_up(const char *what, int code)
{
    if (!all.failed)
        fprintf(stderr,
                "bankscope: %s (Compute Sanitizer says %d); the program goes on unrecorded\n", what,
                code);
    all.failed = true;
}

static bool good(SanitizerResult result, const char *what)
{
    if (result != SANITIZER_SUCCESS)
        give_up(what, (int)result);
    return result == SANITIZER_SUCCESS;
}

/* ---- records --------------------------------------------------------------------------------- */

static void put(enum record_kind kind, const void *data, size_t bytes)
{
    struct record_head head = {(uint32_t)kind, (uint32_t)bytes};
    fwrite(&head, sizeof head, 1, all.pipe);
    if (bytes)
        fwrite(data, bytes, 1, all.pipe);
}

/* How far a warp has come in its block. */
struct progress {
    uint32_t phase, round;
};

static void put_access(const struct gpu_record *from, struct progress *at)
{
    static const uint8_t operation[] = {[GPU_LOAD] = HOSTCUDA_LOAD,
                                        [GPU_STORE] = HOSTCUDA_STORE,
                                        [GPU_ATOMIC] = HOSTCUDA_ATOMIC,
                                        [GPU_COPY] = HOSTCUDA_ASYNC_STORE,
                                        [GPU_MATRIX_LOAD] = HOSTCUDA_MATRIX_LOAD,
                                        [GPU_MATRIX_STORE] = HOSTCUDA_MATRIX_STORE};
    if (from->kind == GPU_BARRIER) {
        at->phase++;
        at->round = 0;
        return;
    }
    struct record_access access = {.pc = from->pc + 1,
                                   .mask = from->mask,
                                   .phase = at->phase,
                                   .round = at->round++,
                                   .number = RECORD_UNNUMBERED,
                                   .warp = from->warp,
                                   .operation = operation[from->kind],
                                   .bytes = from->bytes};
    size_t lanes = 0;
    for (int i = 0; i < GPU_LANES; i++)
        if (from->mask >> i & 1)
            access.addr[lanes++] = from->addr[i];
    put(RECORD_ACCESS, &access,
        offsetof(struct record_access, addr) + lanes * sizeof access.addr[0]);
}

struct key {
    uint32_t block, index;
};

static int by_block(const void *left, const void *right)
{
    const struct key *x = left, *y = right;
    return x->block != y->block ? (x->block > y->block) - (x->block < y->block)
                                : (x->index > y->index) - (x->index < y->index);
}

static bool put_blocks(const struct gpu_record *record, size_t count, struct record_launch_end *end)
{
    struct key *key = malloc((count + 1) * sizeof *key);
    struct progress at[GPU_LANES];
    if (!key)
        return false;
    for (size_t i = 0; i < count; i++)
        key[i] = (struct key){record[i].block, (uint32_t)i};
    qsort(key, count, sizeof *key, by_block);
    for (size_t i = 0; i < count; i++) {
        if (!i || key[i].block != key[i - 1].block) {
            struct record_block block = {key[i].block};
            if (i)
                put(RECORD_BLOCK_END, NULL, 0);
            put(RECORD_BLOCK, &block, sizeof block);
            memset(at, 0, sizeof at);
            end->recorded_blocks++;
        }
        const struct gpu_record *from = &record[key[i].index];
        if (from->kind <= GPU_BARRIER && from->mask)
            put_access(from, &at[from->warp % GPU_LANES]);
    }
    if (count)
        put(RECORD_BLOCK_END, NULL, 0);
    free(key);
    return true;
}

/* ---- modules --------------------------------------------------------------------------------- */

static bool has_patches(CUcontext context)
{
    for (int i = 0; i < all.contexts; i++)
        if (all.patched[i] == context)
            return true;
    if (all.contexts == (int)(sizeof all.patched / sizeof *all.patched))
        return false;
    if (!good(sanitizerAddPatches(inject_patches, context),
              "the patches cannot be loaded; does this GPU's architecture differ from that which "
              "bankscope was built for (CUDA_ARCH)?"))
        return false;
    all.patched[all.contexts++] = context;
    return true;
}

static void keep_cubin(const Sanitizer_ResourceModuleData *data)
{
    char path[4096];
    if (!all.cubins || !data->pCubin || all.modules >= MOST_MODULES)
        return;
    snprintf(path, sizeof path, "%s/%d.cubin", all.cubins, all.modules);
    FILE *file = fopen(path, "we");
    if (!file)
        return;
    fwrite(data->pCubin, data->cubinSize, 1, file);
    fclose(file);
}

static uint32_t module_number(CUmodule module)
{
    for (int i = all.modules; i-- > 0;)
        if (all.module[i] == module)
            return (uint32_t)i;
    return UINT32_MAX;
}

static void patch_module(const Sanitizer_ResourceModuleData *data)
{
    static const struct {
        Sanitizer_InstructionId instruction;
        const char *function;
    } patches[] = {
        {SANITIZER_INSTRUCTION_SHARED_MEMORY_ACCESS, "bankscope_access"},
        {SANITIZER_INSTRUCTION_MEMCPY_ASYNC, "bankscope_copy"},
        {SANITIZER_INSTRUCTION_MATRIX_MEMORY_ACCESS, "bankscope_matrix"},
        {SANITIZER_INSTRUCTION_BARRIER, "bankscope_barrier"},
    };
    if (all.failed || !has_patches(data->context))
        return;
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++)
        if (!good(sanitizerPatchInstructions(patches[i].instruction, data->module,
                                             patches[i].function),
                  patches[i].function))
            return;
    if (!good(sanitizerPatchModule(data->module), "a module cannot be patched"))
        return;
    keep_cubin(data);
    if (all.modules < MOST_MODULES)
        all.module[all.modules++] = data->module;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* The function's name as a programmer writes it; to be freed. */
static char *readable(const char *name)
{
    typedef char *demangle_function(const char *, char *, size_t *, int *);
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    demangle_function *demangle =
        library ? (demangle_function *)(uintptr_t)dlsym(library, "__cxa_demangle") : NULL;
    int status = 0;
    char *clear = demangle ? demangle(name, NULL, NULL, &status) : NULL;
    return clear ? clear : strdup(name);
}

static bool is_wanted(const char *name, uint64_t number)
{
    if (all.only_launch != UINT64_MAX && all.only_launch != number)
        return false;
    return !all.some_kernels || regexec(&all.kernel, name, 0, NULL, 0) == 0;
}

static void begin_launch(const Sanitizer_LaunchData *data)
{
    uint64_t number = all.launches++;
    struct running *launch = NULL;
    if (all.failed)
        return;
    char *name = readable(data->functionName);
    bool wanted = name && is_wanted(name, number);
    free(name);
    for (int i = 0; i < MOST_LAUNCHES && wanted && !launch; i++)
        if (!all.running[i].handle)
            launch = &all.running[i];
    if (!launch) {
        sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream, NULL);
        return;
    }
    *launch = (struct running){.handle = data->hLaunch,
                               .number = number,
                               .grid = {data->gridDim_x, data->gridDim_y, data->gridDim_z},
                               .block = {data->blockDim_x, data->blockDim_y, data->blockDim_z}};
    struct gpu_buffer start = {
        .most = all.most_records, .first = all.first_block, .last = all.last_block};
    if (!good(sanitizerAlloc(data->context, (void **)&launch->buffer, sizeof *launch->buffer),
              "no memory on the GPU") ||
        !good(sanitizerAlloc(data->context, (void **)&launch->record,
                             all.most_records * sizeof *launch->record),
              "no memory on the GPU for records")) {
        launch->handle = NULL;
        return;
    }
    start.record = launch->record;
    good(sanitizerMemcpyHostToDeviceAsync(launch->buffer, &start, sizeof start, data->hStream),
         "a copy to the GPU fails");
    good(sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream,
                                        launch->buffer),
         "a launch cannot be patched");
}

/* Copies what the launch left on the device; the records, to be freed. NULL: nothing, or it fails. */
static struct gpu_record *fetch(const Sanitizer_LaunchData *data, const struct running *launch,
                                struct gpu_buffer *head)
{
    char *pinned = NULL;
    size_t room = CHUNK * sizeof(struct gpu_record);
    if (!good(sanitizerAllocHost(data->context, (void **)&pinned, room), "no pinned memory"))
        return NULL;
    struct gpu_record *record = NULL;
    if (good(sanitizerMemcpyDeviceToHost(pinned, launch->buffer, sizeof *head, data->hStream),
             "a copy from the GPU fails")) {
        memcpy(head, pinned, sizeof *head);
        size_t count = head->used < head->most ? head->used : head->most;
        record = malloc((count + 1) * sizeof *record);
        for (size_t i = 0; record && i < count; i += CHUNK) {
            size_t part = count - i < CHUNK ? count - i : CHUNK;
            sanitizerMemcpyDeviceToHost(pinned, launch->record + i, part * sizeof *record,
                                        data->hStream);
            memcpy(record + i, pinned, part * sizeof *record);
        }
    }
    sanitizerFreeHost(data->context, pinned);
    return record;
}

static void end_launch(const Sanitizer_LaunchData *data)
{
    struct running *launch = NULL;
    for (int i = 0; i < MOST_LAUNCHES && !launch; i++)
        if (all.running[i].handle == data->hLaunch && all.running[i].handle)
            launch = &all.running[i];
    if (!launch)
        return;
    struct record_launch start = {.number = launch->number};
    memcpy(start.grid, launch->grid, sizeof start.grid);
    memcpy(start.block, launch->block, sizeof start.block);
    char *name = readable(data->functionName);
    snprintf(start.name, sizeof start.name, "%s", name ? name : "?");
    free(name);
    struct record_function function = {.module = module_number(data->module)};
    snprintf(function.name, sizeof function.name, "%s", data->functionName);
    if (sanitizerGetFunctionPcAndSize(data->module, data->functionName, &function.pc,
                                      &function.bytes) == SANITIZER_SUCCESS) {
        start.kernel = function.pc;
        put(RECORD_FUNCTION, &function,
            offsetof(struct record_function, name) + strlen(function.name) + 1);
    }
    put(RECORD_LAUNCH, &start, offsetof(struct record_launch, name) + strlen(start.name) + 1);

    struct record_launch_end end = {.blocks = (uint64_t)launch->grid[0] * launch->grid[1] *
                                              launch->grid[2]};
    struct gpu_buffer head = {0};
    SanitizerResult result = sanitizerStreamSynchronize(data->hStream);
    struct gpu_record *record = result == SANITIZER_SUCCESS ? fetch(data, launch, &head) : NULL;
    if (record) {
        size_t count = head.used < head.most ? head.used : head.most;
        end.dropped = head.used - count;
        put_blocks(record, count, &end);
    } else {
        end.status = 719; /* launch failure */
    }
    end.reason = end.dropped                        ? RECORD_BUDGET
                 : end.recorded_blocks < end.blocks ? RECORD_ASKED
                                                    : RECORD_ALL;
    put(RECORD_LAUNCH_END, &end, sizeof end);
    fflush(all.pipe);
    free(record);
    sanitizerFree(data->context, launch->record);
    sanitizerFree(data->context, launch->buffer);
    launch->handle = NULL;
}

/* ---- the library ----------------------------------------------------------------------------- */

static void SANITIZERAPI called(void *context, Sanitizer_CallbackDomain domain,
                                Sanitizer_CallbackId id, const void *data)
{
    static __thread bool inside; /* our own calls may come back here */
    (void)context;
    if (inside)
        return;
    inside = true;
    pthread_mutex_lock(&all.lock);
    if (domain == SANITIZER_CB_DOMAIN_RESOURCE && id == SANITIZER_CBID_RESOURCE_MODULE_LOADED)
        patch_module(data);
    else if (domain == SANITIZER_CB_DOMAIN_LAUNCH && id == SANITIZER_CBID_LAUNCH_BEGIN)
        begin_launch(data);
    else if (domain == SANITIZER_CB_DOMAIN_LAUNCH && id == SANITIZER_CBID_LAUNCH_END)
        end_launch(data);
    pthread_mutex_unlock(&all.lock);
    inside = false;
}

static void at_exit(void)
{
    struct record_exit end = {.launches = all.launches};
    put(RECORD_EXIT, &end, sizeof end);
    fclose(all.pipe);
}

static void read_environment(void)
{
    const char *kernel = getenv(RECORDS_KERNEL), *launch = getenv(RECORDS_LAUNCH);
    const char *blocks = getenv(RECORDS_BLOCKS), *most = getenv(RECORDS_MOST);
    all.some_kernels = kernel && regcomp(&all.kernel, kernel, REG_EXTENDED | REG_NOSUB) == 0;
    if (launch)
        all.only_launch = strtoull(launch, NULL, 10);
    if (blocks && sscanf(blocks, "%" SCNu64 "-%" SCNu64, &all.first_block, &all.last_block) == 1)
        all.last_block = all.first_block;
    if (most && strtoull(most, NULL, 10))
        all.most_records = strtoull(most, NULL, 10);
    all.cubins = getenv(RECORDS_CUBINS);
}

/* The driver calls this when it starts. It unloads the library again if the result is 0. */
int InitializeInjection(void)
{
    const char *fd = getenv(RECORDS_FD);
    Sanitizer_SubscriberHandle subscriber;
    if (!fd || all.pipe)
        return 1;
    all.pipe = fdopen(atoi(fd), "w");
    if (!all.pipe)
        return 1;
    fcntl(fileno(all.pipe), F_SETFD, FD_CLOEXEC);
    read_environment();
    /* Programs that this one starts are not recorded. */
    unsetenv(RECORDS_FD);
    unsetenv("CUDA_INJECTION64_PATH");
    struct record_start start = {.version = RECORDS_VERSION};
    put(RECORD_START, &start, sizeof start);
    atexit(at_exit);
    if (good(sanitizerSubscribe(&subscriber, called, NULL), "the program cannot be watched")) {
        sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_RESOURCE);
        sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_LAUNCH);
    }
    return 1;
}
