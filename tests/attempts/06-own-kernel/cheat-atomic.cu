// 0 of 1 points: stores: 1 access of every thread: not yet
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x;
    tile[t] = number;
    __syncthreads();
    return atomicAdd(&tile[t % RECORDS * FIELDS + t / RECORDS], 0);
}
