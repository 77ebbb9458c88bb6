// 0 of 1 points: at once | Choose the index
__device__ int neighbour(int number, int choice)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, lane = t % WARP, warp = t - lane;
    tile[t] = number;
    __syncthreads();
    return choice % 2 == 0 ? tile[warp + (lane + 31) % WARP] : tile[warp + (lane + 1) % WARP];
}
