// 0 of 1 points: the result is right: not yet
/* The shared memory of another block. */
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x;
    tile[t] = number;
    __syncthreads();
    return ((volatile int *)tile)[THREADS + t % RECORDS * FIELDS + t / RECORDS];
}
