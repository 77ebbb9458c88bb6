// 0 of 1 points: race | barrier must stand between
__device__ int neighbour(int number, int choice)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, lane = t % WARP, warp = t - lane;
    tile[t] = number;
    return tile[warp + (lane + (choice % 2 ? 1 : 31)) % WARP];
}
