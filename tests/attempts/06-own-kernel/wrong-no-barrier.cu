// 0 of 1 points: race | barrier must stand between
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS + 8];
    int t = threadIdx.x, i = t % RECORDS * FIELDS + t / RECORDS;
    tile[t + t / 32] = number;
    return tile[i + i / 32];
}
