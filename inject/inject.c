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
    MOST_KERNELS = 4096,
    MOST_LAUNCHES = 64,        /* at a time */
    CHUNK = 1 << 14,           /* records copied at a time */
    DEFAULT_RECORDS = 4 << 20, /* a kernel's, over all its launches */
    LEAST_RECORDS = 1 << 16,   /* fewer are not worth a launch */
};

/* A launch that has begun and not ended. Its memory on the device is kept for later launches. */
struct running {
    const void *handle; /* NULL: none */
    CUcontext context;
    struct gpu_buffer *buffer; /* on the device */
    struct gpu_record *record; /* on the device, `room` of them */
    uint64_t room, number;
    uint32_t grid[3], block[3];
};

/* How many records a kernel has still room for. */
struct budget {
    CUfunction kernel;
    uint64_t left;
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
    struct budget budget[MOST_KERNELS];
    int kernels;
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

/* The places of the records, by block; those of one block stay in their order. Sorts by 11 bits of the
 * block's number at a time. To be freed; NULL: out of memory. */
static uint32_t *order_by_block(const struct gpu_record *record, size_t count)
{
    enum { DIGITS = 1 << 11 };
    uint32_t *order = malloc(2 * (count + 1) * sizeof *order), last = 0;
    if (!order)
        return NULL;
    uint32_t *from = order, *to = order + count;
    for (size_t i = 0; i < count; i++) {
        from[i] = (uint32_t)i;
        last = record[i].block > last ? record[i].block : last;
    }
    for (int shift = 0; shift < 32 && last >> shift; shift += 11) {
        size_t begin[DIGITS + 1] = {0};
        for (size_t i = 0; i < count; i++)
            begin[(record[i].block >> shift) % DIGITS + 1]++;
        for (int i = 0; i < DIGITS; i++)
            begin[i + 1] += begin[i];
        for (size_t i = 0; i < count; i++)
            to[begin[(record[from[i]].block >> shift) % DIGITS]++] = from[i];
        uint32_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != order)
        memcpy(order, from, count * sizeof *order);
    return order;
}

static bool put_blocks(const struct gpu_record *record, size_t count, struct record_launch_end *end)
{
    struct progress at[GPU_LANES];
    uint32_t *order = order_by_block(record, count);
    if (!order)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct gpu_record *from = &record[order[i]];
        if (!i || from->block != record[order[i - 1]].block) {
            struct record_block block = {from->block};
            if (i)
                put(RECORD_BLOCK_END, NULL, 0);
            put(RECORD_BLOCK, &block, sizeof block);
            memset(at, 0, sizeof at);
            end->recorded_blocks++;
        }
        if (from->kind <= GPU_BARRIER && from->mask)
            put_access(from, &at[from->warp % GPU_LANES]);
    }
    if (count)
        put(RECORD_BLOCK_END, NULL, 0);
    free(order);
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

static bool patch(CUmodule module)
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
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++)
        if (!good(sanitizerPatchInstructions(patches[i].instruction, module, patches[i].function),
                  patches[i].function))
            return false;
    return good(sanitizerPatchModule(module), "a module cannot be patched");
}

static void take_module(const Sanitizer_ResourceModuleData *data)
{
    if (all.failed || !has_patches(data->context) || !patch(data->module))
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

/* A kernel's budget. NULL: there are too many kernels. */
static struct budget *budget_of(CUfunction kernel)
{
    for (int i = 0; i < all.kernels; i++)
        if (all.budget[i].kernel == kernel)
            return &all.budget[i];
    if (all.kernels == MOST_KERNELS)
        return NULL;
    all.budget[all.kernels] = (struct budget){kernel, all.most_records};
    return &all.budget[all.kernels++];
}

/* Memory on the device for `most` records, or for fewer where it has not so much. */
static bool make_room(struct running *launch, CUcontext context, uint64_t most)
{
    if (launch->record && launch->context == context && launch->room >= most)
        return true;
    if (launch->record) {
        sanitizerFree(launch->context, launch->record);
        sanitizerFree(launch->context, launch->buffer);
        launch->record = NULL;
    }
    launch->context = context;
    if (!good(sanitizerAlloc(context, (void **)&launch->buffer, sizeof *launch->buffer),
              "no memory on the GPU"))
        return false;
    for (launch->room = most;; launch->room /= 2) {
        SanitizerResult result = sanitizerAlloc(context, (void **)&launch->record,
                                                launch->room * sizeof *launch->record);
        if (result == SANITIZER_SUCCESS)
            return true;
        launch->record = NULL;
        if (launch->room <= LEAST_RECORDS)
            return good(result, "no memory on the GPU for records");
    }
}

static void put_launch(const Sanitizer_LaunchData *data, uint64_t number, const uint32_t grid[3],
                       const uint32_t block[3])
{
    struct record_launch start = {.number = number};
    memcpy(start.grid, grid, sizeof start.grid);
    memcpy(start.block, block, sizeof start.block);
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
}

/* A launch that is chosen, but not recorded: enough of its kernel was, or too many run at a time. */
static void put_passed_over(const Sanitizer_LaunchData *data, uint64_t number)
{
    const uint32_t grid[3] = {data->gridDim_x, data->gridDim_y, data->gridDim_z};
    const uint32_t block[3] = {data->blockDim_x, data->blockDim_y, data->blockDim_z};
    struct record_launch_end end = {.blocks = (uint64_t)grid[0] * grid[1] * grid[2],
                                    .reason = RECORD_LAUNCHES};
    put_launch(data, number, grid, block);
    put(RECORD_LAUNCH_END, &end, sizeof end);
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
    struct budget *budget = wanted ? budget_of(data->function) : NULL;
    uint64_t most = budget ? budget->left : 0;
    bool enough = most >= LEAST_RECORDS || (most && most == all.most_records);
    for (int i = 0; i < MOST_LAUNCHES && enough && !launch; i++)
        if (!all.running[i].handle)
            launch = &all.running[i];
    if (!launch || !make_room(launch, data->context, most)) {
        if (wanted)
            put_passed_over(data, number);
        sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream, NULL);
        return;
    }
    launch->handle = data->hLaunch;
    launch->number = number;
    memcpy(launch->grid, (uint32_t[]){data->gridDim_x, data->gridDim_y, data->gridDim_z},
           sizeof launch->grid);
    memcpy(launch->block, (uint32_t[]){data->blockDim_x, data->blockDim_y, data->blockDim_z},
           sizeof launch->block);
    struct gpu_buffer start = {.most = most < launch->room ? most : launch->room,
                               .first = all.first_block,
                               .last = all.last_block,
                               .record = launch->record};
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
    put_launch(data, launch->number, launch->grid, launch->block);
    struct record_launch_end end = {.blocks = (uint64_t)launch->grid[0] * launch->grid[1] *
                                              launch->grid[2]};
    struct gpu_buffer head = {0};
    struct budget *budget = budget_of(data->function);
    SanitizerResult result = sanitizerStreamSynchronize(data->hStream);
    struct gpu_record *record = result == SANITIZER_SUCCESS ? fetch(data, launch, &head) : NULL;
    if (record) {
        size_t count = head.used < head.most ? head.used : head.most;
        end.dropped = head.used - count;
        if (budget)
            budget->left -= count;
        put_blocks(record, count, &end);
    } else {
        end.status = 719; /* launch failure */
    }
    end.reason = end.recorded_blocks == end.blocks ? RECORD_ALL
                 : end.dropped                     ? RECORD_BUDGET
                                                   : RECORD_ASKED;
    put(RECORD_LAUNCH_END, &end, sizeof end);
    fflush(all.pipe);
    free(record);
    launch->handle = NULL;
}

/* Nodes of a graph end long after the call that launches them, so they are not recorded. Without this call a
 * patch would get any address for its buffer. */
static void pass_over_node(const Sanitizer_GraphNodeLaunchData *node)
{
    const Sanitizer_LaunchData *data = &node->launchData;
    if (node->nodeType != CU_GRAPH_NODE_TYPE_KERNEL)
        return;
    sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream, NULL);
    if (node->isGraphUpload || all.failed)
        return;
    char *name = readable(data->functionName);
    if (name && is_wanted(name, all.launches))
        put_passed_over(data, all.launches);
    all.launches++;
    free(name);
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
        take_module(data);
    else if (domain == SANITIZER_CB_DOMAIN_LAUNCH && id == SANITIZER_CBID_LAUNCH_BEGIN)
        begin_launch(data);
    else if (domain == SANITIZER_CB_DOMAIN_LAUNCH && id == SANITIZER_CBID_LAUNCH_END)
        end_launch(data);
    else if (domain == SANITIZER_CB_DOMAIN_GRAPHS && id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN)
        pass_over_node(data);
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
        sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_GRAPHS);
    }
    return 1;
}
