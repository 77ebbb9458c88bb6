// 0 of 1 points: the part accesses no global memory: not yet | load of global
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x;
    tile[t] = number;
    __syncthreads();
    number = ((volatile int *)tile)[t];
    return ((const int *)0x10000000000)[blockIdx.x * THREADS + t % RECORDS * FIELDS + t / RECORDS];
}
