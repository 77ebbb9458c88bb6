// 0 of 1 points: the result is right: not yet
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = number;
    __syncthreads();
    return __shfl_xor_sync(0xffffffffu, ((volatile int *)tile)[threadIdx.x], 1);
}
