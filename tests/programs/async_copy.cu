/*
 * async_copy - global to shared memory without registers in between, by the two interfaces that CUDA C++
 * has: memcpy_async of a cooperative group, and the pipeline primitives of a thread with two buffers,
 * one of which is filled while the other is used.
 */
#include "program.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

const int THREADS = 64;

__global__ void by_group(const int *in, int *out)
{
    __shared__ int tile[THREADS];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in + blockIdx.x * THREADS, sizeof(int) * THREADS);
    cg::wait(block);
    out[blockIdx.x * THREADS + threadIdx.x] = 2 * tile[THREADS - 1 - threadIdx.x];
}

__global__ void by_pipeline(const int4 *in, int *out, int tiles)
{
    __shared__ int4 buffers[2][THREADS];
    __pipeline_memcpy_async(&buffers[0][threadIdx.x], &in[threadIdx.x], sizeof(int4));
    __pipeline_commit();
    int sum = 0;
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles)
            __pipeline_memcpy_async(&buffers[(t + 1) % 2][threadIdx.x],
                                    &in[(t + 1) * THREADS + threadIdx.x], sizeof(int4));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        int4 other = buffers[t % 2][(threadIdx.x + 1) % THREADS];
        sum += other.x + other.y + other.z + other.w;
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

int main()
{
    const int blocks = 3, tiles = 5;
    std::vector<int> in = random_ints(blocks * THREADS, 1000), want(in.size());
    for (int i = 0; i < blocks * THREADS; i++)
        want[i] = 2 * in[i / THREADS * THREADS + THREADS - 1 - i % THREADS];
    int *device_in = to_device(in), *device_out = on_device<int>(in.size());
    by_group<<<blocks, THREADS>>>(device_in, device_out);
    CUDA(launched());
    int wrong = compare("by_group", to_host(device_out, in.size()), want);
    CUDA(cudaFree(device_in));

    in = random_ints(tiles * THREADS * 4, 1000);
    want.assign(THREADS, 0);
    for (int t = 0; t < tiles; t++)
        for (int i = 0; i < THREADS; i++)
            for (int k = 0; k < 4; k++)
                want[i] += in[(t * THREADS + (i + 1) % THREADS) * 4 + k];
    device_in = to_device(in);
    by_pipeline<<<1, THREADS>>>(reinterpret_cast<const int4 *>(device_in), device_out, tiles);
    CUDA(launched());
    wrong += compare("by_pipeline", to_host(device_out, THREADS), want);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return report("async_copy", wrong);
}
