/* graph_exec.c - graphs that can be launched: copies in the order in which their nodes are done. */
#include "program/runtime/graph/graph.h"
#include "program/runtime/stream.h"

cudaGraphNode_t graph_node_in(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    return exec ? graph_copy_of(exec->graph, node) : NULL;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    RETURN_STICKY();
    REQUIRE(exec && graph);
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return runtime_missing("cudaGraphInstantiateFlagDeviceLaunch",
                               "kernels cannot launch graphs here");
    cudaGraphExec_t made = runtime_new(sizeof *made);
    if (!made)
        return runtime_remember(cudaErrorMemoryAllocation);
    made->flags = flags;
    cudaError_t error = graph_copy_sorted(&made->graph, graph);
    if (error != cudaSuccess)
        runtime_delete(made);
    else
        *exec = made;
    return error;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *what)
{
    REQUIRE(what);
    cudaError_t error = cudaGraphInstantiate(exec, graph, what->flags);
    what->errNode_out = NULL;
    what->result_out = error == cudaSuccess             ? cudaGraphInstantiateSuccess
                       : error == cudaErrorInvalidValue ? cudaGraphInstantiateInvalidStructure
                                                        : cudaGraphInstantiateError;
    return error;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    RETURN_STICKY();
    REQUIRE(exec && flags);
    *flags = exec->flags;
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    RETURN_STICKY();
    REQUIRE(exec);
    RETURN_IF_CAPTURED(stream, NULL);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    RETURN_STICKY();
    REQUIRE(exec);
    struct runtime_work work = {cudaGraphNodeTypeGraph, .graph = exec->graph};
    RETURN_IF_CAPTURED(stream, &work);
    struct runtime_clock clock = runtime_order_now();
    const cudaError_t error = graph_do_all(&exec->graph->all, &clock);
    runtime_order_behind(stream_sequence(stream), &clock);
    return error;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    REQUIRE(exec);
    cudaGraphDestroy(exec->graph);
    runtime_delete(exec);
    return cudaSuccess;
}

/* Whether two graphs, sorted, have the same form. */
static enum cudaGraphExecUpdateResult compare_graphs(cudaGraph_t a, cudaGraph_t b,
                                                     cudaGraphNode_t *bad)
{
    if (a->all.count != b->all.count)
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < a->all.count; i++) {
        cudaGraphNode_t x = a->all.node[i], y = b->all.node[i];
        x->place = y->place = i + 1;
        *bad = y->origin;
        if (x->work.type != y->work.type)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (x->after.count != y->after.count)
            return cudaGraphExecUpdateErrorTopologyChanged;
        for (size_t k = 0; k < x->after.count; k++)
            if (x->after.node[k]->place != y->after.node[k]->place)
                return cudaGraphExecUpdateErrorTopologyChanged;
        cudaGraphNode_t inner;
        if (x->work.type == cudaGraphNodeTypeGraph &&
            compare_graphs(x->work.graph, y->work.graph, &inner) != cudaGraphExecUpdateSuccess)
            return cudaGraphExecUpdateErrorTopologyChanged;
    }
    *bad = NULL;
    return cudaGraphExecUpdateSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *result)
{
    RETURN_STICKY();
    REQUIRE(exec && graph && result);
    *result = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
    cudaGraph_t now;
    cudaError_t error = graph_copy_sorted(&now, graph);
    if (error != cudaSuccess)
        return error;
    result->result = compare_graphs(exec->graph, now, &result->errorNode);
    if (result->result != cudaGraphExecUpdateSuccess) {
        cudaGraphDestroy(now);
        return runtime_remember(cudaErrorGraphExecUpdateFailure);
    }
    for (size_t i = 0; i < now->all.count; i++) { /* the new work under the old names */
        struct runtime_work work = exec->graph->all.node[i]->work;
        exec->graph->all.node[i]->work = now->all.node[i]->work;
        now->all.node[i]->work = work;
        runtime_delete(exec->graph->all.node[i]->arguments);
        exec->graph->all.node[i]->arguments = NULL;
    }
    return cudaGraphDestroy(now);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int enabled)
{
    RETURN_STICKY();
    cudaGraphNode_t copy = graph_node_in(exec, node);
    REQUIRE(copy &&
            (copy->work.type <= cudaGraphNodeTypeMemset)); /* kernels, copies and sets only */
    copy->disabled = !enabled;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int *enabled)
{
    RETURN_STICKY();
    cudaGraphNode_t copy = graph_node_in(exec, node);
    REQUIRE(copy && enabled);
    *enabled = !copy->disabled;
    return cudaSuccess;
}
