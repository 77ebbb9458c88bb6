// 0 of 1 points: serves
__device__ int exchange(int number)
{
    __shared__ int tile[2 * THREADS];
    int t = threadIdx.x;
    tile[2 * t] = number;
    __syncthreads();
    int field = t / RECORDS, record = t % RECORDS, i = record * FIELDS + field;
    return tile[2 * i];
}
