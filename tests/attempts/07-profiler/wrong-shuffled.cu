// 0 of 1 points: data must go through shared memory | loads its neighbour's there
__device__ int neighbour(int number, int choice)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, lane = t % WARP, warp = t - lane;
    return __shfl_sync(0xffffffff, number, lane + (choice % 2 ? 1 : 31));
}
