// 0 of 2 points: the result is right: not yet | padding cannot work here
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    return 4 * (bin * w + lane);
}
