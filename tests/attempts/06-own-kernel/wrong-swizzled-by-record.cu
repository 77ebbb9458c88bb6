// 0 of 1 points: stores: no bank conflicts: yes | loads: no bank conflicts: not yet | same field of 32 records
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x;
    tile[t ^ t / 8 % 8] = number;
    __syncthreads();
    int field = t / RECORDS, record = t % RECORDS, i = record * FIELDS + field;
    return tile[i ^ i / 8 % 8];
}
