/* Graphs: what is to be done, in an order, to be done often. A graph that is instantiated is a copy of
 * its nodes, sorted so that each comes behind those that it waits for; a launch does them one by one.
 * A node of the copy knows which one it is a copy of, because programs change it by that one's name.
 *
 *     a -> b -> d        c before b, if it was added before: a c b d
 *     a -> c -> d
 */
#include "program/runtime/graph/graph.h"

#include <string.h>

/* ---- lists of nodes ---------------------------------------------------------------------------- */

cudaError_t runtime_nodes_add(struct runtime_nodes *nodes, cudaGraphNode_t node)
{
    if (!runtime_grow(&nodes->node, &nodes->room, nodes->count + 1, sizeof(cudaGraphNode_t)))
        return cudaErrorMemoryAllocation;
    nodes->node[nodes->count++] = node;
    return cudaSuccess;
}

static size_t find_node(const struct runtime_nodes *nodes, cudaGraphNode_t node)
{
    size_t i = 0;
    while (i < nodes->count && nodes->node[i] != node)
        i++;
    return i;
}

bool runtime_nodes_have(const struct runtime_nodes *nodes, cudaGraphNode_t node)
{
    return find_node(nodes, node) < nodes->count;
}

static void take_out(struct runtime_nodes *nodes, cudaGraphNode_t node)
{
    size_t i = find_node(nodes, node);
    if (i < nodes->count)
        memmove(nodes->node + i, nodes->node + i + 1, (--nodes->count - i) * sizeof *nodes->node);
}

/* What a list is asked for: how many, or so many of them, then NULLs. */
static cudaError_t give_nodes(const struct runtime_nodes *nodes, cudaGraphNode_t *to, size_t *count)
{
    for (size_t i = 0; to && i < *count; i++)
        to[i] = i < nodes->count ? nodes->node[i] : NULL;
    if (!to || nodes->count < *count)
        *count = nodes->count;
    return cudaSuccess;
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
    graph_free_work(&node->work);
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
    if (error == cudaSuccess && (error = graph_own_work(&mine)) == cudaSuccess) {
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

cudaError_t graph_copy_sorted(cudaGraph_t *to, cudaGraph_t graph)
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
    return graph_copy_sorted(clone, graph);
}

cudaGraphNode_t graph_copy_of(cudaGraph_t graph, cudaGraphNode_t original)
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
    *node = graph_copy_of(clone, original);
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
    return give_nodes(&graph->all, nodes, count);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                         cudaGraphEdgeData *edges, size_t *count)
{
    RETURN_STICKY();
    REQUIRE(node && count);
    if (edges)
        memset(edges, 0, *count * sizeof *edges);
    return give_nodes(&node->after, nodes, count);
}

/* Hands out the nodes of the graph for which `wanted` is true. */
static cudaError_t give_some(cudaGraph_t graph, bool (*wanted)(cudaGraphNode_t, cudaGraphNode_t),
                             cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
{
    struct runtime_nodes some = {0};
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < graph->all.count && error == cudaSuccess; i++)
        if (wanted(graph->all.node[i], node))
            error = runtime_nodes_add(&some, graph->all.node[i]);
    if (error == cudaSuccess)
        give_nodes(&some, nodes, count);
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
