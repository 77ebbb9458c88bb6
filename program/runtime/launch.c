/* launch.c - kernels are launched: the compilers' protocol, and what may be launched.
 *
 *     scale<<<4, 32>>>(x, 2)   becomes   __cudaPushCallConfiguration(4, 32, 0, NULL)    here: the launch's line
 *                                        scale(x, 2), in which the compiler put
 *                                            __cudaPopCallConfiguration(&grid, &block, &shared, &stream)
 *                                            cudaLaunchKernel(scale, grid, block, {&x, &two}, shared, stream)
 */
#define _GNU_SOURCE
#include "program/runtime/heard.h"

#include <stdio.h>
#include <string.h>

enum { NESTED = 8 /* launches in arguments of launches, at most */ };

/* How many blocks a grid has, or threads a block. */
static uint64_t volume(dim3 block)
{
    return (uint64_t)block.x * block.y * block.z;
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
    const bool seen = children_see(heard, run);
    machine_end(run, &outcome);
    outcome.partly_checked |= !whole || !seen;
    cudaError_t error = outcome.good ? cudaSuccess : error_of(outcome.fault.kind);
    if (!outcome.good && !heard->reported)
        heard_fault(heard, &outcome.fault);
    const bool plain = outcome.good && !heard->faulty && !heard->printed->length &&
                       !heard->printed->lost && !heard->children;
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

cudaError_t launch_run(const struct runtime_launch *launch, struct heard *heard)
{
    struct error error = {""};
    if (!launch->kernel->kernel)
        return cudaErrorInvalidResourceHandle; /* of before cudaDeviceReset */
    if (launch->kernel->facts.launches && !(heard->children = children_new()))
        return cudaErrorMemoryAllocation;
    struct machine_launch machine = describe(launch);
    machine.children = heard->children;
    runtime_report_begin(&heard->report, launch->kernel, &machine);
    runtime_report_parent(&heard->report, heard->parent, heard->site);
    machine.count = heard->report.counted && runtime_choice()->count;
    machine.check = heard->report.counted && runtime_choice()->check;
    heard->keep = runtime_keep_new(&heard->report);
    if (!heard->keep && !heard->parent && !heard->children)
        heard->repeat = runtime_repeat_begin(launch->kernel, &machine, heard->report.counted);
    const struct machine_outcome *known = runtime_repeat_outcome(heard->repeat);
    if (known)
        return repeat_outcome(heard, known);
    struct machine_observer observer = heard_observer(heard);
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
    struct heard_printed printed = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct heard heard = {.kernel = launch->kernel,
                          .caller = launch->caller,
                          .site = -1,
                          .printed = &printed,
                          .writing = PTHREAD_MUTEX_INITIALIZER};
    runtime_lock();
    uint64_t caller = runtime_caller();
    runtime_called_from(launch->caller);
    cudaError_t error = launch_run(launch, &heard);
    if (error == cudaSuccess && heard.children) {
        error = children_run(&heard, launch);
    } else {
        machine_children_free(heard.children);
        children_forget(heard.seen);
    }
    runtime_called_from(caller);
    runtime_unlock();
    heard_print_all(&printed);
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
