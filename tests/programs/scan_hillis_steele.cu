/*
 * scan_hillis_steele - inclusive prefix sums in log2(n) steps of n additions.
 *
 * Two arrays take turns, so that one barrier per step is enough. {3, 1, 7, 0, 4} becomes
 * {3, 4, 8, 7, 4}, {3, 4, 11, 11, 12}, {3, 4, 11, 11, 15}.
 */
#include "program.h"

const int N = 256;

__global__ void scan(const int *in, int *out)
{
    __shared__ int sums[2][N];
    int tid = threadIdx.x, from = 0;
    sums[from][tid] = in[blockIdx.x * N + tid];
    __syncthreads();
    for (int step = 1; step < N; step *= 2) {
        int sum = sums[from][tid];
        if (tid >= step)
            sum += sums[from][tid - step];
        sums[1 - from][tid] = sum;
        from = 1 - from;
        __syncthreads();
    }
    out[blockIdx.x * N + tid] = sums[from][tid];
}

int main()
{
    const int blocks = 4;
    std::vector<int> in = random_ints(blocks * N, 100), want(in);
    for (int i = 0; i < blocks * N; i++)
        if (i % N != 0)
            want[i] += want[i - 1];

    int *device_in = to_device(in), *device_out = on_device<int>(blocks * N);
    scan<<<blocks, N>>>(device_in, device_out);
    CUDA(launched());
    int wrong = compare("out", to_host(device_out, blocks * N), want);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return report("scan_hillis_steele", wrong);
}
