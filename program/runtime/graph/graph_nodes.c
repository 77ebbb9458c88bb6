/* graph_nodes.c - nodes of graphs by what they do: added, asked for what they do, and given other work. */
#include "program/runtime/graph/graph.h"

#include <string.h>

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    RETURN_STICKY();
    REQUIRE(node && type);
    *type = node->work.type;
    return cudaSuccess;
}

/* Gives a node other work of the same kind. */
static cudaError_t replace(cudaGraphNode_t node, struct runtime_work work)
{
    RETURN_STICKY();
    REQUIRE(node && node->work.type == work.type);
    if (work.type == cudaGraphNodeTypeKernel) {
        work.launch.cooperative = node->work.launch.cooperative;
    }
    cudaError_t error = graph_own_work(&work);
    if (error != cudaSuccess)
        return runtime_remember(error);
    graph_free_work(&node->work);
    runtime_delete(node->arguments);
    node->arguments = NULL;
    node->work = work;
    return cudaSuccess;
}

static bool good_set(const struct cudaMemsetParams *what)
{
    return what && what->dst &&
           (what->elementSize == 1 || what->elementSize == 2 || what->elementSize == 4);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const struct cudaKernelNodeParams *what)
{
    struct runtime_work work;
    cudaError_t error = graph_describe_kernel(what, &work);
    if (error != cudaSuccess)
        return error;
    error = runtime_add_node(node, graph, after, count, &work);
    graph_forget_kernel(&work);
    return error;
}

/* A list of pointers to a kernel's arguments, as programs want it. */
static bool point_to_parameters(cudaGraphNode_t node)
{
    const struct machine_kernel_facts *facts = &node->work.launch.kernel->facts;
    node->arguments = runtime_new((size_t)(facts->parameters + 1) * sizeof *node->arguments);
    for (int i = 0; node->arguments && i < facts->parameters; i++)
        node->arguments[i] =
            (char *)(uintptr_t)node->work.launch.parameters + facts->parameter[i].offset;
    return node->arguments;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *what)
{
    RETURN_STICKY();
    REQUIRE(node && what && node->work.type == cudaGraphNodeTypeKernel);
    const struct runtime_launch *launch = &node->work.launch;
    if (!node->arguments && !point_to_parameters(node))
        return runtime_remember(cudaErrorMemoryAllocation);
    *what = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)launch->kernel->host,
                                          .gridDim = launch->grid,
                                          .blockDim = launch->block,
                                          .sharedMemBytes = (unsigned)launch->shared,
                                          .kernelParams = node->arguments};
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *what)
{
    struct runtime_work work;
    cudaError_t error = graph_describe_kernel(what, &work);
    if (error != cudaSuccess)
        return error;
    error = replace(node, work);
    graph_forget_kernel(&work);
    return error;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *what)
{
    return cudaGraphKernelNodeSetParams(graph_node_in(exec, node), what);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const struct cudaMemcpy3DParms *what)
{
    REQUIRE(what);
    struct runtime_work work = {cudaGraphNodeTypeMemcpy, .copy = *what};
    return runtime_add_node(node, graph, after, count, &work);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *after, size_t count, void *to,
                                     const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms copy = runtime_rows(to, bytes, from, bytes, bytes, 1, kind);
    return cudaGraphAddMemcpyNode(node, graph, after, count, &copy);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *what)
{
    RETURN_STICKY();
    REQUIRE(node && what && node->work.type == cudaGraphNodeTypeMemcpy);
    *what = node->work.copy;
    return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *what)
{
    REQUIRE(what);
    return replace(node, (struct runtime_work){cudaGraphNodeTypeMemcpy, .copy = *what});
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                           size_t bytes, enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms copy = runtime_rows(to, bytes, from, bytes, bytes, 1, kind);
    return cudaGraphMemcpyNodeSetParams(node, &copy);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *what)
{
    return cudaGraphMemcpyNodeSetParams(graph_node_in(exec, node), what);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes,
                                               enum cudaMemcpyKind kind)
{
    return cudaGraphMemcpyNodeSetParams1D(graph_node_in(exec, node), to, from, bytes, kind);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const struct cudaMemsetParams *what)
{
    REQUIRE(good_set(what));
    struct runtime_work work = {cudaGraphNodeTypeMemset, .set = *what};
    return runtime_add_node(node, graph, after, count, &work);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *what)
{
    RETURN_STICKY();
    REQUIRE(node && what && node->work.type == cudaGraphNodeTypeMemset);
    *what = node->work.set;
    return cudaSuccess;
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *what)
{
    REQUIRE(good_set(what));
    return replace(node, (struct runtime_work){cudaGraphNodeTypeMemset, .set = *what});
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *what)
{
    return cudaGraphMemsetNodeSetParams(graph_node_in(exec, node), what);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *after, size_t count,
                                 const struct cudaHostNodeParams *what)
{
    REQUIRE(what && what->fn);
    struct runtime_work work = {cudaGraphNodeTypeHost, .host = *what};
    return runtime_add_node(node, graph, after, count, &work);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *what)
{
    RETURN_STICKY();
    REQUIRE(node && what && node->work.type == cudaGraphNodeTypeHost);
    *what = node->work.host;
    return cudaSuccess;
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *what)
{
    REQUIRE(what && what->fn);
    return replace(node, (struct runtime_work){cudaGraphNodeTypeHost, .host = *what});
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *what)
{
    return cudaGraphHostNodeSetParams(graph_node_in(exec, node), what);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *after, size_t count,
                                       cudaGraph_t child)
{
    REQUIRE(child && child != graph);
    struct runtime_work work = {cudaGraphNodeTypeGraph, .graph = child};
    return runtime_add_node(node, graph, after, count, &work);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *child)
{
    RETURN_STICKY();
    REQUIRE(node && child && node->work.type == cudaGraphNodeTypeGraph);
    *child = node->work.graph;
    return cudaSuccess;
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child)
{
    REQUIRE(child);
    return replace(graph_node_in(exec, node),
                   (struct runtime_work){cudaGraphNodeTypeGraph, .graph = child});
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *after, size_t count)
{
    struct runtime_work work = {cudaGraphNodeTypeEmpty, .event = NULL};
    return runtime_add_node(node, graph, after, count, &work);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *after, size_t count,
                                        cudaEvent_t event)
{
    REQUIRE(event);
    struct runtime_work work = {cudaGraphNodeTypeEventRecord, .event = event};
    return runtime_add_node(node, graph, after, count, &work);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *after, size_t count, cudaEvent_t event)
{
    REQUIRE(event);
    struct runtime_work work = {cudaGraphNodeTypeWaitEvent, .event = event};
    return runtime_add_node(node, graph, after, count, &work);
}

/* Attributes of kernels are hints: taken, and without effect. */
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            const cudaLaunchAttributeValue *value)
{
    (void)attribute;
    RETURN_STICKY();
    REQUIRE(node && value && node->work.type == cudaGraphNodeTypeKernel);
    return cudaSuccess;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                             const cudaGraphEdgeData *edges, size_t count,
                             struct cudaGraphNodeParams *what)
{
    (void)edges;
    REQUIRE(what);
    switch (what->type) {
    case cudaGraphNodeTypeKernel:
        return cudaGraphAddKernelNode(node, graph, after, count, &what->kernel);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphAddMemcpyNode(node, graph, after, count, &what->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return cudaGraphAddMemsetNode(node, graph, after, count, &what->memset);
    case cudaGraphNodeTypeHost:
        return cudaGraphAddHostNode(node, graph, after, count, &what->host);
    case cudaGraphNodeTypeGraph:
        return cudaGraphAddChildGraphNode(node, graph, after, count, what->graph.graph);
    case cudaGraphNodeTypeEmpty:
        return cudaGraphAddEmptyNode(node, graph, after, count);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphAddEventWaitNode(node, graph, after, count, what->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphAddEventRecordNode(node, graph, after, count, what->eventRecord.event);
    default:
        return runtime_missing(
            "cudaGraphAddNode of this type",
            "graphs here have kernels, copies, sets, host functions, child graphs and "
            "events");
    }
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned int value, unsigned int flags)
{
    (void)handle, (void)graph, (void)value, (void)flags;
    RETURN_STICKY();
    return runtime_missing("cudaGraphConditionalHandleCreate",
                           "graphs have no conditional nodes here");
}
