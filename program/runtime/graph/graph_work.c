/* graph_work.c - what a node of a graph does. */
#include "program/runtime/graph/graph.h"
#include "program/runtime/stream.h"

#include <string.h>

/* The launch gets parameters of its own. */
static cudaError_t own_parameters(struct runtime_launch *launch)
{
    size_t bytes = launch->kernel->facts.parameter_bytes;
    void *copy = runtime_new(bytes + 8);
    if (!copy)
        return cudaErrorMemoryAllocation;
    launch->parameters = memcpy(copy, launch->parameters, bytes);
    return cudaSuccess;
}

cudaError_t graph_own_work(struct runtime_work *work)
{
    if (work->type == cudaGraphNodeTypeKernel)
        return own_parameters(&work->launch);
    if (work->type == cudaGraphNodeTypeGraph)
        return cudaGraphClone(&work->graph, work->graph);
    return cudaSuccess;
}

void graph_free_work(struct runtime_work *work)
{
    if (work->type == cudaGraphNodeTypeKernel)
        runtime_delete((void *)(uintptr_t)work->launch.parameters);
    else if (work->type == cudaGraphNodeTypeGraph)
        cudaGraphDestroy(work->graph);
    work->type = cudaGraphNodeTypeEmpty;
}

cudaError_t graph_describe_kernel(const struct cudaKernelNodeParams *what,
                                  struct runtime_work *work)
{
    cudaError_t error;
    RETURN_STICKY();
    REQUIRE(what && what->func);
    if (what->extra)
        return runtime_missing("cudaKernelNodeParams.extra", "pass the arguments in kernelParams");
    *work =
        (struct runtime_work){cudaGraphNodeTypeKernel, .launch = {.grid = what->gridDim,
                                                                  .block = what->blockDim,
                                                                  .shared = what->sharedMemBytes,
                                                                  .caller = runtime_caller()}};
    work->launch.kernel = runtime_kernel(what->func, &error);
    if (work->launch.kernel)
        error = runtime_check_launch(&work->launch);
    if (error != cudaSuccess)
        return runtime_remember(error);
    work->launch.parameters = runtime_pack(work->launch.kernel, what->kernelParams);
    REQUIRE(work->launch.parameters);
    return cudaSuccess;
}

void graph_forget_kernel(const struct runtime_work *work)
{
    runtime_delete((void *)(uintptr_t)work->launch.parameters);
}

/* clock: what the node is done behind, and then, what comes behind it. */
static cudaError_t do_work(const struct runtime_work *work, struct runtime_clock *clock)
{
    runtime_order_node(clock);
    switch (work->type) {
    case cudaGraphNodeTypeKernel:
        return runtime_do_launch(&work->launch);
    case cudaGraphNodeTypeMemcpy:
        return runtime_copy("a copy of a graph", &work->copy);
    case cudaGraphNodeTypeMemset:
        return runtime_set("a set of a graph", &work->set);
    case cudaGraphNodeTypeHost:
        runtime_order_waits();
        runtime_early_callback(true);
        work->host.fn(work->host.userData);
        runtime_early_callback(false);
        return cudaSuccess;
    case cudaGraphNodeTypeGraph:
        return graph_do_all(&work->graph->all, clock);
    case cudaGraphNodeTypeEventRecord: {
        const cudaError_t error = cudaEventRecord(work->event, cudaStreamPerThread);
        work->event->clock = *clock;
        return error;
    }
    case cudaGraphNodeTypeWaitEvent:
        runtime_come_behind(clock, &work->event->clock);
        return cudaSuccess;
    default:
        return cudaSuccess;
    }
}

cudaError_t graph_do_all(const struct runtime_nodes *nodes, struct runtime_clock *clock)
{
    const struct runtime_clock begin = *clock;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < nodes->count && error == cudaSuccess; i++) {
        cudaGraphNode_t node = nodes->node[i];
        node->clock = begin;
        for (size_t k = 0; k < node->after.count; k++)
            runtime_come_behind(&node->clock, &node->after.node[k]->clock);
        if (!node->disabled)
            error = do_work(&node->work, &node->clock);
        runtime_come_behind(clock, &node->clock);
    }
    return error;
}
