// 0 of 2 points: out[0]: got 16
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    return lane * bins;
}
