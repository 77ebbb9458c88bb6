// 0 of 1 points: stores: no bank conflicts: not yet | numbers of 4 records
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS + RECORDS];
    int t = threadIdx.x;
    tile[t + t / 8] = number;
    __syncthreads();
    int field = t / RECORDS, record = t % RECORDS, i = record * FIELDS + field;
    return tile[i + i / 8];
}
