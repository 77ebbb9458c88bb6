/* inject.c - records an unmodified CUDA program on a GPU, from inside of it.
 *
 * The driver loads this library because CUDA_INJECTION64_PATH names it (`bankscope run -- ./app`). It
 * has Compute Sanitizer's library patch every module that the program loads (patches.cu) and writes
 * what the patches collected, launch by launch, as records (program/stream.h) into the ring that
 * bankscope reads. Where nothing can be recorded it says so once and leaves the program alone.
 */
#define _GNU_SOURCE
#include "instrument/instrument.h"
#include "program/ring.h"
#include "inject/gpu_record.h"

#include <sanitizer.h>

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* patches.fatbin, which the linker takes in (inject/patches.S). */
extern const unsigned char inject_patches[];

enum {
    MOST_MODULES = 4096,
    MOST_KERNELS = 4096,
    MOST_LAUNCHES = 64,        /* at a time */
    MOST_GRAPHS = 8,           /* that are launched at a time */
    MOST_NODES = GPU_SLOTS,    /* of a graph's launch */
    MOST_STREAMS = 256,        /* with launches that nobody waited for */
    MOST_SWITCHES = 200,       /* of a module to its own code */
    MOST_SECONDS = 2,          /* that a thread waits for others to leave the driver */
    CHUNK = 1 << 14,           /* records copied at a time */
    DEFAULT_RECORDS = 4 << 20, /* a kernel's, over all its launches */
    LEAST_RECORDS = 1 << 16,   /* fewer are not worth a launch */
};

struct kernel {
    char *name;      /* as in the machine code */
    char *clear;     /* as a programmer writes it */
    CUmodule module; /* that it was launched from; NULL: it was not yet */
    bool chosen;     /* by --kernel */
    uint64_t left;   /* records that there is still room for */
};

/* A launch that has begun and not ended. */
struct running {
    const void *handle; /* NULL: none */
    Sanitizer_StreamHandle stream;
    struct kernel *kernel;
    CUmodule module;
    uint64_t number;
    uint32_t grid_number; /* that records have */
    uint64_t pc, bytes;   /* of the kernel's code */
    uint32_t grid[3], block[3];
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

/* A stream with launches that nobody waited for. */
struct stream {
    CUcontext context;
    Sanitizer_StreamHandle handle;
};

/* A module of the program. Patched code is slow even where nothing is recorded, so a module has its own
 * code for launches that are not recorded. Each change takes time, too; hence a limit. */
struct module {
    CUmodule handle; /* NULL: it is unloaded */
    bool patched;
    int switches;
};

static struct {
    /* Of all that follows. Not held while the sanitizer is called from a callback in which the driver may
     * hold a lock of its own: another thread may wait for this lock with that one. */
    pthread_mutex_t lock;
    pthread_mutex_t patching; /* of the sanitizer's functions that patch, and of `patched` */
    pthread_cond_t moved;     /* the gate, or a thread out of the driver */
    bool gate, crowded;       /* no thread enters the driver; waiting for that was in vain */
    int inside;               /* threads in calls of the driver's */
    struct ring_writer ring;
    regex_t kernel;
    bool some_kernels, lost_a_stream, global; /* global: memory is recorded, too */
    _Atomic bool failed;
    uint64_t launches, only_launch, first_block, last_block, most_records;
    const char *cubins; /* folder for the program's machine code; NULL: it is not wanted */
    struct module module[MOST_MODULES];
    int modules;
    struct stream stream[MOST_STREAMS];
    int streams;
    bool frozen; /* the program has graphs, which know where code lies: modules stay as they are */
    CUcontext patched[16]; /* contexts that have the patches */
    int contexts;
    struct batch single[MOST_LAUNCHES], graph[MOST_GRAPHS];
    struct kernel kernel_of[MOST_KERNELS];
    int kernels;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER,
         .patching = PTHREAD_MUTEX_INITIALIZER,
         .ring = RING_WRITER,
         .moved = PTHREAD_COND_INITIALIZER,
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
    ring_put(&all.ring, kind, data, bytes);
}

/* How far a warp has come in its block. */
struct progress {
    uint32_t phase, round;
};

static void put_access(const struct gpu_record *from, struct progress *at)
{
    static const uint8_t operation[] = {[GPU_LOAD] = OP_LOAD,
                                        [GPU_STORE] = OP_STORE,
                                        [GPU_ATOMIC] = OP_ATOMIC,
                                        [GPU_COPY] = OP_ASYNC_STORE,
                                        [GPU_MATRIX_LOAD] = OP_MATRIX_LOAD,
                                        [GPU_MATRIX_STORE] = OP_MATRIX_STORE};
    if (from->kind == GPU_BARRIER) {
        at->phase++;
        at->round = 0;
        return;
    }
    struct record_access access = {.pc = from->pc + 1,
                                   .mask = from->mask,
                                   .phase = at->phase,
                                   .round = at->round++,
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

/* An access to global memory. Of a load of 16 bytes whose last word nobody uses, the sanitizer says 12: they are in
 * the same sector. */
static void put_global(const struct gpu_record *from, const struct gpu_record *high,
                       struct progress *at)
{
    static const uint8_t operation[] = {[GPU_GLOBAL_LOAD] = OP_LOAD,
                                        [GPU_GLOBAL_STORE] = OP_STORE,
                                        [GPU_GLOBAL_ATOMIC] = OP_ATOMIC,
                                        [GPU_GLOBAL_COPY] = OP_ASYNC_LOAD};
    struct record_global access = {.pc = from->pc + 1,
                                   .mask = from->mask,
                                   .phase = at->phase,
                                   .round = at->round++,
                                   .warp = from->warp,
                                   .operation = operation[from->kind],
                                   .bytes = from->bytes == 12 ? 16 : from->bytes};
    size_t lanes = 0;
    for (int i = 0; i < GPU_LANES; i++)
        if (from->mask >> i & 1)
            access.addr[lanes++] = (uint64_t)high->addr[i] << 32 | from->addr[i];
    put(RECORD_GLOBAL, &access,
        offsetof(struct record_global, addr) + lanes * sizeof access.addr[0]);
}

static bool is_global(const struct gpu_record *record)
{
    return record->kind >= GPU_GLOBAL_LOAD && record->kind <= GPU_GLOBAL_COPY;
}

/* Records of a launch that are not what patches.cu writes, or are of an access of an unknown width. */
struct amiss {
    uint64_t count;
    struct gpu_record first;
};

/* Whether the reader will take it. */
static bool is_understood(const struct gpu_record *record)
{
    bool width = (record->bytes <= 16 && record->bytes && !(record->bytes & (record->bytes - 1))) ||
                 (is_global(record) && record->bytes == 12);
    return record->mask && record->warp < 1024 / GPU_LANES &&
           (record->kind == GPU_BARRIER || (record->kind < GPU_BARRIER && width) ||
            record->kind == GPU_HIGH);
}

/* Says it with the place in the source, so that the counts are not taken for complete. */
static void put_amiss(const struct amiss *amiss, uint64_t launch)
{
    const struct gpu_record *first = &amiss->first;
    struct record_fault fault = {.launch = launch, .pc = first->pc + 1};
    snprintf(fault.text, sizeof fault.text,
             "%" PRIu64
             " record%s of this GPU not understood, and not counted; the first: kind %d, %d "
             "bytes a lane, lanes 0x%" PRIx32 ", warp %d",
             amiss->count, amiss->count == 1 ? " is" : "s are", first->kind, first->bytes,
             first->mask, first->warp);
    put(RECORD_FAULT, &fault, sizeof fault);
}

static uint64_t place_of(const struct gpu_record *record)
{
    return (uint64_t)record->grid << 32 | record->block;
}

/* The places of the records, by launch and block; those of one block stay in their order. Sorts by 11 bits of
 * both numbers at a time. To be freed; NULL: out of memory. */
static uint32_t *order_by_block(const struct gpu_record *record, size_t count)
{
    enum { DIGITS = 1 << 11 };
    uint32_t *order = malloc(2 * (count + 1) * sizeof *order);
    uint64_t last = 0;
    if (!order)
        return NULL;
    uint32_t *from = order, *to = order + count;
    for (size_t i = 0; i < count; i++) {
        from[i] = (uint32_t)i;
        last |= place_of(&record[i]);
    }
    for (int shift = 0; shift < 64 && last >> shift; shift += 11) {
        size_t begin[DIGITS + 1] = {0};
        for (size_t i = 0; i < count; i++)
            begin[(place_of(&record[i]) >> shift) % DIGITS + 1]++;
        for (int i = 0; i < DIGITS; i++)
            begin[i + 1] += begin[i];
        for (size_t i = 0; i < count; i++)
            to[begin[(place_of(&record[from[i]]) >> shift) % DIGITS]++] = from[i];
        uint32_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != order)
        memcpy(order, from, count * sizeof *order);
    return order;
}

/* The blocks of one launch, whose `count` records are in this order. */
static void put_blocks(const struct gpu_record *record, const uint32_t *order, size_t count,
                       struct record_launch_end *end, struct amiss *amiss)
{
    struct progress at[GPU_LANES];
    const struct gpu_record *before = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct gpu_record *from = &record[order[i]];
        if (from->kind == GPU_NOTHING)
            continue;
        const struct gpu_record *high =
            is_global(from) && i + 1 < count ? &record[order[i + 1]] : NULL;
        const bool whole = is_global(from) ? high && high->kind == GPU_HIGH && high->pc == from->pc
                                           : from->kind != GPU_HIGH;
        if (!whole || !is_understood(from)) {
            if (!amiss->count++)
                amiss->first = *from;
            continue;
        }
        if (!before || from->block != before->block) {
            struct record_block block = {from->block};
            if (before)
                put(RECORD_BLOCK_END, NULL, 0);
            put(RECORD_BLOCK, &block, sizeof block);
            memset(at, 0, sizeof at);
            end->recorded_blocks++;
        }
        before = from;
        if (is_global(from)) {
            put_global(from, high, &at[from->warp]);
            i++;
        } else {
            put_access(from, &at[from->warp]);
        }
    }
    if (before)
        put(RECORD_BLOCK_END, NULL, 0);
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
        if (all.module[i].handle == module)
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
    if (all.global && (!good(sanitizerPatchInstructions(SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS,
                                                        module, "bankscope_global"),
                             "bankscope_global")))
        return false;
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++) {
        const char *function =
            all.global && patches[i].instruction == SANITIZER_INSTRUCTION_MEMCPY_ASYNC
                ? "bankscope_both"
                : patches[i].function;
        if (!good(sanitizerPatchInstructions(patches[i].instruction, module, function), function))
            return false;
    }
    return good(sanitizerPatchModule(module), "a module cannot be patched");
}

static void take_module(const Sanitizer_ResourceModuleData *data)
{
    pthread_mutex_unlock(&all.lock);
    pthread_mutex_lock(&all.patching);
    bool patched = !all.failed && has_patches(data->context) && patch(data->module);
    pthread_mutex_unlock(&all.patching);
    pthread_mutex_lock(&all.lock);
    if (!patched)
        return;
    keep_cubin(data);
    if (all.modules < MOST_MODULES)
        all.module[all.modules++] = (struct module){.handle = data->module, .patched = true};
}

static void drop_module(const Sanitizer_ResourceModuleData *data)
{
    uint32_t number = module_number(data->module);
    if (number != UINT32_MAX)
        all.module[number].handle = NULL;
}

/* ---- patched or not -------------------------------------------------------------------------- */

/* Notes that the stream has a launch that nobody waits for. */
static void note_stream(CUcontext context, Sanitizer_StreamHandle handle)
{
    for (int i = 0; i < all.streams; i++)
        if (all.stream[i].handle == handle)
            return;
    if (all.streams < MOST_STREAMS)
        all.stream[all.streams++] = (struct stream){context, handle};
    else
        all.lost_a_stream = true;
}

/* A stream that ends must be waited for while its handle is good. */
static void drop_stream(const Sanitizer_ResourceStreamData *data)
{
    bool noted = false;
    for (int i = all.streams; i-- > 0;)
        if (all.stream[i].handle == data->hStream) {
            all.stream[i] = all.stream[--all.streams];
            noted = true;
        }
    if (!noted)
        return;
    pthread_mutex_unlock(&all.lock);
    sanitizerStreamSynchronize(data->hStream);
    pthread_mutex_lock(&all.lock);
}

/* Waits until no launch is under way. false: that is not known. */
static bool wait_for_launches(void)
{
    for (; all.streams; all.streams--)
        if (sanitizerStreamSynchronize(all.stream[all.streams - 1].handle) != SANITIZER_SUCCESS)
            all.lost_a_stream = true;
    return !all.lost_a_stream;
}

/* Whether no other thread is in a call of the driver's, with a lock that a change of code may need. Then
 * none enters one before this thread gives up all.lock. `wait`: for the others to come out. */
static bool is_alone(bool wait)
{
    if (!all.inside || !wait || all.crowded)
        return !all.inside;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += MOST_SECONDS;
    all.gate = true;
    while (all.inside && !all.crowded)
        all.crowded = pthread_cond_timedwait(&all.moved, &all.lock, &until) != 0;
    all.gate = false;
    pthread_cond_broadcast(&all.moved);
    return !all.inside;
}

/* Gives modules the patches back, or their own code: module `only`, or all if it is NULL. */
static void set_patched(CUmodule only, bool patched)
{
    for (int i = 0; i < all.modules && !all.frozen && !all.failed; i++) {
        struct module *module = &all.module[i];
        if (!module->handle || (only && module->handle != only) || module->patched == patched ||
            (!patched && module->switches >= MOST_SWITCHES))
            continue;
        if (!is_alone(patched) || !wait_for_launches())
            return;
        module->patched = patched;
        module->switches += !patched;
        pthread_mutex_lock(&all.patching);
        if (patched)
            patch(module->handle);
        else
            good(sanitizerUnpatchModule(module->handle), "patches cannot be taken back");
        pthread_mutex_unlock(&all.patching);
    }
}

static void drop_batch(struct batch *batch, CUcontext context)
{
    if (batch->context == context)
        *batch = (struct batch){.launch = batch->launch, .most = batch->most};
}

/* The context's memory, patches and streams end with it. */
static void drop_context(const Sanitizer_ResourceContextData *data)
{
    for (int i = 0; i < MOST_LAUNCHES; i++)
        drop_batch(&all.single[i], data->context);
    for (int i = 0; i < MOST_GRAPHS; i++)
        drop_batch(&all.graph[i], data->context);
    for (int i = all.streams; i-- > 0;)
        if (all.stream[i].context == data->context)
            all.stream[i] = all.stream[--all.streams];
    pthread_mutex_unlock(&all.lock);
    pthread_mutex_lock(&all.patching);
    for (int i = all.contexts; i-- > 0;)
        if (all.patched[i] == data->context)
            all.patched[i] = all.patched[--all.contexts];
    pthread_mutex_unlock(&all.patching);
    pthread_mutex_lock(&all.lock);
}

/* ---- launches -------------------------------------------------------------------------------- */

/* The function's name as a programmer writes it; to be freed. NULL: no memory. Only a name that begins so
 * is mangled: `t`, for one, would be taken for a type's. */
static char *readable(const char *name)
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
static struct kernel *kernel_of(const char *name)
{
    for (int i = 0; i < all.kernels; i++)
        if (!strcmp(all.kernel_of[i].name, name))
            return &all.kernel_of[i];
    char *copy = all.kernels < MOST_KERNELS ? strdup(name) : NULL;
    char *clear = copy ? readable(name) : NULL;
    if (!clear) {
        free(copy);
        return NULL;
    }
    struct kernel *kernel = &all.kernel_of[all.kernels++];
    *kernel =
        (struct kernel){.name = copy,
                        .clear = clear,
                        .chosen = !all.some_kernels || !regexec(&all.kernel, clear, 0, NULL, 0),
                        .left = all.most_records};
    return kernel;
}

/* Whether the user chose this launch. */
static bool is_wanted(const struct kernel *kernel, uint64_t number)
{
    return kernel && kernel->chosen && (all.only_launch == UINT64_MAX || all.only_launch == number);
}

/* Whether there is room for what it records. */
static bool has_room(const struct kernel *kernel)
{
    return kernel->left >= LEAST_RECORDS || (kernel->left && kernel->left == all.most_records);
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
    if (!good(sanitizerAlloc(context, (void **)&batch->buffer, sizeof *batch->buffer),
              "no memory on the GPU"))
        return false;
    for (batch->room = most;; batch->room /= 2) {
        SanitizerResult result =
            sanitizerAlloc(context, (void **)&batch->record, batch->room * sizeof *batch->record);
        if (result == SANITIZER_SUCCESS)
            return true;
        batch->record = NULL;
        if (batch->room <= LEAST_RECORDS)
            return good(result, "no memory on the GPU for records");
    }
}

/* No record is used. */
static bool begin_records(struct batch *batch, uint64_t most, Sanitizer_StreamHandle stream)
{
    struct gpu_buffer *start = calloc(1, sizeof *start);
    if (!start)
        return good(1, "there is no memory for records");
    start->most = most < batch->room ? most : batch->room;
    start->first = all.first_block;
    start->last = all.last_block;
    start->record = batch->record;
    const bool copied =
        good(sanitizerMemcpyHostToDeviceAsync(batch->buffer, start, sizeof *start, stream),
             "a copy to the GPU fails");
    free(start);
    return copied;
}

static void put_launch(const struct running *launch)
{
    const char *code_name = launch->kernel->name;
    struct record_launch start = {.number = launch->number};
    memcpy(start.grid, launch->grid, sizeof start.grid);
    memcpy(start.block, launch->block, sizeof start.block);
    snprintf(start.name, sizeof start.name, "%s", launch->kernel->clear);
    struct record_function function = {
        .module = module_number(launch->module), .pc = launch->pc, .bytes = launch->bytes};
    snprintf(function.name, sizeof function.name, "%s", code_name);
    if (function.pc)
        put(RECORD_FUNCTION, &function,
            offsetof(struct record_function, name) + strlen(function.name) + 1);
    put(RECORD_LAUNCH, &start, offsetof(struct record_launch, name) + strlen(start.name) + 1);
}

static uint64_t blocks_of(const struct running *launch)
{
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

/* A thread is about to enter the driver. This is the time to change modules: in the middle of a launch the
 * driver may hold a lock that a change needs. */
static void prepare_call(const Sanitizer_CallbackData *data)
{
    const char *call = data->functionName;
    /* Threads that are in the driver may launch before this one. */
    bool in_time =
        all.only_launch == UINT64_MAX ||
        (all.launches <= all.only_launch && all.only_launch - all.launches <= (uint64_t)all.inside);
    if (!strncmp(call, "cuStreamBeginCapture", 20) || !strncmp(call, "cuGraphCreate", 13)) {
        set_patched(NULL, true);
        all.frozen = true;
    } else if (!strncmp(call, "cuLaunch", 8) && strncmp(call, "cuLaunchHost", 12) != 0) {
        struct kernel *kernel = data->symbolName ? kernel_of(data->symbolName) : NULL;
        if (kernel)
            set_patched(kernel->module, kernel->chosen && in_time && has_room(kernel));
    }
}

static bool is_patched(CUmodule handle)
{
    uint32_t number = module_number(handle);
    return number == UINT32_MAX || all.module[number].patched;
}

/* Has the launch run without being recorded. A patch would get any address for its buffer otherwise. */
static void pass_over(const Sanitizer_LaunchData *data)
{
    sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream, NULL);
}

static bool record(const Sanitizer_LaunchData *data, const struct batch *batch)
{
    return good(
        sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream, batch->buffer),
        "a launch cannot be patched");
}

static struct running describe(const Sanitizer_LaunchData *data)
{
    return (struct running){.handle = data->hLaunch,
                            .stream = data->hStream,
                            .kernel = kernel_of(data->functionName),
                            .module = data->module,
                            .number = all.launches++,
                            .grid_number = (uint32_t)data->gridId,
                            .grid = {data->gridDim_x, data->gridDim_y, data->gridDim_z},
                            .block = {data->blockDim_x, data->blockDim_y, data->blockDim_z}};
}

/* Sends that a launch was chosen, but is not recorded. */
static void put_unrecorded(const struct running *launch, uint32_t reason)
{
    struct record_launch_end end = {.blocks = blocks_of(launch), .reason = reason};
    put_launch(launch);
    put(RECORD_LAUNCH_END, &end, sizeof end);
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

static void begin_launch(const Sanitizer_LaunchData *data)
{
    struct running now = describe(data);
    struct batch *batch = NULL;
    ring_count(&all.ring, all.launches);
    bool wanted = !all.failed && is_wanted(now.kernel, now.number);
    if (now.kernel)
        now.kernel->module = data->module;
    uint64_t most =
        wanted && has_room(now.kernel) && is_patched(data->module) ? now.kernel->left : 0;
    if (most)
        batch = take_batch(all.single, MOST_LAUNCHES, 1);
    pthread_mutex_unlock(&all.lock);
    if (wanted)
        find_code(&now, data);
    bool recorded = batch && make_room(batch, data->context, most) &&
                    begin_records(batch, most, data->hStream) && record(data, batch);
    if (!recorded)
        pass_over(data);
    pthread_mutex_lock(&all.lock);
    if (recorded) {
        batch->launch[batch->launches++] = now;
        return;
    }
    if (batch)
        batch->busy = false;
    note_stream(data->context, data->hStream);
    if (wanted) /* enough of its kernel was recorded, or too many run at a time */
        put_unrecorded(&now, RECORD_LAUNCHES);
}

/* The graph that this thread is launching, if any of it is recorded. */
static __thread struct batch *launching;

/* A graph's first launch that is wanted makes room for all of them. */
static bool begin_graph(const Sanitizer_LaunchData *data)
{
    struct batch *batch = take_batch(all.graph, MOST_GRAPHS, MOST_NODES);
    if (!batch)
        return false;
    pthread_mutex_unlock(&all.lock);
    const bool begun = make_room(batch, data->context, all.most_records) &&
                       begin_records(batch, all.most_records, data->hApiStream);
    pthread_mutex_lock(&all.lock);
    batch->busy = begun;
    launching = begun ? batch : NULL;
    return begun;
}

/* A kernel of a graph is about to be launched; the graph may also be only copied to the device. */
static void begin_node(const Sanitizer_GraphNodeLaunchData *node)
{
    const Sanitizer_LaunchData *data = &node->launchData;
    if (node->nodeType != CU_GRAPH_NODE_TYPE_KERNEL)
        return;
    if (node->isGraphUpload) {
        pass_over(data);
        return;
    }
    struct running now = describe(data);
    ring_count(&all.ring, all.launches);
    now.stream = data->hApiStream;
    const bool wanted = !all.failed && is_wanted(now.kernel, now.number);
    bool recorded = wanted && has_room(now.kernel) && is_patched(data->module) &&
                    (launching || begin_graph(data)) && launching->context == data->context &&
                    launching->launches < MOST_NODES;
    pthread_mutex_unlock(&all.lock);
    /* Also for launches that are not wanted: what is set for one may be taken for another. */
    const bool set = launching && launching->context == data->context && record(data, launching);
    recorded = recorded && set;
    if (recorded)
        find_code(&now, data);
    else if (!set)
        pass_over(data);
    pthread_mutex_lock(&all.lock);
    if (recorded) {
        launching->launch[launching->launches++] = now;
        return;
    }
    note_stream(data->apiContext, data->hApiStream);
    if (wanted)
        put_unrecorded(&now, has_room(now.kernel) ? RECORD_GRAPH : RECORD_LAUNCHES);
}

/* Copies what the launches left on the device; the records, to be freed. NULL: it fails. */
static struct gpu_record *fetch(const struct batch *batch, struct gpu_buffer *head, size_t *count)
{
    char *pinned = NULL;
    const Sanitizer_StreamHandle stream = batch->launch[0].stream;
    size_t room = CHUNK * sizeof(struct gpu_record);
    if (!good(sanitizerAllocHost(batch->context, (void **)&pinned, room), "no pinned memory"))
        return NULL;
    struct gpu_record *record = NULL;
    if (good(sanitizerMemcpyDeviceToHost(pinned, batch->buffer, sizeof *head, stream),
             "a copy from the GPU fails")) {
        memcpy(head, pinned, sizeof *head);
        *count = head->used < head->most ? head->used : head->most;
        record = calloc(*count + 1, sizeof *record);
        if (!record)
            give_up("there is no memory for records", 0);
        for (size_t i = 0; record && i < *count; i += CHUNK) {
            size_t part = *count - i < CHUNK ? *count - i : CHUNK;
            if (!good(sanitizerMemcpyDeviceToHost(pinned, batch->record + i, part * sizeof *record,
                                                  stream),
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

/* How many of so many blocks --blocks chooses. */
static uint64_t chosen_blocks(uint64_t blocks)
{
    uint64_t end = all.last_block < blocks ? all.last_block + 1 : blocks;
    return end > all.first_block ? end - all.first_block : 0;
}

/* Sends one launch, with its records. order: NULL: they were not to be had. */
static void put_recorded(const struct running *launch, uint64_t dropped,
                         const struct gpu_record *record, const uint32_t *order, size_t count)
{
    struct record_launch_end end = {.blocks = blocks_of(launch), .dropped = dropped};
    struct amiss amiss = {0};
    put_launch(launch);
    if (order) {
        launch->kernel->left -= count < launch->kernel->left ? count : launch->kernel->left;
        put_blocks(record, order, count, &end, &amiss);
        if (amiss.count)
            put_amiss(&amiss, launch->number);
        if (!end.dropped) /* those that touch no shared memory have no records */
            end.recorded_blocks = chosen_blocks(end.blocks);
    } else {
        end.status = 719; /* launch failure */
    }
    end.dropped += amiss.count;
    end.reason = end.recorded_blocks == end.blocks ? RECORD_ALL
                 : end.dropped                     ? RECORD_BUDGET
                                                   : RECORD_ASKED;
    put(RECORD_LAUNCH_END, &end, sizeof end);
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
static void collect(struct batch *batch)
{
    struct gpu_buffer *head = calloc(1, sizeof *head);
    struct gpu_record *record = NULL;
    uint32_t *order = NULL;
    size_t count = 0, first = 0;
    pthread_mutex_unlock(&all.lock);
    if (!head)
        give_up("there is no memory for records", 0);
    else if (sanitizerStreamSynchronize(batch->launch[0].stream) == SANITIZER_SUCCESS)
        record = fetch(batch, head, &count);
    if (record) {
        name_launches(batch, record, count);
        order = order_by_block(record, count);
        if (!order)
            give_up("there is no memory to put records in order", 0);
    }
    pthread_mutex_lock(&all.lock);
    for (int i = 0; head && i < batch->launches; i++) {
        const struct running *launch = &batch->launch[i];
        size_t end = first;
        while (order && end < count && record[order[end]].grid == (uint32_t)i)
            end++;
        put_recorded(launch, head->dropped[launch->grid_number % GPU_SLOTS], record,
                     order ? order + first : NULL, end - first);
        first = end;
    }
    free(order);
    free(record);
    free(head);
    batch->busy = false;
}

static void end_launch(const Sanitizer_LaunchData *data)
{
    for (int i = 0; i < MOST_LAUNCHES; i++)
        if (all.single[i].busy && all.single[i].launches &&
            all.single[i].launch[0].handle == data->hLaunch)
            collect(&all.single[i]);
}

/* ---- the library ----------------------------------------------------------------------------- */

static void answer_resource(Sanitizer_CallbackId id, const void *data)
{
    if (id == SANITIZER_CBID_RESOURCE_MODULE_LOADED)
        take_module(data);
    else if (id == SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING)
        drop_module(data);
    else if (id == SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
        drop_context(data);
    else if (id == SANITIZER_CBID_RESOURCE_STREAM_DESTROY_STARTING)
        drop_stream(data);
}

static void answer_driver(const Sanitizer_CallbackData *data)
{
    static __thread int depth; /* calls of the driver's within each other */
    if (data->callbackSite == SANITIZER_API_ENTER) {
        if (depth++)
            return;
        while (all.gate)
            pthread_cond_wait(&all.moved, &all.lock);
        prepare_call(data);
        all.inside++;
        return;
    }
    if (depth && !--depth) {
        struct batch *graph = launching;
        launching = NULL;
        if (graph)
            collect(graph);
        all.inside--;
        pthread_cond_broadcast(&all.moved);
    }
}

static void SANITIZERAPI called(void *context, Sanitizer_CallbackDomain domain,
                                Sanitizer_CallbackId id, const void *data)
{
    static __thread bool inside; /* our own calls may come back here */
    (void)context;
    if (inside)
        return;
    inside = true;
    pthread_mutex_lock(&all.lock);
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
    pthread_mutex_unlock(&all.lock);
    inside = false;
}

static void at_exit(void)
{
    put(RECORD_EXIT, NULL, 0);
}

static void read_environment(void)
{
    const char *kernel = getenv(RECORDS_KERNEL), *launch = getenv(RECORDS_LAUNCH);
    const char *blocks = getenv(RECORDS_BLOCKS), *most = getenv(RECORDS_MOST);
    const char *memory = getenv(RECORDS_MEMORY);
    all.global = memory && strcmp(memory, "shared") != 0;
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
    Sanitizer_SubscriberHandle subscriber;
    if (all.ring.ring || !ring_attach(&all.ring))
        return 1;
    read_environment();
    /* Programs that this one starts are not recorded. */
    unsetenv("CUDA_INJECTION64_PATH");
    struct record_start start = {.version = RECORDS_VERSION};
    put(RECORD_START, &start, sizeof start);
    atexit(at_exit);
    if (good(sanitizerSubscribe(&subscriber, called, NULL), "the program cannot be watched")) {
        sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_DRIVER_API);
        sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_RESOURCE);
        sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_LAUNCH);
        sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_GRAPHS);
    }
    return 1;
}
