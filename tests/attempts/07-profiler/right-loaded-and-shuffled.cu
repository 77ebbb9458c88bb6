// 1 of 1 points
__device__ int neighbour(int number, int choice)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, lane = t % WARP, warp = t - lane;
    tile[t] = number;
    __syncthreads();
    return __shfl_sync(0xffffffff, tile[t], lane + (choice % 2 ? 1 : 31));
}
