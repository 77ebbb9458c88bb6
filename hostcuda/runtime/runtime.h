/* runtime.h - what the parts of the runtime API share. Their interface is CUDA's:
 * include/cuda_runtime_api.h. Every function below may be called from any thread. */
#ifndef BANKSCOPE_HOSTCUDA_RUNTIME_H
#define BANKSCOPE_HOSTCUDA_RUNTIME_H

#include "../hostcuda.h"
#include "../include/cuda_runtime_api.h"
#include <stdbool.h>

/* The first thing that every call does: returns the error that sticks, if there is one. */
#define RETURN_STICKY()                                                                            \
    do {                                                                                           \
        if (hostcuda_sticky() != 0)                                                                \
            return (cudaError_t)hostcuda_sticky();                                                 \
    } while (0)

/* Remembers and returns cudaErrorInvalidValue unless what the caller must give is given. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return hostcuda_remember(cudaErrorInvalidValue);                                       \
    } while (0)

/* ---- graph.c ----------------------------------------------------------------------------------- */

/* What a stream is told to do, and a node of a graph keeps. Kernels of nodes have arguments of their
 * own, and child graphs are the node's own. */
struct runtime_work {
    enum cudaGraphNodeType type;
    union {
        struct hostcuda_launch launch;
        struct cudaMemcpy3DParms copy;
        struct cudaMemsetParams set;
        struct cudaHostNodeParams host;
        cudaGraph_t graph;
        cudaEvent_t event;
    };
};

struct runtime_nodes {
    cudaGraphNode_t *node;
    size_t count;
};
/* cudaSuccess, or no memory. */
cudaError_t runtime_nodes_add(struct runtime_nodes *nodes, cudaGraphNode_t node);
bool runtime_nodes_have(const struct runtime_nodes *nodes, cudaGraphNode_t node);
/* A node that does this after those. */
cudaError_t runtime_add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                             size_t count, const struct runtime_work *work);
/* Whether the graph has a node from number `first` on that nobody waits for but is not in `joined`. */
bool runtime_unjoined(cudaGraph_t graph, size_t first, const struct runtime_nodes *joined);
size_t runtime_graph_nodes(cudaGraph_t graph);

/* ---- stream.c: streams that are captured ---------------------------------------------------------- */

/* Whether the stream does not do the work now, because it is captured: then *error is what the call
 * returns. Without work, it only says whether the stream may do any. */
bool runtime_captures(cudaStream_t stream, const struct runtime_work *work, cudaError_t *error);
/* The error of a call that may not be made while a stream is captured: ever, or by who did not ask for
 * relaxed mode. */
cudaError_t runtime_forbidden(bool ever);

#define RETURN_IF_CAPTURED(stream, ...)                                                            \
    do {                                                                                           \
        cudaError_t captured;                                                                      \
        if (runtime_captures(stream, __VA_ARGS__, &captured))                                      \
            return captured;                                                                       \
    } while (0)
#define RETURN_FORBIDDEN(ever)                                                                     \
    do {                                                                                           \
        cudaError_t forbidden = runtime_forbidden(ever);                                           \
        if (forbidden != cudaSuccess)                                                              \
            return forbidden;                                                                      \
    } while (0)

/* ---- memory.c ------------------------------------------------------------------------------------- */

/* A CUDA array: texels one after another, no padding; height and depth are at least 1. */
struct cudaArray {
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; /* as the user gave it: 0 for a dimension that is not there */
    size_t width, height, depth, texel;
    unsigned flags;
    unsigned char *texels;
};

/* Checks the kind of a copy against what is known of the pointers: 0, or the error. */
cudaError_t runtime_check_copy(const void *to, const void *from, enum cudaMemcpyKind kind);
/* Copies a box of rows between pitched memories after checking it with hostcuda_host_access. */
struct runtime_plane {
    unsigned char *at;
    size_t pitch, slice; /* bytes from row to row, from plane to plane */
};
cudaError_t runtime_copy_box(const char *what, struct runtime_plane to, struct runtime_plane from,
                             struct cudaExtent extent);
/* A copy and a set in all their forms; `what` is the function that asks for it. */
cudaError_t runtime_copy(const char *what, const struct cudaMemcpy3DParms *copy);
cudaError_t runtime_set(const char *what, const struct cudaMemsetParams *set);
/* Rows of memory to rows of memory. */
struct cudaMemcpy3DParms runtime_rows(void *to, size_t to_pitch, const void *from,
                                      size_t from_pitch, size_t width, size_t height,
                                      enum cudaMemcpyKind kind);

#endif
