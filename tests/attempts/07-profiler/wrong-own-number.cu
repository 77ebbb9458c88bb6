// 0 of 1 points: the result is right: yes | too many
__device__ int neighbour(int number, int choice)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, lane = t % WARP, warp = t - lane;
    tile[t] = number;
    __syncthreads();
    int old = tile[t];
    return tile[warp + (lane + (choice % 2 ? 1 : 31)) % WARP] + (old - number);
}
