// 1 of 1 points
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x;
    tile[t / 32 * 32 + (t + t / 32) % 32] = number;
    __syncthreads();
    int field = t / RECORDS, record = t % RECORDS, i = record * FIELDS + field;
    return tile[i / 32 * 32 + (i + i / 32) % 32];
}
