// 0 of 1 points: bad-address: line 7: | at tile[256], byte 1024 of tile | large enough
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x;
    tile[t + t / 32] = number;
    __syncthreads();
    int field = t / RECORDS, record = t % RECORDS, i = record * FIELDS + field;
    return tile[i + i / 32];
}
