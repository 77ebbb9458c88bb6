// 0 of 1 points: the result is right: not yet | no index may leave
__device__ int neighbour(int number, int choice)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, lane = t % WARP, warp = t - lane;
    tile[t] = number;
    __syncthreads();
    return tile[t + (choice % 2 == 0 ? -1 : 1)];
}
