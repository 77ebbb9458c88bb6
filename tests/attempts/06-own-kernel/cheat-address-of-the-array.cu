// 0 of 1 points: got
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = number;
    return (int)(long)tile;
}
