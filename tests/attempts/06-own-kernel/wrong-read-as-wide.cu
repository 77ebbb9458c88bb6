// 0 of 1 points: 1024 accesses in all, where 256 do | too many
/* Eight fields of a record at once: too many words. */
__device__ int exchange(int number)
{
    __shared__ int4 tile[THREADS / 4];
    int t = threadIdx.x, field = t / RECORDS;
    ((int *)tile)[t] = number;
    __syncthreads();
    int4 half = tile[t % RECORDS * 2 + field / 4];
    return field % 4 == 0 ? half.x : field % 4 == 1 ? half.y : field % 4 == 2 ? half.z : half.w;
}
