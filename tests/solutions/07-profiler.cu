/* Called by all threads of a block; returns the neighbour's number. */
__device__ int neighbour(int number, int choice)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, lane = t % WARP, warp = t - lane;
    tile[t] = number;
    __syncthreads();
    int step = choice % 2 == 0 ? WARP - 1 : 1;
    return tile[warp + (lane + step) % WARP];
}
