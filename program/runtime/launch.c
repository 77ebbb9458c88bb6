/* launch.c - kernels are launched: the compilers' protocol, what may be launched, and what is heard of it
 * while it runs.
 *
 *     scale<<<4, 32>>>(x, 2)   becomes   __cudaPushCallConfiguration(4, 32, 0, NULL)    here: the launch's line
 *                                        scale(x, 2), in which the compiler put
 *                                            __cudaPopCallConfiguration(&grid, &block, &shared, &stream)
 *                                            cudaLaunchKernel(scale, grid, block, {&x, &two}, shared, stream)
 */
#define _GNU_SOURCE
#include "program/runtime/runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { NESTED = 8 /* launches in arguments of launches, at most */, PRINT_MOST = 64 << 20 };

/* How many blocks a grid has, or threads a block. */
static uint64_t volume(dim3 block)
{
    return (uint64_t)block.x * block.y * block.z;
}

/* ---- what kernels print -------------------------------------------------------------------------- */

/* Kept until the launch has ended, and then written by the thread that launched: the program's own output
 * before it comes first, and nothing is lost if the program ends without flushing. */
struct printed {
    pthread_mutex_t lock;
    char *text;
    size_t length, room, lost;
};

static void print(struct printed *printed, const char *text, size_t length)
{
    pthread_mutex_lock(&printed->lock);
    if (length > PRINT_MOST - printed->length ||
        !runtime_grow(&printed->text, &printed->room, printed->length + length, 1)) {
        printed->lost += length;
    } else {
        memcpy(printed->text + printed->length, text, length);
        printed->length += length;
    }
    pthread_mutex_unlock(&printed->lock);
}

static void print_all(struct printed *printed)
{
    if (printed->length) {
        fwrite(printed->text, 1, printed->length, stdout);
        fflush(stdout);
    }
    if (printed->lost)
        fprintf(stderr, "bankscope: a kernel printed more than %d MB; %zu bytes were left out\n",
                PRINT_MOST >> 20, printed->lost);
    runtime_delete(printed->text);
}

/* ---- what is heard of a launch -------------------------------------------------------------------- */

struct heard {
    struct runtime_kernel *kernel;
    struct runtime_report report;
    struct runtime_keep *keep;
    struct printed printed;
    uint64_t blocks, blocks_seen; /* done; at the last look */
    double seconds;               /* of the processor, at the last look that saw a block's end */
    bool endless;
    bool reported;                 /* of the fault that ended it */
    bool faulty;                   /* a fault was told of */
    struct runtime_repeat *repeat; /* NULL: it is executed in any case */
    /* What is counted while it runs is written down now and then, by one thread. */
    struct machine_run *run;
    struct machine_count *count;
    uint64_t caller; /* where the program launches it */
    double written;  /* when; 0: never */
    pthread_mutex_t writing;
};

static double busy_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* CUB's merge loads a word past the end of its tile, and does not use it. */
static bool is_library_load(const struct heard *heard, const struct machine_fault *fault)
{
    struct machine_site site;
    const struct runtime_module *module = heard->kernel->module;
    if (fault->kind != MACHINE_FAULT_UNWRITTEN || fault->site < 0 || !module)
        return false;
    machine_module_site(module->module, fault->site, &site);
    return strstr(site.file, "/cub/");
}

static bool has_line(const struct runtime_kernel *kernel, int number)
{
    struct machine_site site = {.line = 0};
    if (number >= 0 && kernel->module)
        machine_module_site(kernel->module->module, number, &site);
    return site.line > 0;
}

static void hear_fault(void *context, const struct machine_fault *fault)
{
    struct heard *heard = context;
    struct machine_fault endless = *fault;
    uint32_t kind = (uint32_t)fault->kind;
    if (is_library_load(heard, fault))
        return;
    heard->faulty = true;
    if (machine_fault_ends(fault->kind))
        heard->reported = true;
    if (heard->endless && fault->kind == MACHINE_FAULT_LIMIT) { /* where it was stopped */
        kind = RECORDS_ENDLESS;
        snprintf(endless.text, sizeof endless.text,
                 "no block has ended for %llu seconds of the processor; the kernel was stopped "
                 "(--seconds N waits longer)",
                 (unsigned long long)runtime_choice()->seconds);
    }
    if (fault->kind == MACHINE_FAULT_TRAP && !has_line(heard->kernel, fault->site)) {
        runtime_called_from(heard->caller);
        endless.site = -1;
        snprintf(
            endless.text, sizeof endless.text,
            "the kernel %s trapped: its compiler puts a trap in place of code whose behaviour is "
            "undefined, such as a store to a __constant__ variable",
            heard->kernel->name);
    }
    runtime_report_fault(heard->kernel, heard->report.number, kind, &endless);
}

static void hear_print(void *context, const char *text, size_t length)
{
    print(&((struct heard *)context)->printed, text, length);
}

static bool hear_wants(void *context, uint64_t block)
{
    return runtime_keep_wants(((struct heard *)context)->keep, block);
}

static void hear_access(void *context, const struct machine_access *access)
{
    runtime_keep_access(((struct heard *)context)->keep, access);
}

static bool hear_follows(void *context, uint64_t block, uint32_t warp)
{
    return runtime_keep_follows(((struct heard *)context)->keep, block, warp);
}

static void hear_executed(void *context, const struct machine_executed *executed)
{
    struct heard *heard = context;
    runtime_keep_executed(heard->keep, executed,
                          runtime_report_site(heard->kernel, executed->site));
}

static void hear_stage(void *context, uint64_t block, uint32_t warp, const char *name,
                       size_t length)
{
    runtime_keep_stage(((struct heard *)context)->keep, block, warp, name, length);
}

static void hear_round(void *context, uint64_t block, uint32_t warp, int64_t round)
{
    struct heard *heard = context;
    if (round >= 0 && round < MAX_ROUNDS)
        runtime_keep_round(heard->keep, block, warp, round);
    else
        runtime_report_line(RECORDS_ARGUMENT, heard->kernel,
                            "BANKSCOPE_ROUND: %lld is not a round from 0 to %d", (long long)round,
                            MAX_ROUNDS - 1);
}

static void hear_block_end(void *context, uint64_t block)
{
    struct heard *heard = context;
    __atomic_fetch_add(&heard->blocks, 1, __ATOMIC_RELAXED);
    if (heard->report.live)
        __atomic_fetch_add(&heard->report.live->blocks_done, 1, __ATOMIC_RELAXED);
    if (heard->keep)
        runtime_keep_block_end(heard->keep, block);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A process may be killed at any time: its counts are at most so old then. */
static void write_counts(struct heard *heard)
{
    static const double every = 0.2; /* seconds */
    struct machine_outcome outcome;
    if (!heard->count || pthread_mutex_trylock(&heard->writing))
        return;
    const double now = seconds_now();
    if (!heard->written)
        heard->written = now; /* what is short needs no writing before its end */
    if (now - heard->written > every) {
        machine_so_far(heard->run, heard->count, &outcome);
        runtime_report_progress(&heard->report, &outcome);
        heard->written = seconds_now();
    }
    pthread_mutex_unlock(&heard->writing);
}

/* Time of the processor, so that other programs do not make a launch seem endless. */
static bool hear_stop(void *context)
{
    struct heard *heard = context;
    uint64_t most = runtime_choice()->seconds;
    write_counts(heard);
    uint64_t blocks = __atomic_load_n(&heard->blocks, __ATOMIC_RELAXED);
    if (heard->endless)
        return true;
    if (!most)
        return false;
    double now = busy_seconds();
    if (blocks != heard->blocks_seen || heard->seconds == 0) {
        heard->blocks_seen = blocks;
        heard->seconds = now;
    }
    heard->endless = now - heard->seconds > (double)most;
    return heard->endless;
}

static struct machine_observer observer_of(struct heard *heard)
{
    struct machine_observer observer = {.context = heard,
                                        .fault = hear_fault,
                                        .print = hear_print,
                                        .block_end = hear_block_end,
                                        .stop = hear_stop};
    if (heard->keep && runtime_choice()->follow) {
        observer.follows = hear_follows;
        observer.executed = hear_executed;
    }
    if (heard->keep && runtime_choice()->accesses) {
        observer.wants = hear_wants;
        observer.access = hear_access;
        observer.stage = hear_stage;
        observer.round = hear_round;
    }
    return observer;
}

/* ---- a launch --------------------------------------------------------------------------------------- */

/* CUDA's error for what ended a launch. */
static cudaError_t error_of(enum machine_fault_kind kind)
{
    static const cudaError_t errors[MACHINE_FAULT_KINDS] = {
        [MACHINE_FAULT_ADDRESS] = cudaErrorIllegalAddress,
        [MACHINE_FAULT_ALIGNMENT] = cudaErrorMisalignedAddress,
        [MACHINE_FAULT_INSTRUCTION] = cudaErrorIllegalInstruction,
        [MACHINE_FAULT_TRAP] = cudaErrorLaunchFailure,
        [MACHINE_FAULT_ASSERT] = cudaErrorAssert,
        [MACHINE_FAULT_BARRIER] = cudaErrorLaunchTimeout,
        [MACHINE_FAULT_STACK] = cudaErrorIllegalAddress,
        [MACHINE_FAULT_MEMORY] = cudaErrorMemoryAllocation,
        [MACHINE_FAULT_LIMIT] = cudaErrorLaunchTimeout,
    };
    return kind < MACHINE_FAULT_KINDS && errors[kind] ? errors[kind] : cudaErrorLaunchFailure;
}

static cudaError_t finish_launch(struct heard *heard, struct machine_run *run)
{
    struct machine_outcome outcome;
    const bool whole =
        runtime_order_launch(heard->kernel, run, runtime_repeat_footprint(heard->repeat));
    machine_end(run, &outcome);
    outcome.partly_checked |= !whole;
    cudaError_t error = outcome.good ? cudaSuccess : error_of(outcome.fault.kind);
    if (!outcome.good && !heard->reported)
        hear_fault(heard, &outcome.fault);
    const bool plain =
        outcome.good && !heard->faulty && !heard->printed.length && !heard->printed.lost;
    runtime_repeat_end(heard->repeat, plain ? &outcome : NULL);
    runtime_keep_end(heard->keep, &heard->report);
    runtime_report_end(&heard->report, &outcome, outcome.good ? RECORDS_GOOD : RECORDS_FAILED,
                       error);
    runtime_delete(heard->count);
    machine_free_run(run);
    if (error != cudaSuccess)
        runtime_begin()->sticky = error;
    return error;
}

static struct machine_launch describe(const struct runtime_launch *launch)
{
    const struct records_choice *choice = runtime_choice();
    return (struct machine_launch){
        .kernel = launch->kernel->kernel,
        .grid = {launch->grid.x, launch->grid.y, launch->grid.z},
        .block = {launch->block.x, launch->block.y, launch->block.z},
        .cluster = {launch->cluster.x, launch->cluster.x ? launch->cluster.y : 0,
                    launch->cluster.x ? launch->cluster.z : 0},
        .dynamic_shared = (uint32_t)launch->shared,
        .parameters = launch->parameters,
        .warp = (int)choice->warp,
        .banks = (int)choice->banks,
        .bank_bytes = (int)choice->bank_bytes,
        .cooperative = launch->cooperative,
        .global = choice->global,
        .values = choice->values,
        .first_counted = choice->first_block,
        .counted_blocks = choice->last_block - choice->first_block + 1, /* 0: every one */
        .checks_off = choice->checks_off,
        .instruction_limit = choice->instructions,
        .heap_bytes = runtime_heap_bytes(),
        .stack_bytes = runtime_stack_bytes(),
        .shadow_bytes = choice->shadow_bytes,
        .order_seed = choice->seed,
        .multiprocessors = (uint32_t)runtime_gpu()->multiprocessors,
        .textures = runtime_begin()->textures,
    };
}

/* A launch that does what one before it did. */
static cudaError_t repeat_outcome(struct heard *heard, const struct machine_outcome *known)
{
    struct machine_outcome outcome = *known;
    if (!runtime_order_launch(heard->kernel, NULL, runtime_repeat_footprint(heard->repeat)))
        outcome.partly_checked = true;
    if (heard->report.live) {
        heard->report.live->blocks_done += outcome.blocks;
        heard->report.live->repeated++;
    }
    runtime_report_end(&heard->report, &outcome, RECORDS_GOOD, cudaSuccess);
    return cudaSuccess;
}

static cudaError_t run_locked(const struct runtime_launch *launch, struct heard *heard)
{
    struct error error = {""};
    if (!launch->kernel->kernel)
        return cudaErrorInvalidResourceHandle; /* of before cudaDeviceReset */
    struct machine_launch machine = describe(launch);
    runtime_report_begin(&heard->report, launch->kernel, &machine);
    machine.count = heard->report.counted && runtime_choice()->count;
    machine.check = heard->report.counted && runtime_choice()->check;
    heard->keep = runtime_keep_new(&heard->report);
    if (!heard->keep)
        heard->repeat = runtime_repeat_begin(launch->kernel, &machine, heard->report.counted);
    const struct machine_outcome *known = runtime_repeat_outcome(heard->repeat);
    if (known)
        return repeat_outcome(heard, known);
    struct machine_observer observer = observer_of(heard);
    machine.observer = &observer;
    runtime_repeat_executes();
    struct machine_run *run = machine_begin(&machine, &error);
    if (run) {
        heard->run = run;
        if (heard->report.live && machine.count)
            heard->count = runtime_new(
                (size_t)machine_kernel_accesses(launch->kernel->kernel) * sizeof *heard->count + 1);
        runtime_run(run, volume(launch->grid));
        return finish_launch(heard, run);
    }
    runtime_report_line(RECORDS_CODE, launch->kernel, "the kernel %s cannot be launched: %s",
                        launch->kernel->name, error.text);
    runtime_keep_end(heard->keep, &heard->report);
    runtime_report_end(&heard->report, NULL, RECORDS_REFUSED, cudaErrorInvalidKernelImage);
    return cudaErrorInvalidKernelImage;
}

cudaError_t runtime_do_launch(const struct runtime_launch *launch)
{
    struct heard heard = {.kernel = launch->kernel, .caller = launch->caller};
    pthread_mutex_init(&heard.printed.lock, NULL);
    pthread_mutex_init(&heard.writing, NULL);
    runtime_lock();
    uint64_t caller = runtime_caller();
    runtime_called_from(launch->caller);
    cudaError_t error = run_locked(launch, &heard);
    runtime_called_from(caller);
    runtime_unlock();
    print_all(&heard.printed);
    return runtime_remember(error);
}

/* ---- what may be launched --------------------------------------------------------------------------- */

/* All blocks of a cooperative launch must be resident at a time. */
static bool fits(const struct runtime_launch *launch)
{
    uint64_t blocks = volume(launch->grid);
    int each = runtime_resident((int)volume(launch->block),
                                launch->shared + launch->kernel->facts.static_shared);
    return blocks <= (uint64_t)each * (uint64_t)runtime_gpu()->multiprocessors;
}

/* Whether the grid is made of whole clusters, of a size that a GPU has. */
static cudaError_t check_cluster(const struct runtime_launch *launch)
{
    enum { PORTABLE = 8 };
    const uint32_t *required = launch->kernel->facts.cluster;
    const dim3 asked = launch->cluster, grid = launch->grid;
    if (asked.x && required[0] &&
        (asked.x != required[0] || asked.y != required[1] || asked.z != required[2]))
        return cudaErrorInvalidClusterSize;
    const uint32_t x = asked.x ? asked.x : required[0], y = asked.x ? asked.y : required[1];
    const uint32_t z = asked.x ? asked.z : required[2];
    if (!x)
        return cudaSuccess;
    const int most = launch->kernel->wide_clusters ? MACHINE_CLUSTER : PORTABLE;
    if (!y || !z || (uint64_t)x * y * z > (uint64_t)most || grid.x % x || grid.y % y || grid.z % z)
        return cudaErrorInvalidClusterSize;
    return cudaSuccess;
}

cudaError_t runtime_check_launch(const struct runtime_launch *launch)
{
    const struct machine_kernel_facts *facts = &launch->kernel->facts;
    dim3 grid = launch->grid, block = launch->block;
    uint64_t threads = volume(block);
    if (!grid.x || !grid.y || !grid.z || !threads || block.x > MACHINE_THREADS ||
        block.y > MACHINE_THREADS || block.z > 64 || threads > MACHINE_THREADS ||
        grid.x > INT32_MAX || grid.y > UINT16_MAX || grid.z > UINT16_MAX)
        return cudaErrorInvalidConfiguration;
    if (facts->required[0] && (block.x != facts->required[0] || block.y != facts->required[1] ||
                               block.z != facts->required[2]))
        return cudaErrorInvalidValue;
    if (facts->most_threads && threads > facts->most_threads)
        return cudaErrorLaunchOutOfResources;
    if (launch->shared > (size_t)launch->kernel->dynamic_most ||
        launch->shared + facts->static_shared > (size_t)runtime_gpu()->shared_block)
        return cudaErrorInvalidValue;
    const cudaError_t cluster = check_cluster(launch);
    if (cluster != cudaSuccess)
        return cluster;
    return launch->cooperative && !fits(launch) ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

void *runtime_pack(const struct runtime_kernel *kernel, void **arguments)
{
    unsigned char *buffer = runtime_new(kernel->facts.parameter_bytes + 8);
    if (!arguments && kernel->facts.parameters) {
        runtime_delete(buffer);
        return NULL;
    }
    for (int i = 0; buffer && i < kernel->facts.parameters; i++) {
        const struct machine_parameter *parameter = &kernel->facts.parameter[i];
        if (!arguments[i]) {
            runtime_delete(buffer);
            return NULL;
        }
        memcpy(buffer + parameter->offset, arguments[i], parameter->size);
    }
    return buffer;
}

/* ---- the compilers' protocol ------------------------------------------------------------------------- */

struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    uint64_t caller;
};
static _Thread_local struct {
    struct configuration waiting[NESTED];
    int count;
    uint64_t caller; /* of the configuration that was taken last; 0: it was used */
} calls;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       cudaStream_t *stream);
cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    if (calls.count == NESTED) /* the oldest belong to calls of host functions, which take none */
        memmove(calls.waiting, calls.waiting + 1, (size_t)--calls.count * sizeof *calls.waiting);
    calls.waiting[calls.count++] = (struct configuration){
        grid, block, shared, stream, runtime_place(__builtin_return_address(0))};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       cudaStream_t *stream)
{
    if (!calls.count)
        return runtime_remember(cudaErrorMissingConfiguration);
    struct configuration *last = &calls.waiting[--calls.count];
    *grid = last->grid;
    *block = last->block;
    *shared = last->shared;
    *stream = last->stream;
    calls.caller = last->caller;
    return cudaSuccess;
}

/* Where the launch stands in the program: at <<<>>>, or where a function of the API was called. */
static uint64_t launch_caller(bool *marked)
{
    uint64_t caller = calls.caller;
    calls.caller = 0;
    *marked = caller;
    return caller ? caller : runtime_caller();
}

/* A launch that returns before it is done, as far as the program knows. */
static cudaError_t launch_watched(const struct runtime_launch *launch)
{
    char what[200];
    struct runtime_early *early = runtime_early_begin();
    const cudaError_t error = runtime_do_launch(launch);
    snprintf(what, sizeof what, "kernel %s", launch->kernel->name);
    runtime_early_end(early, what);
    return error;
}

static cudaError_t start(struct runtime_launch *launch, void **arguments, cudaStream_t stream)
{
    cudaError_t error = runtime_check_launch(launch);
    if (error != cudaSuccess)
        return runtime_remember(error);
    void *parameters = runtime_pack(launch->kernel, arguments);
    REQUIRE(parameters);
    launch->parameters = parameters;
    struct runtime_work work = {cudaGraphNodeTypeKernel, .launch = *launch};
    if (!runtime_captures(stream, &work, &error))
        error = launch_watched(launch);
    runtime_delete(parameters);
    return error;
}

static cudaError_t launch(const void *function, dim3 grid, dim3 block, void **arguments,
                          size_t shared, cudaStream_t stream, bool cooperative, dim3 cluster)
{
    bool marked;
    cudaError_t error;
    struct runtime_launch what = {.grid = grid,
                                  .block = block,
                                  .shared = shared,
                                  .cooperative = cooperative,
                                  .cluster = cluster,
                                  .caller = launch_caller(&marked)};
    what.kernel = runtime_kernel(function, &error);
    error = what.kernel ? start(&what, arguments, stream) : runtime_remember(error);
    if (marked && error != cudaSuccess && runtime_begin()->sticky == cudaSuccess)
        runtime_unseen(what.kernel, what.caller, error);
    return error;
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream)
{
    RETURN_STICKY();
    return launch(kernel, grid, block, arguments, shared, stream, false, (dim3){0, 0, 0});
}

/* nvcc's, of a handle that __cudaGetKernel gave. */
cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream)
{
    RETURN_STICKY();
    return launch(kernel, grid, block, arguments, shared, stream, false, (dim3){0, 0, 0});
}

cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream)
{
    RETURN_STICKY();
    return launch(kernel, grid, block, arguments, shared, stream, true, (dim3){0, 0, 0});
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
                                void **arguments)
{
    RETURN_STICKY();
    REQUIRE(config && (config->attrs || !config->numAttrs));
    bool cooperative = false;
    dim3 cluster = {0, 0, 0};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *attribute = &config->attrs[i];
        if (attribute->id == cudaLaunchAttributeCooperative)
            cooperative = attribute->val.cooperative;
        if (attribute->id == cudaLaunchAttributeClusterDimension)
            cluster = (dim3){attribute->val.clusterDim.x, attribute->val.clusterDim.y,
                             attribute->val.clusterDim.z};
    }
    return launch(kernel, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                  config->stream, cooperative, cluster);
}
