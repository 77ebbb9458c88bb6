// 1 of 1 points
__device__ int neighbour(int number, int choice)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, lane = t % WARP, warp = t - lane;
    int *mine = &tile[warp];
    mine[WARP - 1 - lane] = number;
    __syncthreads();
    mine += (2 * WARP - 1 - lane - (choice % 2 ? 1 : -1)) % WARP;
    return *mine;
}
