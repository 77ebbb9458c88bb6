/* grid_sync - all blocks of a cooperative launch wait for each other: sums of blocks, and after the
   barrier of the grid each block divides by the sum of all. */
#include "program.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void normalise(float *values, float *sums)
{
    __shared__ float part[64];
    cg::grid_group grid = cg::this_grid();
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    part[tid] = values[i];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (tid < half)
            part[tid] += part[tid + half];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = part[0];
    grid.sync();
    float sum = 0;
    for (int block = 0; block < gridDim.x; block++)
        sum += sums[block];
    values[i] /= sum;
}

int main()
{
    const int blocks = 8, threads = 64, n = blocks * threads;
    std::vector<float> in = random_floats(n), want(n);
    float sum = 0;
    for (float &value : in)
        sum += value += 5;
    for (int i = 0; i < n; i++)
        want[i] = in[i] / sum;

    float *values = to_device(in), *sums = on_device<float>(blocks);
    void *arguments[] = {&values, &sums};
    CUDA(cudaLaunchCooperativeKernel((void *)normalise, blocks, threads, arguments, 0, nullptr));
    CUDA(launched());
    int wrong = compare("values", to_host(values, n), want, 1e-6);
    CUDA(cudaFree(values));
    CUDA(cudaFree(sums));
    return report("grid_sync", wrong);
}
