// 10-own-kernel | refused | an array is used with all its indices
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = number;
    return (int)(long)tile;
}
