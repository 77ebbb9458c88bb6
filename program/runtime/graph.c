/* Graphs: what is to be done, in an order, to be done often. A graph that is instantiated is a copy of
 * its nodes, sorted so that each comes behind those that it waits for; a launch does them one by one.
 * A node of the copy knows which one it is a copy of, because programs change it by that one's name.
 *
 *     a -> b -> d        c before b, if it was added before: a c b d
 *     a -> c -> d
 */
#include "program/runtime/runtime.h"
#include <string.h>

struct CUgraphNode_st {
    cudaGraph_t graph;
    struct runtime_work work;
    struct runtime_nodes after; /* that it waits for */
    cudaGraphNode_t origin;     /* that it is a copy of, or NULL */
    void **arguments;           /* of its kernel, once somebody has asked; NULL */
    bool disabled;
    size_t place; /* 1..: in its graph, or in the order; 0: not yet in it */
};

struct CUgraph_st {
    struct runtime_nodes all;
};

struct CUgraphExec_st {
    cudaGraph_t graph; /* in the order in which it is done */
    unsigned long long flags;
};

/* ---- lists of nodes ---------------------------------------------------------------------------- */

cudaError_t runtime_nodes_add(struct runtime_nodes *nodes, cudaGraphNode_t node)
{
    if (!runtime_grow(&nodes->node, &nodes->room, nodes->count + 1, sizeof(cudaGraphNode_t)))
        return cudaErrorMemoryAllocation;
    nodes->node[nodes->count++] = node;
    return cudaSuccess;
}

static size_t find(const struct runtime_nodes *nodes, cudaGraphNode_t node)
{
    size_t i = 0;
    while (i < nodes->count && nodes->node[i] != node)
        i++;
    return i;
}

bool runtime_nodes_have(const struct runtime_nodes *nodes, cudaGraphNode_t node)
{
    return find(nodes, node) < nodes->count;
}

static void take_out(struct runtime_nodes *nodes, cudaGraphNode_t node)
{
    size_t i = find(nodes, node);
    if (i < nodes->count)
        memmove(nodes->node + i, nodes->node + i + 1, (--nodes->count - i) * sizeof *nodes->node);
}

/* What a list is asked for: how many, or so many of them, then NULLs. */
static cudaError_t give(const struct runtime_nodes *nodes, cudaGraphNode_t *to, size_t *count)
{
    for (size_t i = 0; to && i < *count; i++)
        to[i] = i < nodes->count ? nodes->node[i] : NULL;
    if (!to || nodes->count < *count)
        *count = nodes->count;
    return cudaSuccess;
}

/* ---- work -------------------------------------------------------------------------------------- */

/* The launch gets parameters of its own. */
static cudaError_t own_parameters(struct runtime_launch *launch)
{
    size_t bytes = launch->kernel->facts.parameter_bytes;
    void *copy = runtime_new(bytes + 8);
    if (!copy)
        return cudaErrorMemoryAllocation;
    launch->parameters = memcpy(copy, launch->parameters, bytes);
    launch->graph = true;
    return cudaSuccess;
}

/* Makes what the work refers to its own. */
static cudaError_t own(struct runtime_work *work)
{
    if (work->type == cudaGraphNodeTypeKernel)
        return own_parameters(&work->launch);
    if (work->type == cudaGraphNodeTypeGraph)
        return cudaGraphClone(&work->graph, work->graph);
    return cudaSuccess;
}

static void disown(struct runtime_work *work)
{
    if (work->type == cudaGraphNodeTypeKernel)
        runtime_delete((void *)(uintptr_t)work->launch.parameters);
    else if (work->type == cudaGraphNodeTypeGraph)
        cudaGraphDestroy(work->graph);
    work->type = cudaGraphNodeTypeEmpty;
}

/* The launch that a program describes; the caller frees its parameters. */
static cudaError_t describe(const struct cudaKernelNodeParams *what, struct runtime_work *work)
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

static void forget(const struct runtime_work *work)
{
    runtime_delete((void *)(uintptr_t)work->launch.parameters);
}

static cudaError_t do_all(const struct runtime_nodes *nodes);

static cudaError_t do_work(const struct runtime_work *work)
{
    switch (work->type) {
    case cudaGraphNodeTypeKernel:
        return runtime_do_launch(&work->launch);
    case cudaGraphNodeTypeMemcpy:
        return runtime_copy("a copy of a graph", &work->copy);
    case cudaGraphNodeTypeMemset:
        return runtime_set("a set of a graph", &work->set);
    case cudaGraphNodeTypeHost:
        runtime_early_callback(true);
        work->host.fn(work->host.userData);
        runtime_early_callback(false);
        return cudaSuccess;
    case cudaGraphNodeTypeGraph:
        return do_all(&work->graph->all);
    case cudaGraphNodeTypeEventRecord:
        return cudaEventRecord(work->event, cudaStreamPerThread);
    default:
        return cudaSuccess;
    }
}

static cudaError_t do_all(const struct runtime_nodes *nodes)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < nodes->count && error == cudaSuccess; i++)
        if (!nodes->node[i]->disabled)
            error = do_work(&nodes->node[i]->work);
    return error;
}

/* ---- graphs ------------------------------------------------------------------------------------ */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    RETURN_STICKY();
    REQUIRE(graph && flags == 0);
    *graph = runtime_new(sizeof **graph);
    return *graph ? cudaSuccess : runtime_remember(cudaErrorMemoryAllocation);
}

static void free_node(cudaGraphNode_t node)
{
    disown(&node->work);
    runtime_delete(node->arguments);
    runtime_delete(node->after.node);
    runtime_delete(node);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    REQUIRE(graph);
    for (size_t i = 0; i < graph->all.count; i++)
        free_node(graph->all.node[i]);
    runtime_delete(graph->all.node);
    runtime_delete(graph);
    return cudaSuccess;
}

size_t runtime_graph_nodes(cudaGraph_t graph)
{
    return graph->all.count;
}

bool runtime_unjoined(cudaGraph_t graph, size_t first, const struct runtime_nodes *joined)
{
    for (size_t i = 0; i < graph->all.count; i++)
        graph->all.node[i]->place = 0;
    for (size_t i = 0; i < graph->all.count; i++)
        for (size_t k = 0; k < graph->all.node[i]->after.count; k++)
            graph->all.node[i]->after.node[k]->place = 1; /* somebody waits for it */
    for (size_t i = first; i < graph->all.count; i++)
        if (!graph->all.node[i]->place && !runtime_nodes_have(joined, graph->all.node[i]))
            return true;
    return false;
}

cudaError_t runtime_add_node(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *after,
                             size_t count, const struct runtime_work *work)
{
    RETURN_STICKY();
    REQUIRE(out && graph && (after || !count));
    cudaGraphNode_t node = runtime_new(sizeof *node);
    if (!node)
        return runtime_remember(cudaErrorMemoryAllocation);
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < count && error == cudaSuccess; i++)
        error = !after[i] || after[i]->graph != graph || runtime_nodes_have(&node->after, after[i])
                    ? cudaErrorInvalidValue
                    : runtime_nodes_add(&node->after, after[i]);
    struct runtime_work mine = *work;
    node->graph = graph;
    node->work.type = cudaGraphNodeTypeEmpty;
    if (error == cudaSuccess && (error = own(&mine)) == cudaSuccess) {
        node->work = mine;
        error = runtime_nodes_add(&graph->all, node);
    }
    if (error != cudaSuccess) {
        free_node(node);
        return runtime_remember(error);
    }
    *out = node;
    return cudaSuccess;
}

/* Adds copies of the nodes in this order; those that they wait for come before them. */
static cudaError_t copy_nodes(cudaGraph_t to, const struct runtime_nodes *order)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < order->count; i++)
        order->node[i]->place = i + 1;
    for (size_t i = 0; i < order->count && error == cudaSuccess; i++) {
        cudaGraphNode_t node = order->node[i], copy;
        error = runtime_add_node(&copy, to, NULL, 0, &node->work);
        if (error == cudaSuccess) {
            copy->origin = node;
            copy->disabled = node->disabled;
        }
    }
    for (size_t i = 0; i < order->count && error == cudaSuccess; i++)
        for (size_t k = 0; k < order->node[i]->after.count && error == cudaSuccess; k++)
            error = runtime_nodes_add(&to->all.node[i]->after,
                                      to->all.node[order->node[i]->after.node[k]->place - 1]);
    return error;
}

static cudaError_t copy_graph(cudaGraph_t *to, const struct runtime_nodes *order)
{
    cudaGraph_t copy;
    cudaError_t error = cudaGraphCreate(&copy, 0);
    if (error != cudaSuccess)
        return error;
    error = copy_nodes(copy, order);
    if (error != cudaSuccess)
        cudaGraphDestroy(copy);
    else
        *to = copy;
    return runtime_remember(error);
}

/* The nodes, each behind those that it waits for, otherwise as they were added. A cycle: fewer. */
static cudaError_t sort(cudaGraph_t graph, struct runtime_nodes *order)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < graph->all.count; i++)
        graph->all.node[i]->place = 0;
    for (size_t before = SIZE_MAX; before != order->count && error == cudaSuccess;) {
        before = order->count;
        for (size_t i = 0; i < graph->all.count && error == cudaSuccess; i++) {
            cudaGraphNode_t node = graph->all.node[i];
            bool ready = !node->place;
            for (size_t k = 0; ready && k < node->after.count; k++)
                ready = node->after.node[k]->place;
            if (!ready)
                continue;
            error = runtime_nodes_add(order, node);
            node->place = order->count;
        }
    }
    return error;
}

/* A copy of the graph in the order in which it is done. */
static cudaError_t copy_sorted(cudaGraph_t *to, cudaGraph_t graph)
{
    struct runtime_nodes order = {0};
    cudaError_t error = sort(graph, &order);
    if (error == cudaSuccess)
        error = order.count == graph->all.count ? copy_graph(to, &order) : cudaErrorInvalidValue;
    runtime_delete(order.node);
    return runtime_remember(error);
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    RETURN_STICKY();
    REQUIRE(clone && graph);
    return copy_sorted(clone, graph);
}

static cudaGraphNode_t copy_of(cudaGraph_t graph, cudaGraphNode_t original)
{
    for (size_t i = 0; i < graph->all.count; i++)
        if (graph->all.node[i]->origin == original)
            return graph->all.node[i];
    return NULL;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original,
                                     cudaGraph_t clone)
{
    RETURN_STICKY();
    REQUIRE(node && original && clone);
    *node = copy_of(clone, original);
    return *node ? cudaSuccess : runtime_remember(cudaErrorInvalidValue);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    RETURN_STICKY();
    REQUIRE(node);
    take_out(&node->graph->all, node);
    for (size_t i = 0; i < node->graph->all.count; i++)
        take_out(&node->graph->all.node[i]->after, node);
    free_node(node);
    return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                     size_t count)
{
    (void)edges;
    RETURN_STICKY();
    REQUIRE(graph && ((from && to) || !count));
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < count && error == cudaSuccess; i++) {
        REQUIRE(from[i] && to[i] && from[i]->graph == graph && to[i]->graph == graph &&
                from[i] != to[i] && !runtime_nodes_have(&to[i]->after, from[i]));
        error = runtime_nodes_add(&to[i]->after, from[i]);
    }
    return runtime_remember(error);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                        size_t count)
{
    (void)edges;
    RETURN_STICKY();
    REQUIRE(graph && ((from && to) || !count));
    for (size_t i = 0; i < count; i++) {
        REQUIRE(from[i] && to[i] && runtime_nodes_have(&to[i]->after, from[i]));
        take_out(&to[i]->after, from[i]);
    }
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    RETURN_STICKY();
    REQUIRE(graph && count);
    return give(&graph->all, nodes, count);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                         cudaGraphEdgeData *edges, size_t *count)
{
    RETURN_STICKY();
    REQUIRE(node && count);
    if (edges)
        memset(edges, 0, *count * sizeof *edges);
    return give(&node->after, nodes, count);
}

/* Those of the graph that `wanted` wants. */
static cudaError_t give_some(cudaGraph_t graph, bool (*wanted)(cudaGraphNode_t, cudaGraphNode_t),
                             cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
{
    struct runtime_nodes some = {0};
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < graph->all.count && error == cudaSuccess; i++)
        if (wanted(graph->all.node[i], node))
            error = runtime_nodes_add(&some, graph->all.node[i]);
    if (error == cudaSuccess)
        give(&some, nodes, count);
    runtime_delete(some.node);
    return runtime_remember(error);
}

static bool is_root(cudaGraphNode_t node, cudaGraphNode_t unused)
{
    (void)unused;
    return !node->after.count;
}

static bool comes_after(cudaGraphNode_t node, cudaGraphNode_t other)
{
    return runtime_nodes_have(&node->after, other);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    RETURN_STICKY();
    REQUIRE(graph && count);
    return give_some(graph, is_root, NULL, nodes, count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *edges, size_t *count)
{
    RETURN_STICKY();
    REQUIRE(node && count);
    if (edges)
        memset(edges, 0, *count * sizeof *edges);
    return give_some(node->graph, comes_after, node, nodes, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edges, size_t *count)
{
    RETURN_STICKY();
    REQUIRE(graph && count && !from == !to);
    size_t found = 0, room = from ? *count : 0;
    for (size_t i = 0; i < graph->all.count; i++)
        for (size_t k = 0; k < graph->all.node[i]->after.count; k++, found++) {
            if (found >= room)
                continue;
            from[found] = graph->all.node[i]->after.node[k];
            to[found] = graph->all.node[i];
            if (edges)
                edges[found] = (cudaGraphEdgeData){0};
        }
    *count = !from || found < room ? found : room;
    return cudaSuccess;
}

/* ---- nodes by what they do ----------------------------------------------------------------------- */

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
    cudaError_t error = own(&work);
    if (error != cudaSuccess)
        return runtime_remember(error);
    disown(&node->work);
    runtime_delete(node->arguments);
    node->arguments = NULL;
    node->work = work;
    return cudaSuccess;
}

/* The node of what is instantiated that stands for one of the graph. */
static cudaGraphNode_t in_exec(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    return exec ? copy_of(exec->graph, node) : NULL;
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
    cudaError_t error = describe(what, &work);
    if (error != cudaSuccess)
        return error;
    error = runtime_add_node(node, graph, after, count, &work);
    forget(&work);
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
    cudaError_t error = describe(what, &work);
    if (error != cudaSuccess)
        return error;
    error = replace(node, work);
    forget(&work);
    return error;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *what)
{
    return cudaGraphKernelNodeSetParams(in_exec(exec, node), what);
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
    return cudaGraphMemcpyNodeSetParams(in_exec(exec, node), what);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes,
                                               enum cudaMemcpyKind kind)
{
    return cudaGraphMemcpyNodeSetParams1D(in_exec(exec, node), to, from, bytes, kind);
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
    return cudaGraphMemsetNodeSetParams(in_exec(exec, node), what);
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
    return cudaGraphHostNodeSetParams(in_exec(exec, node), what);
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
    return replace(in_exec(exec, node),
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

/* The event of a node of either kind. */
static cudaError_t event_of(cudaGraphNode_t node, enum cudaGraphNodeType type, cudaEvent_t *event)
{
    RETURN_STICKY();
    REQUIRE(node && event && node->work.type == type);
    *event = node->work.event;
    return cudaSuccess;
}

static cudaError_t set_event(cudaGraphNode_t node, enum cudaGraphNodeType type, cudaEvent_t event)
{
    REQUIRE(event);
    return replace(node, (struct runtime_work){type, .event = event});
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    return event_of(node, cudaGraphNodeTypeEventRecord, event);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return set_event(node, cudaGraphNodeTypeEventRecord, event);
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event)
{
    return set_event(in_exec(exec, node), cudaGraphNodeTypeEventRecord, event);
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    return event_of(node, cudaGraphNodeTypeWaitEvent, event);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return set_event(node, cudaGraphNodeTypeWaitEvent, event);
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event)
{
    return set_event(in_exec(exec, node), cudaGraphNodeTypeWaitEvent, event);
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

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue *value)
{
    (void)attribute;
    RETURN_STICKY();
    REQUIRE(node && value && node->work.type == cudaGraphNodeTypeKernel);
    memset(value, 0, sizeof *value);
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    RETURN_STICKY();
    REQUIRE(to && from);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *what)
{
    RETURN_STICKY();
    REQUIRE(what);
    switch (what->type) {
    case cudaGraphNodeTypeKernel:
        return cudaGraphKernelNodeSetParams(node, &what->kernel);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphMemcpyNodeSetParams(node, &what->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return cudaGraphMemsetNodeSetParams(node, &what->memset);
    case cudaGraphNodeTypeHost:
        return cudaGraphHostNodeSetParams(node, &what->host);
    default:
        return runtime_missing("cudaGraphNodeSetParams of this type",
                               "set kernels, copies, sets and host functions");
    }
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *what)
{
    RETURN_STICKY();
    return cudaGraphNodeSetParams(in_exec(exec, node), what);
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

/* ---- graphs that can be launched ----------------------------------------------------------------- */

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
    cudaError_t error = copy_sorted(&made->graph, graph);
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
    return do_all(&exec->graph->all);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    REQUIRE(exec);
    cudaGraphDestroy(exec->graph);
    runtime_delete(exec);
    return cudaSuccess;
}

/* Whether two graphs, sorted, have the same form. */
static enum cudaGraphExecUpdateResult compare(cudaGraph_t a, cudaGraph_t b, cudaGraphNode_t *bad)
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
            compare(x->work.graph, y->work.graph, &inner) != cudaGraphExecUpdateSuccess)
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
    cudaError_t error = copy_sorted(&now, graph);
    if (error != cudaSuccess)
        return error;
    result->result = compare(exec->graph, now, &result->errorNode);
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
    cudaGraphNode_t copy = in_exec(exec, node);
    REQUIRE(copy &&
            (copy->work.type <= cudaGraphNodeTypeMemset)); /* kernels, copies and sets only */
    copy->disabled = !enabled;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int *enabled)
{
    RETURN_STICKY();
    cudaGraphNode_t copy = in_exec(exec, node);
    REQUIRE(copy && enabled);
    *enabled = !copy->disabled;
    return cudaSuccess;
}
