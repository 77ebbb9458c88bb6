/* call.h - what the main() of --call and --array uses (program/call.c writes it). With nvcc, too. */
#ifndef BANKSCOPE_CALL_H
#define BANKSCOPE_CALL_H

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>
#include <vector>

namespace bankscope_call
{

inline std::vector<void *> &arrays()
{
    static std::vector<void *> all;
    return all;
}

[[noreturn]] inline void array_fails(const char *what, const char *why)
{
    fprintf(stderr, "bankscope: --array: %s: %s\n", what, why);
    for (void *at : arrays())
        cudaFree(at);
    exit(1);
}

/* Numbers that are the same in every run: splitmix64. */
inline uint64_t array_random(uint64_t i)
{
    i = (i + 1) * 0x9e3779b97f4a7c15u;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
    i = (i ^ i >> 27) * 0x94d049bb133111ebu;
    return i ^ i >> 31;
}

/* Element i as the contents say: random numbers are in [0, 1) or, if whole or below a bound, whole. */
inline double array_value(const char *contents, uint64_t i, bool whole)
{
    double bound = strncmp(contents, "random ", 7) ? 0 : atof(contents + 7);
    if (bound >= 1)
        return (double)(array_random(i) % (uint64_t)bound);
    if (!strncmp(contents, "random", 6))
        return whole ? (double)(array_random(i) % 100) : (double)(array_random(i) >> 11) * 0x1p-53;
    return !strcmp(contents, "index") ? (double)i : atof(contents);
}

template <class T, class = void> struct components {
    using type = T;
};
template <class T> struct components<T, std::void_t<decltype(T().x)>> {
    using type = std::decay_t<decltype(T().x)>;
};

/* An array in device memory; elements with components (float4) are filled component by component. */
template <class T> T *array(size_t count, const char *contents)
{
    using element = std::remove_cv_t<std::remove_all_extents_t<T>>;
    using part = typename components<element>::type;
    std::remove_cv_t<T> *at = nullptr;
    size_t bytes = count * sizeof(T), parts = bytes / sizeof(part);
    if (cudaMalloc(&at, bytes) != cudaSuccess)
        array_fails(contents, "there is no memory for so many elements");
    arrays().push_back((void *)at);
    if (!*contents)
        return at;
    std::vector<unsigned char> host(bytes);
    FILE *file = nullptr;
    if (!strncmp(contents, "file=", 5) && !(file = fopen(contents + 5, "r")))
        array_fails(contents, "cannot be opened");
    if constexpr (std::is_constructible<part, double>::value) {
        for (size_t i = 0; i < parts; i++) {
            double value = 0;
            if (file ? fscanf(file, "%lf", &value) != 1 : 0)
                array_fails(contents, "has fewer numbers than the array");
            if (!file)
                value = array_value(contents, i, std::is_integral<part>::value);
            ((part *)host.data())[i] = static_cast<part>(value);
        }
    } else if (strcmp(contents, "zero") != 0) {
        array_fails(contents, "elements of this type can only be zero");
    }
    if (file)
        fclose(file);
    cudaMemcpy((void *)at, host.data(), bytes, cudaMemcpyHostToDevice);
    return at;
}

/* What main returns. */
inline int called()
{
    cudaError_t error = cudaGetLastError();
    error = error != cudaSuccess ? error : cudaDeviceSynchronize();
    if (error != cudaSuccess)
        fprintf(stderr, "bankscope: --call: %s\n", cudaGetErrorString(error));
    for (void *at : arrays())
        cudaFree(at);
    return error != cudaSuccess;
}

} // namespace bankscope_call

#endif
