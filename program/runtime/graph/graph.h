/* graph.h - what the files of graphs share: graph.c (nodes and their order), graph_work.c (what a node does),
 * graph_nodes.c (the API's functions for each kind of node), graph_exec.c (graphs that can be launched).
 */
#ifndef BANKSCOPE_RUNTIME_GRAPH_H
#define BANKSCOPE_RUNTIME_GRAPH_H

#include "program/runtime/runtime.h"

struct CUgraphNode_st {
    cudaGraph_t graph;
    struct runtime_work work;
    struct runtime_nodes after; /* that it waits for */
    cudaGraphNode_t origin;     /* that it is a copy of, or NULL */
    void **arguments;           /* of its kernel, once somebody has asked; NULL */
    bool disabled;
    struct runtime_clock clock; /* when it was done last */
    size_t place;               /* 1..: in its graph, or in the order; 0: not yet in it */
};

struct CUgraph_st {
    struct runtime_nodes all;
};

struct CUgraphExec_st {
    cudaGraph_t graph; /* in the order in which it is done */
    unsigned long long flags;
};

/* ---- graph.c ------------------------------------------------------------------------------------ */

/* Copies a graph, its nodes sorted so that each comes behind those that it waits for. */
cudaError_t graph_copy_sorted(cudaGraph_t *to, cudaGraph_t graph);
/* The node of a copied graph that is a copy of `original`, or NULL. */
cudaGraphNode_t graph_copy_of(cudaGraph_t graph, cudaGraphNode_t original);

/* ---- graph_work.c ------------------------------------------------------------------------------- */

/* Makes what the work refers to its own: parameters of a launch, a child graph; to be freed by graph_free_work. */
cudaError_t graph_own_work(struct runtime_work *work);
void graph_free_work(struct runtime_work *work);
/* The launch that a program describes. The caller frees its parameters by graph_forget_kernel. */
cudaError_t graph_describe_kernel(const struct cudaKernelNodeParams *what,
                                  struct runtime_work *work);
void graph_forget_kernel(const struct runtime_work *work);
/* Does the work of all nodes that are not disabled, in their order. clock: what they come behind; then, what comes behind
 * them all. */
cudaError_t graph_do_all(const struct runtime_nodes *nodes, struct runtime_clock *clock);

/* ---- graph_exec.c ------------------------------------------------------------------------------- */

/* The node of an instantiated graph that stands for one of the graph; NULL: there is none. */
cudaGraphNode_t graph_node_in(cudaGraphExec_t exec, cudaGraphNode_t node);

#endif
