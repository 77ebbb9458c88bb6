// 0 of 2 points: line 6: load of shared memory | too many
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    __shared__ int counts[1024];
    counts[threadIdx.x]++;
    return 4 * (bin / 4 * w + lane) + bin % 4;
}
