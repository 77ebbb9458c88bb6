// 2 of 2 points
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    return 4 * (bin / 4 * w + threadIdx.x % warpSize) + bin % 4 + 0 * lane;
}
