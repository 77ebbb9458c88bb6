// 1 of 1 points
__device__ int exchange(int number)
{
    __shared__ int tile[8][33];
    int t = threadIdx.x;
    tile[t / 32][t % 32] = number;
    __syncthreads();
    int field = t / RECORDS, record = t % RECORDS, i = record * FIELDS + field;
    return tile[i / 32][i % 32];
}
