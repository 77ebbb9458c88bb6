// 0 of 1 points: got | Even choices go left
__device__ int neighbour(int number, int choice)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, lane = t % WARP, warp = t - lane;
    tile[t] = number;
    __syncthreads();
    return tile[warp + (lane + (choice % 2 ? 31 : 1)) % WARP];
}
