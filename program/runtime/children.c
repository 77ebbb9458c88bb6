/* children.c - kernels that launch kernels: what the device's runtime asks of ours (machine/children.h), and the launches,
 * copies and sets that a kernel has asked for, which are done when its launch has ended.
 *
 *     parent<<<1, 64>>>()      launch 0: asks for child A, child B
 *     child A                  launch 1: asks for C
 *     C                        launch 2
 *     child B                  launch 3
 *
 * A child is over when its own children are, and only then comes the next one: an order that every stream of a GPU allows.
 */
#include "program/runtime/children.h"

#include <stdio.h>
#include <string.h>

/* That one launch of the host's may lead to: kernels that launch each other for ever are stopped. */
#define MOST_LAUNCHES (UINT64_C(1) << 18)

/* ---- answers ------------------------------------------------------------------------------------- */

/* These run while the launch does, whose thread holds the lock for all of its threads. */
static struct runtime_launch launch_of(const struct machine_child *child)
{
    return (struct runtime_launch){
        .kernel = runtime_kernel_of(child->kernel),
        .grid = {child->grid[0], child->grid[1], child->grid[2]},
        .block = {child->block[0], child->block[1], child->block[2]},
        .shared = child->dynamic_shared,
        .parameters = child->parameters,
    };
}

/* Windows of shared and local memory lie above all addresses of the device's. */
static bool is_global(uint64_t address)
{
    return address >> 48 == 0;
}

static int check(void *context, const struct machine_child *child)
{
    (void)context;
    if (child->kind == MACHINE_CHILD_LAUNCH) {
        const struct runtime_launch launch = launch_of(child);
        if (!launch.kernel)
            return cudaErrorInvalidDeviceFunction;
        return runtime_check_launch(&launch) == cudaSuccess ? cudaSuccess
                                                            : cudaErrorInvalidConfiguration;
    }
    if (child->kind == MACHINE_CHILD_COPY && child->value != cudaMemcpyDeviceToDevice &&
        child->value != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    return is_global(child->to.at) && is_global(child->from.at) ? cudaSuccess
                                                                : cudaErrorInvalidValue;
}

static int ask(void *context, enum machine_question question, const uint64_t *in, void *out,
               size_t *bytes)
{
    const uint64_t caller = runtime_caller(); /* the functions of the host set it */
    struct cudaFuncAttributes attributes;
    struct runtime_kernel *kernel;
    cudaError_t error = cudaSuccess;
    (void)context;
    switch (question) {
    case MACHINE_ASK_ATTRIBUTE:
        *bytes = sizeof(int);
        if (in[1])
            return cudaErrorInvalidDevice;
        if (!in[0] || in[0] > cudaDevAttrOnlyPartialHostNativeAtomicSupported)
            return cudaErrorInvalidValue;
        error = cudaDeviceGetAttribute(out, (enum cudaDeviceAttr)in[0], 0);
        break;
    case MACHINE_ASK_LIMIT:
        *bytes = sizeof(size_t);
        if (in[0] == cudaLimitDevRuntimeSyncDepth || in[0] > cudaLimitPersistingL2CacheSize)
            return cudaErrorUnsupportedLimit;
        error = cudaDeviceGetLimit(out, (enum cudaLimit)in[0]);
        break;
    case MACHINE_ASK_FUNCTION:
        *bytes = sizeof attributes;
        kernel = runtime_kernel_of((struct machine_kernel *)(uintptr_t)in[0]);
        if (kernel)
            runtime_function_attributes(kernel, &attributes);
        memcpy(out, &attributes, kernel ? sizeof attributes : 0);
        error = kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
        break;
    case MACHINE_ASK_OCCUPANCY: {
        kernel = runtime_kernel_of((struct machine_kernel *)(uintptr_t)in[0]);
        const bool good = kernel && (int)in[1] > 0;
        const int blocks = good ? runtime_occupancy(kernel, (int)in[1], in[2]) : 0;
        *bytes = sizeof blocks;
        memcpy(out, &blocks, sizeof blocks);
        error = good ? cudaSuccess : cudaErrorInvalidValue;
        break;
    }
    }
    runtime_called_from(caller);
    return error;
}

static const char *text(void *context, int error, bool name)
{
    (void)context;
    return name ? cudaGetErrorName(error) : cudaGetErrorString(error);
}

static uint64_t pending(void *context)
{
    (void)context;
    return runtime_pending_launches();
}

struct machine_children *children_new(void)
{
    static struct machine_system *system;
    const struct machine_answers answers = {
        .check = check, .ask = ask, .text = text, .pending = pending};
    if (!system)
        system = machine_system_new(runtime_begin()->memory, &answers);
    return system ? machine_children_new(system) : NULL;
}

/* ---- what was asked for -------------------------------------------------------------------------- */

struct descent {
    const struct heard *top;
    struct children_level *level;
    uint64_t launches;
};

/* A child cannot be done: the device is lost, as by a fault of a kernel. */
static cudaError_t lose(const struct children_level *level, const struct machine_child *child,
                        enum machine_fault_kind kind, cudaError_t error, const char *text)
{
    struct machine_fault fault = {.kind = kind, .site = child->site, .other_site = -1, .count = 1};
    snprintf(fault.text, sizeof fault.text, "%s", text);
    memcpy(fault.block, child->parent_block, sizeof fault.block);
    memcpy(fault.thread, child->parent_thread, sizeof fault.thread);
    runtime_report_fault(level->kernel, level->number, (uint32_t)kind, &fault);
    runtime_begin()->sticky = error;
    return error;
}

/* Where the bytes are; NULL: not in memory of the device's. */
static unsigned char *bytes_at(uint64_t address, uint64_t bytes)
{
    const struct machine_range *range = machine_memory_find(runtime_begin()->memory, address);
    const bool good = range && !range->freed && bytes <= range->bytes &&
                      address - range->address <= range->bytes - bytes;
    return good ? range->host + (address - range->address) : NULL;
}

static cudaError_t do_box(struct children_level *level, const struct machine_child *child)
{
    struct runtime_footprint touched = {.partial = false};
    const bool copies = child->kind == MACHINE_CHILD_COPY;
    for (uint64_t z = 0; z < child->depth && child->width; z++)
        for (uint64_t y = 0; y < child->height; y++) {
            const uint64_t at = child->to.at + z * child->to.slice + y * child->to.pitch;
            const uint64_t source = child->from.at + z * child->from.slice + y * child->from.pitch;
            unsigned char *to = bytes_at(at, child->width);
            const unsigned char *from = copies ? bytes_at(source, child->width) : to;
            if (!to || !from) {
                char line[300];
                snprintf(line, sizeof line,
                         "%s: %llu bytes %s 0x%llx are outside of the device's memory", child->name,
                         (unsigned long long)child->width, to ? "from" : "to",
                         (unsigned long long)(to ? source : at));
                footprint_clear(&touched);
                return lose(level, child, MACHINE_FAULT_ADDRESS, cudaErrorIllegalAddress, line);
            }
            if (copies)
                memmove(to, from, child->width);
            else
                memset(to, child->value, child->width);
            machine_memory_written(runtime_begin()->memory, at, child->width);
            footprint_add(&touched, MACHINE_TOUCH_STORED, at, child->width);
            if (copies)
                footprint_add(&touched, MACHINE_TOUCH_READ, source, child->width);
        }
    if (level->seen)
        children_touched(level, child->name, &touched);
    footprint_clear(&touched);
    return cudaSuccess;
}

static cudaError_t enter_level(struct descent *descent, struct heard *heard,
                               const struct runtime_launch *launch)
{
    struct children_level *level = runtime_new(sizeof *level);
    if (!level) {
        machine_children_free(heard->children);
        children_forget(heard->seen);
        return cudaErrorMemoryAllocation;
    }
    *level = (struct children_level){.children = heard->children,
                                     .kernel = heard->kernel,
                                     .number = heard->report.number,
                                     .grid = {launch->grid.x, launch->grid.y, launch->grid.z},
                                     .block = {launch->block.x, launch->block.y, launch->block.z},
                                     .seen = heard->seen,
                                     .above = descent->level};
    descent->level = level;
    return cudaSuccess;
}

static void leave_level(struct descent *descent)
{
    struct children_level *level = descent->level;
    descent->level = level->above;
    children_hand_up(level);
    machine_children_free(level->children);
    runtime_delete(level);
}

/* Whether nothing is held against the level's last child, which runs: a loop of launches goes no deeper. */
static bool is_needless(const struct children_level *level)
{
    uint64_t next = level->next;
    bool needed =
        machine_children_next(level->children, &next) || (level->seen && level->seen->late_count);
    for (size_t i = 0; i < level->dones && !level->now->tail; i++)
        needed |= level->done[i].child != level->now;
    return !needed;
}

static cudaError_t do_launch(struct descent *descent, const struct machine_child *child)
{
    struct children_level *level = descent->level;
    const struct heard *top = descent->top;
    char line[300];
    const struct runtime_launch launch = launch_of(child);
    if (++descent->launches > MOST_LAUNCHES) {
        snprintf(line, sizeof line,
                 "kernels have launched %llu kernels behind one launch of the host's, and go on: "
                 "they were stopped",
                 (unsigned long long)MOST_LAUNCHES);
        return lose(level, child, MACHINE_FAULT_LIMIT, cudaErrorLaunchTimeout, line);
    }
    if (!launch.kernel)
        return cudaErrorInvalidDeviceFunction;
    runtime_order_child();
    struct heard heard = {.kernel = launch.kernel,
                          .caller = top->caller,
                          .parent = level->kernel,
                          .site = child->site,
                          .printed = top->printed,
                          .writing = PTHREAD_MUTEX_INITIALIZER};
    const cudaError_t error = launch_run(&launch, &heard);
    if (heard.seen)
        children_touched(level, heard.kernel->name, &heard.seen->touched);
    if (error == cudaSuccess && heard.children) {
        if (is_needless(level))
            leave_level(descent);
        return enter_level(descent, &heard, &launch);
    }
    machine_children_free(heard.children);
    children_forget(heard.seen);
    return error;
}

cudaError_t children_run(struct heard *heard, const struct runtime_launch *launch)
{
    struct descent descent = {.top = heard};
    cudaError_t error = enter_level(&descent, heard, launch);
    while (descent.level) {
        struct children_level *level = descent.level;
        const struct machine_child *child =
            error == cudaSuccess ? machine_children_next(level->children, &level->next) : NULL;
        level->now = child ? child : level->now;
        if (!child)
            leave_level(&descent);
        else if (child->kind == MACHINE_CHILD_LAUNCH)
            error = do_launch(&descent, child);
        else
            error = do_box(level, child);
    }
    return error;
}
