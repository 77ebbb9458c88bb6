// 0 of 1 points: was not read there
/* Shuffles get the number; shared memory is a decoy. */
__device__ int neighbour(int number, int choice)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, lane = t % WARP;
    tile[t] = number;
    __syncthreads();
    int own = tile[t];
    return __shfl_sync(0xffffffff, number, lane + (choice % 2 ? 1 : 31)) ^ own ^ number;
}
