/* Variables of the device by what stands for them in the host's code. */
#include "program/runtime/runtime.h"

/* Where byte `offset` of a variable is, of which `call` wants `bytes`. */
static cudaError_t place(const char *call, const void *symbol, size_t bytes, size_t offset,
                         void **at)
{
    uint64_t address;
    size_t size;
    cudaError_t error = runtime_variable(symbol, &address, &size);
    if (error == cudaErrorInvalidSymbol)
        runtime_unless_asked(runtime_report_line(RECORDS_ARGUMENT, NULL,
                                                 "%s of what is no variable of the device", call));
    if (error != cudaSuccess)
        return runtime_remember(error);
    if (offset > size || bytes > size - offset) {
        runtime_unless_asked(runtime_report_line(
            RECORDS_ARGUMENT, NULL, "%s copies %zu bytes from byte %zu of a variable of %zu bytes",
            call, bytes, offset, size));
        return runtime_remember(cudaErrorInvalidValue);
    }
    *at = (void *)(uintptr_t)(address + offset);
    return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *at;
    RETURN_STICKY();
    cudaError_t error = place("cudaMemcpyToSymbol", symbol, bytes, offset, &at);
    if (error != cudaSuccess)
        return error;
    return runtime_copy_in(stream, "cudaMemcpyToSymbol",
                           runtime_rows(at, bytes, from, bytes, bytes, 1, kind));
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
    RETURN_STICKY();
    return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, NULL);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *at;
    RETURN_STICKY();
    cudaError_t error = place("cudaMemcpyFromSymbol", symbol, bytes, offset, &at);
    if (error != cudaSuccess)
        return error;
    return runtime_copy_in(stream, "cudaMemcpyFromSymbol",
                           runtime_rows(to, bytes, at, bytes, bytes, 1, kind));
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    RETURN_STICKY();
    return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, NULL);
}

cudaError_t cudaGetSymbolAddress(void **at, const void *symbol)
{
    RETURN_STICKY();
    REQUIRE(at);
    return place("cudaGetSymbolAddress", symbol, 0, 0, at);
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    uint64_t address;
    RETURN_STICKY();
    REQUIRE(bytes);
    return runtime_remember(runtime_variable(symbol, &address, bytes));
}

/* A node that copies to the symbol, or from it if `from` is NULL. */
static cudaError_t add_copy(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                            size_t count, const void *symbol, size_t offset, void *to,
                            const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    void *at;
    RETURN_STICKY();
    cudaError_t error = place("the copy of a graph's node", symbol, bytes, offset, &at);
    if (error != cudaSuccess)
        return error;
    struct runtime_work work = {
        cudaGraphNodeTypeMemcpy,
        .copy = runtime_rows(from ? at : to, bytes, from ? from : at, bytes, bytes, 1, kind)};
    return runtime_add_node(node, graph, after, count, &work);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *after, size_t count,
                                           const void *symbol, const void *from, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    REQUIRE(from);
    return add_copy(node, graph, after, count, symbol, offset, NULL, from, bytes, kind);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *after, size_t count, void *to,
                                             const void *symbol, size_t bytes, size_t offset,
                                             enum cudaMemcpyKind kind)
{
    return add_copy(node, graph, after, count, symbol, offset, to, NULL, bytes, kind);
}
