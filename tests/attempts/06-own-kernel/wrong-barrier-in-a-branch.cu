// 0 of 1 points: the result is right: not yet
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS + 8];
    int t = threadIdx.x, i = t % RECORDS * FIELDS + t / RECORDS;
    tile[t + t / 32] = number;
    if (t < THREADS / 2)
        __syncthreads();
    return tile[i + i / 32];
}
