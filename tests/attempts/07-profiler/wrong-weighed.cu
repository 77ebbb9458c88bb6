// 0 of 1 points: the result is right: yes | loads: 1 access of every thread: not yet | 512 accesses in all, where 256 do: too many | Choose the index
__device__ int neighbour(int number, int choice)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, lane = t % WARP, warp = t - lane;
    tile[t] = number;
    __syncthreads();
    return tile[warp + (lane + 31) % WARP] * (1 - choice % 2) + tile[warp + (lane + 1) % WARP] * (choice % 2);
}
