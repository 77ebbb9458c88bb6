// 0 of 2 points: assert: line 5
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    assert(bin < 0);
    return lane * bins + bin;
}
