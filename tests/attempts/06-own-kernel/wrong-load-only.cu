// 0 of 1 points: the result is right: not yet | same place
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS + 8];
    int t = threadIdx.x;
    tile[t] = number;
    __syncthreads();
    int field = t / RECORDS, record = t % RECORDS, i = record * FIELDS + field;
    return tile[i + i / 32];
}
