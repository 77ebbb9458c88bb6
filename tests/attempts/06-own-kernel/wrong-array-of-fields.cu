// 0 of 1 points: stores: no bank conflicts: not yet | serves 4 words | numbers of 4 records
__device__ int exchange(int number)
{
    __shared__ int tile[FIELDS * (RECORDS + 1)];
    int t = threadIdx.x;
    tile[t % FIELDS * (RECORDS + 1) + t / FIELDS] = number;
    __syncthreads();
    int field = t / RECORDS, record = t % RECORDS, i = record * FIELDS + field;
    return tile[field * (RECORDS + 1) + record];
}
