// 0 of 2 points: the result is right: not yet | got | two bins of a lane share one
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    return 4 * (bin / 4 * w + lane);
}
