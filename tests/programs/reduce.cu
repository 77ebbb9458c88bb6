/*
 * reduce - seven ways to sum, each better than the one before. A block sums its part of the input
 * and writes one number.
 *
 *   interleaved    every second, fourth, ... thread works: the warps diverge
 *   strided        the first threads work, at words 2 s apart: conflicts
 *   sequential     the first threads work, at consecutive words: none
 *   first_add      and each thread adds two words as it loads them
 *   last_warp      and the last warp goes on without block barriers
 *   shuffled       and the last warp exchanges registers
 *   many           and each thread sums as many words as there are: the grid's size is free
 */
#include "program.h"

const int THREADS = 128;

__global__ void interleaved(const int *in, int *sums, int n)
{
    __shared__ int part[THREADS];
    unsigned tid = threadIdx.x;
    part[tid] = in[blockIdx.x * THREADS + tid];
    __syncthreads();
    for (unsigned s = 1; s < THREADS; s *= 2) {
        if (tid % (2 * s) == 0)
            part[tid] += part[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = part[0];
}

__global__ void strided(const int *in, int *sums, int n)
{
    __shared__ int part[THREADS];
    unsigned tid = threadIdx.x;
    part[tid] = in[blockIdx.x * THREADS + tid];
    __syncthreads();
    for (unsigned s = 1; s < THREADS; s *= 2) {
        unsigned i = 2 * s * tid;
        if (i < THREADS)
            part[i] += part[i + s];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = part[0];
}

__global__ void sequential(const int *in, int *sums, int n)
{
    __shared__ int part[THREADS];
    unsigned tid = threadIdx.x;
    part[tid] = in[blockIdx.x * THREADS + tid];
    __syncthreads();
    for (unsigned s = THREADS / 2; s > 0; s /= 2) {
        if (tid < s)
            part[tid] += part[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = part[0];
}

__global__ void first_add(const int *in, int *sums, int n)
{
    __shared__ int part[THREADS];
    unsigned tid = threadIdx.x, i = blockIdx.x * THREADS * 2 + tid;
    part[tid] = in[i] + in[i + THREADS];
    __syncthreads();
    for (unsigned s = THREADS / 2; s > 0; s /= 2) {
        if (tid < s)
            part[tid] += part[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = part[0];
}

__global__ void last_warp(const int *in, int *sums, int n)
{
    __shared__ int part[THREADS];
    unsigned tid = threadIdx.x, i = blockIdx.x * THREADS * 2 + tid;
    part[tid] = in[i] + in[i + THREADS];
    __syncthreads();
    for (unsigned s = THREADS / 2; s > 32; s /= 2) {
        if (tid < s)
            part[tid] += part[tid + s];
        __syncthreads();
    }
    if (tid < 32) {
        /* All 32 lanes add, though only the first s of each step matter: each reads before any
           writes. */
        int sum = part[tid] + part[tid + 32];
        for (unsigned s = 16; s > 0; s /= 2) {
            part[tid] = sum;
            __syncwarp();
            sum += part[(tid + s) % 32];
            __syncwarp();
        }
        if (tid == 0)
            sums[blockIdx.x] = sum;
    }
}

__device__ int warp_sum(int value)
{
    for (int s = 16; s > 0; s /= 2)
        value += __shfl_down_sync(0xffffffff, value, s);
    return value;
}

/* The sum of one value per thread, in thread 0. One word of shared memory per warp. */
__device__ int block_sum(int value)
{
    __shared__ int part[THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_sum(value);
    if (lane == 0)
        part[warp] = value;
    __syncthreads();
    value = threadIdx.x < THREADS / 32 ? part[lane] : 0;
    return warp == 0 ? warp_sum(value) : 0;
}

__global__ void shuffled(const int *in, int *sums, int n)
{
    unsigned i = blockIdx.x * THREADS * 2 + threadIdx.x;
    int sum = block_sum(in[i] + in[i + THREADS]);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

__global__ void many(const int *in, int *sums, int n)
{
    int sum = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += THREADS * gridDim.x)
        sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

int main()
{
    const int n = 2048;
    std::vector<int> in = random_ints(n, 1000);
    long want = 0;
    for (int value : in)
        want += value;

    struct {
        const char *name;
        void (*kernel)(const int *, int *, int);
        int blocks;
    } versions[] = {
        {"interleaved", interleaved, n / THREADS},
        {"strided", strided, n / THREADS},
        {"sequential", sequential, n / THREADS},
        {"first_add", first_add, n / THREADS / 2},
        {"last_warp", last_warp, n / THREADS / 2},
        {"shuffled", shuffled, n / THREADS / 2},
        {"many", many, 3},
    };
    int *device_in = to_device(in), *device_sums = on_device<int>(n / THREADS);
    int wrong = 0;
    for (auto &version : versions) {
        version.kernel<<<version.blocks, THREADS>>>(device_in, device_sums, n);
        CUDA(launched());
        long sum = 0;
        for (int part : to_host(device_sums, version.blocks))
            sum += part;
        wrong += compare(version.name, std::vector<long>{sum}, std::vector<long>{want});
    }
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_sums));
    return report("reduce", wrong);
}
