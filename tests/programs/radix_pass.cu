/*
 * radix_pass - one pass of a radix sort over 4 bits. Each warp ranks its 32 digits with match_any:
 * lanes of one digit see each other, the number of earlier ones is the rank. A table of 16 counts per
 * warp, scanned digit by digit, gives each key its place in the block.
 */
#include "program.h"

const int WARPS = 4, THREADS = WARPS * 32, DIGITS = 16;

__global__ void radix_pass(const unsigned *in, unsigned *out, int shift)
{
    __shared__ unsigned counts[DIGITS][WARPS];
    __shared__ unsigned sorted[THREADS];
    unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    unsigned key = in[blockIdx.x * THREADS + tid], digit = (key >> shift) % DIGITS;

    if (tid < DIGITS * WARPS)
        (&counts[0][0])[tid] = 0;
    __syncthreads();

    unsigned peers = __match_any_sync(0xffffffff, digit);
    unsigned rank = __popc(peers & ((1u << lane) - 1));
    if (rank == 0)
        counts[digit][warp] = __popc(peers);
    __syncthreads();

    if (warp == 0) { /* exclusive sums of 64 counts: two per lane */
        unsigned *pair = &counts[0][0] + 2 * lane;
        unsigned first = pair[0], sum = first + pair[1], scan = sum;
        for (int step = 1; step < 32; step *= 2) {
            unsigned before = __shfl_up_sync(0xffffffff, scan, step);
            if (lane >= step)
                scan += before;
        }
        pair[0] = scan - sum;
        pair[1] = scan - sum + first;
    }
    __syncthreads();

    sorted[counts[digit][warp] + rank] = key;
    __syncthreads();
    out[blockIdx.x * THREADS + tid] = sorted[tid];
}

int main()
{
    const int blocks = 4, n = blocks * THREADS, shift = 4;
    std::vector<unsigned> in;
    for (int value : random_ints(n, 1 << 20))
        in.push_back(value);
    std::vector<unsigned> want(in);
    for (int block = 0; block < blocks; block++)
        std::stable_sort(
            want.begin() + block * THREADS, want.begin() + (block + 1) * THREADS,
            [=](unsigned a, unsigned b) { return (a >> shift) % DIGITS < (b >> shift) % DIGITS; });

    unsigned *device_in = to_device(in), *device_out = on_device<unsigned>(n);
    radix_pass<<<blocks, THREADS>>>(device_in, device_out, shift);
    CUDA(launched());
    int wrong = compare("out", to_host(device_out, n), want);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return report("radix_pass", wrong);
}
