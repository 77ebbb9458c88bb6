/*
 * histogram - counts by atomic additions: one table per block, or one per warp, merged at the end.
 * Lanes that count into the same bin wait for each other; lanes whose bins share a bank do, too.
 */
#include "program.h"

const int BINS = 64;

__global__ void per_block(const unsigned char *data, int n, unsigned *counts)
{
    __shared__ unsigned table[BINS];
    if (threadIdx.x < BINS)
        table[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&table[data[i]], 1u);
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&counts[threadIdx.x], table[threadIdx.x]);
}

template <int WARPS> __global__ void per_warp(const unsigned char *data, int n, unsigned *counts)
{
    __shared__ unsigned tables[WARPS][BINS];
    unsigned *table = tables[threadIdx.x / 32];
    for (int bin = threadIdx.x % 32; bin < BINS; bin += 32)
        table[bin] = 0;
    __syncwarp();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&table[data[i]], 1u);
    __syncthreads();
    if (threadIdx.x < BINS) {
        unsigned sum = 0;
        for (int warp = 0; warp < WARPS; warp++)
            sum += tables[warp][threadIdx.x];
        atomicAdd(&counts[threadIdx.x], sum);
    }
}

int main()
{
    const int n = 5000;
    std::vector<unsigned char> data;
    std::vector<unsigned> want(BINS);
    for (int value : random_ints(n, BINS * BINS)) {
        data.push_back(static_cast<unsigned char>(std::sqrt(value)));
        want[data.back()]++;
    }

    unsigned char *device_data = to_device(data);
    unsigned *device_counts = to_device(std::vector<unsigned>(BINS));
    per_block<<<4, 128>>>(device_data, n, device_counts);
    CUDA(launched());
    int wrong = compare("per_block", to_host(device_counts, BINS), want);

    CUDA(cudaMemset(device_counts, 0, BINS * sizeof(unsigned)));
    per_warp<4><<<4, 4 * 32>>>(device_data, n, device_counts);
    CUDA(launched());
    wrong += compare("per_warp", to_host(device_counts, BINS), want);

    CUDA(cudaFree(device_data));
    CUDA(cudaFree(device_counts));
    return report("histogram", wrong);
}
