// 0 of 1 points: at once | all lanes make them at the same time
/* Four warps at a time use the same words: half of the shared memory, more barriers. */
__device__ int exchange(int number)
{
    __shared__ int tile[2][THREADS / 2 + 4];
    int t = threadIdx.x, i = t % RECORDS * FIELDS + t / RECORDS, half = i / (THREADS / 2), mine = 0;
    for (int h = 0; h < 2; h++) {
        if (t / (THREADS / 2) == h)
            tile[0][t % 128 + t % 128 / 32] = number;
        __syncthreads();
        if (half == h)
            mine = tile[0][i % 128 + i % 128 / 32];
        __syncthreads();
    }
    return mine;
}
