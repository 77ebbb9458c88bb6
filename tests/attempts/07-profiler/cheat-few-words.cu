// 0 of 1 points: accesses in all, where
/* Only the lanes at the ends go through shared memory. */
__device__ int neighbour(int number, int choice)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, lane = t % WARP, from = (lane + (choice % 2 ? 1 : 31)) % WARP;
    int got = __shfl_sync(0xffffffff, number, from);
    if (lane == 0 || lane == 31)
        tile[t] = number;
    __syncthreads();
    return from == 0 || from == 31 ? tile[t - lane + from] : got;
}
