/* compaction - keeps the positive values: ballot and popc number the lanes that keep one, a word per
   warp in shared memory numbers the warps, __syncthreads_count the block. */
#include "program.h"

const int THREADS = 128;

__global__ void keep_positive(const int *in, int *out, int *counts)
{
    __shared__ int warp_begin[THREADS / 32];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int value = in[blockIdx.x * THREADS + tid];
    bool keep = value > 0;
    unsigned kept = __ballot_sync(0xffffffff, keep);
    if (lane == 0)
        warp_begin[warp] = __popc(kept);
    int count = __syncthreads_count(keep);
    int begin = 0;
    for (int w = 0; w < warp; w++)
        begin += warp_begin[w];
    if (keep)
        out[blockIdx.x * THREADS + begin + __popc(kept & ((1u << lane) - 1))] = value;
    if (tid == 0)
        counts[blockIdx.x] = count;
}

int main()
{
    const int blocks = 4, n = blocks * THREADS;
    std::vector<int> in = random_ints(n, 100), want, want_counts(blocks), got;
    for (int i = 0; i < n; i++) {
        in[i] -= 40;
        if (in[i] > 0) {
            want.push_back(in[i]);
            want_counts[i / THREADS]++;
        }
    }
    int *device_in = to_device(in), *device_out = on_device<int>(n);
    int *device_counts = on_device<int>(blocks);
    keep_positive<<<blocks, THREADS>>>(device_in, device_out, device_counts);
    CUDA(launched());
    std::vector<int> out = to_host(device_out, n), counts = to_host(device_counts, blocks);
    int wrong = compare("counts", counts, want_counts);
    for (int block = 0; block < blocks; block++)
        for (int i = 0; i < want_counts[block]; i++)
            got.push_back(out[block * THREADS + i]);
    wrong += compare("kept", got, want);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    CUDA(cudaFree(device_counts));
    return report("compaction", wrong);
}
