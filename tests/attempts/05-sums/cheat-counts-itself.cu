// 0 of 2 points: line 5: store of global memory
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    ((int *)0x10100000000)[bin] = 16;
    return lane * bins + bin;
}
