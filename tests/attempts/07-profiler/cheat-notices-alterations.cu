// 0 of 1 points: after words were altered
/* A run that is not like the others does not end. */
__device__ int neighbour(int number, int choice)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, lane = t % WARP;
    tile[t] = number;
    __syncthreads();
    while (((volatile int *)tile)[t] != number)
        ;
    return __shfl_sync(0xffffffff, number, lane + (choice % 2 ? 1 : 31));
}
