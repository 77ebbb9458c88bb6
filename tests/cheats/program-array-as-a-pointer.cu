// 10-own-kernel | refused | 'tile': an array is used with all its indices
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = number;
    __syncthreads();
    return (tile + 1000000)[0];
}
