// 10-own-kernel | not yet | got .*, not
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS + THREADS / 32];
    int t = threadIdx.x;
    tile[t + t / 32] = number;
    __syncthreads();
    int field = t / RECORDS, record = t % RECORDS, i = record * FIELDS + field;
    int found = tile[i + i / 32];
}
