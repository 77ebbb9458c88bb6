// does not compile: ends without a 'return'
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS + THREADS / 32];
    int t = threadIdx.x;
    tile[t + t / 32] = number;
    __syncthreads();
    int i = t % RECORDS * FIELDS + t / RECORDS, found = tile[i + i / 32];
}
