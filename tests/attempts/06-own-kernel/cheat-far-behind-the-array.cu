// 0 of 1 points: bad-address
__device__ int exchange(int number)
{
    __shared__ int tile[8][32];
    tile[threadIdx.x / 32][threadIdx.x % 32] = number;
    __syncthreads();
    return (tile[0] + 1000000)[0];
}
