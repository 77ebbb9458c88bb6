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

#endif
