// launch: grid 2 1 1; block 256 1 1; bins 64 zeros; in 4096 random; n 4096
// Counts how often each of 64 values occurs: first in shared memory, then once for all blocks.
__global__ void histogram(int *bins, const int *in, int n)
{
    __shared__ int count[64];
    int t = threadIdx.x;
    if (t < 64)
        count[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        atomicAdd(&count[in[i] % 64], 1);
    __syncthreads();
    if (t < 64)
        atomicAdd(&bins[t], count[t]);
}
