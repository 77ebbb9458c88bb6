// 1 of 1 points
__device__ int neighbour(int number, int choice)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, lane = t % WARP, warp = t - lane;
    __shared__ int row[THREADS / WARP][WARP];
    auto at = [](int l) { return (l + WARP) % WARP; };
    row[t / WARP][lane] = number;
    __syncthreads();
    const int side[2] = {-1, 1};
    return row[t / WARP][at(lane + side[choice % 2])];
}
