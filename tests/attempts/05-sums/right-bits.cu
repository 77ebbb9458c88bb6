// 2 of 2 points
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    return (bin & ~3) * w + (lane << 2 | (bin & 3));
}
