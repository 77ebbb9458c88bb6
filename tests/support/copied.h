/* copied.h - has a program print of each copy from the device how many bytes came, and a hash of them; included
 * before the program by tests/compare-small. */
#ifndef BANKSCOPE_TESTS_COPIED_H
#define BANKSCOPE_TESTS_COPIED_H

#include <cuda_runtime.h>
#include <cstdio>

static inline cudaError_t copied(cudaError_t error, const void *to, size_t bytes, bool back)
{
    unsigned long long hash = 0xcbf29ce484222325ull; /* FNV-1a */
    if (error != cudaSuccess || !back)
        return error;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ static_cast<const unsigned char *>(to)[i]) * 0x100000001b3ull;
    std::printf("copied\t%zu\t%016llx\n", bytes, hash);
    return error;
}
template <typename T>
static cudaError_t copied_symbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return copied((cudaMemcpyFromSymbol)(to, symbol, bytes, offset, kind), to, bytes, true);
}
#define cudaMemcpy(to, from, bytes, kind)                                                          \
    copied((cudaMemcpy)(to, from, bytes, kind), to, bytes, (kind) == cudaMemcpyDeviceToHost)
#define cudaMemcpyFromSymbol(to, ...) copied_symbol(to, __VA_ARGS__)

#endif
