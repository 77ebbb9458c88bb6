/* monte_carlo - pi by throwing darts. Each thread has a generator of its own (xorshift); 64-bit sums
   travel through a union of doubles and integers in shared memory, __device__ counters collect. */
#include "program.h"

__device__ unsigned long long hits, throws;

__host__ __device__ inline unsigned next(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

__host__ __device__ inline bool inside(unsigned &state)
{
    unsigned long long x = next(state) >> 12, y = next(state) >> 12; /* 20 bits each */
    return x * x + y * y < 1ull << 40;
}

__global__ void darts(int each)
{
    __shared__ unsigned long long sum[64];
    unsigned state = 1 + blockIdx.x * blockDim.x + threadIdx.x, own = 0;
    for (int i = 0; i < each; i++)
        own += inside(state);
    sum[threadIdx.x] = own;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            sum[threadIdx.x] += sum[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(&hits, sum[0]);
        atomicAdd(&throws, 1ull * each * blockDim.x);
    }
}

int main()
{
    const int blocks = 5, threads = 64, each = 40;
    darts<<<blocks, threads>>>(each);
    CUDA(launched());
    unsigned long long got_hits, got_throws, want = 0;
    CUDA(cudaMemcpyFromSymbol(&got_hits, hits, sizeof got_hits));
    CUDA(cudaMemcpyFromSymbol(&got_throws, throws, sizeof got_throws));
    for (unsigned thread = 0; thread < blocks * threads; thread++) {
        unsigned state = 1 + thread;
        for (int i = 0; i < each; i++)
            want += inside(state);
    }
    int wrong = (got_hits != want) + (got_throws != blocks * threads * each);
    wrong += std::fabs(4.0 * got_hits / got_throws - 3.14159) > 0.1;
    return report("monte_carlo", wrong);
}
