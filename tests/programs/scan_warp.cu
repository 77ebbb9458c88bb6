/*
 * scan_warp - inclusive prefix sums of a block: each warp scans its 32 values with shuffles, the first
 * warp scans the warps' sums, and each warp adds what came before it.
 */
#include "program.h"

__device__ int warp_scan(int value)
{
    int lane = threadIdx.x % 32;
    for (int step = 1; step < 32; step *= 2) {
        int before = __shfl_up_sync(0xffffffff, value, step);
        if (lane >= step)
            value += before;
    }
    return value;
}

__global__ void scan(const int *in, int *out)
{
    __shared__ int warp_sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;

    int value = warp_scan(in[i]);
    if (lane == 31)
        warp_sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int sum = warp_scan(lane < warps ? warp_sums[lane] : 0);
        if (lane < warps)
            warp_sums[lane] = sum;
    }
    __syncthreads();
    out[i] = value + (warp > 0 ? warp_sums[warp - 1] : 0);
}

int main()
{
    const int blocks = 3, threads = 512, n = blocks * threads;
    std::vector<int> in = random_ints(n, 100), want(in);
    for (int i = 0; i < n; i++)
        if (i % threads != 0)
            want[i] += want[i - 1];

    int *device_in = to_device(in), *device_out = on_device<int>(n);
    scan<<<blocks, threads>>>(device_in, device_out);
    CUDA(launched());
    int wrong = compare("out", to_host(device_out, n), want);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return report("scan_warp", wrong);
}
