/* Called by all threads of a block, each with its number; returns the number that it needs. */
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS + THREADS / 32];
    int t = threadIdx.x;
    tile[t + t / 32] = number;
    __syncthreads();
    int field = t / RECORDS, record = t % RECORDS;
    int i = record * FIELDS + field;
    return tile[i + i / 32];
}
