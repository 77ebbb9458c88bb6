/* must.h - calls of the CUDA runtime that must succeed: what tests of the sort share. */
#ifndef BANKSCOPE_TESTS_MUST_H
#define BANKSCOPE_TESTS_MUST_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with a line that says where, unless it succeeded. */
#define MUST(call) must(call, __FILE__, __LINE__)
static inline void must(cudaError_t status, const char *file, int line)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(status));
    exit(1);
}

#endif
