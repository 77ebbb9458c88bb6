/*
 * program.h - what the programs of this folder share: calls that are checked, input that is the same
 * in every run, and the comparison with a reference.
 *
 * A program computes something on the GPU, computes it again on the CPU in the plainest way, and ends
 * with `return report("name", wrong)`: one line, and a status that says whether the results agree.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

/* Ends the program when a call of the runtime fails; kernels are asked about with CUDA(launched()). */
#define CUDA(call) checked((call), #call, __FILE__, __LINE__)

inline void checked(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
    std::exit(2);
}

/* The error of the launch, or, when there is none, of the kernel's run. */
inline cudaError_t launched()
{
    cudaError_t error = cudaGetLastError();
    return error != cudaSuccess ? error : cudaDeviceSynchronize();
}

/* n pseudo-random integers in 0 .. below - 1; n floats that are multiples of 1/8 in -4 .. 4, so that
   sums of a few thousand of them are exact in any order. */
inline std::vector<int> random_ints(int n, int below, unsigned seed = 1)
{
    std::vector<int> values(n);
    for (int &value : values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<int>((seed >> 8) % below);
    }
    return values;
}

inline std::vector<float> random_floats(int n, unsigned seed = 1)
{
    std::vector<float> values;
    for (int value : random_ints(n, 65, seed))
        values.push_back(static_cast<float>(value - 32) / 8);
    return values;
}

/* Device memory: a copy of a vector, n elements of garbage, and the way back. cudaFree frees. */
template <typename T> T *to_device(const std::vector<T> &values)
{
    T *memory;
    CUDA(cudaMalloc(&memory, values.size() * sizeof(T)));
    CUDA(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

template <typename T> T *on_device(size_t n)
{
    T *memory;
    CUDA(cudaMalloc(&memory, n * sizeof(T)));
    CUDA(cudaMemset(memory, 0x5a, n * sizeof(T)));
    return memory;
}

template <typename T> std::vector<T> to_host(const T *memory, size_t n)
{
    std::vector<T> values(n);
    CUDA(cudaMemcpy(values.data(), memory, n * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

/* How many values differ by more than the tolerance, which is relative for values above 1. The first
   one is shown. */
template <typename T>
int compare(const char *what, const std::vector<T> &got, const std::vector<T> &want,
            double tolerance = 0)
{
    int wrong = 0;
    for (size_t i = 0; i < want.size(); i++) {
        double difference = std::fabs(static_cast<double>(got[i]) - static_cast<double>(want[i]));
        double scale = std::fmax(1, std::fabs(static_cast<double>(want[i])));
        if (!(difference <= tolerance * scale) && wrong++ == 0)
            std::fprintf(stderr, "%s[%zu] is %g, but should be %g\n", what, i,
                         static_cast<double>(got[i]), static_cast<double>(want[i]));
    }
    return wrong;
}

inline int report(const char *name, int wrong)
{
    if (wrong)
        std::printf("%s: %d wrong values\n", name, wrong);
    else
        std::printf("%s: all values are right\n", name);
    return wrong != 0;
}

#endif
