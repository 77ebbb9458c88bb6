// 0 of 1 points: the part accesses no memory itself: not yet | line 5: load of global memory
__device__ int column(int w, int lane, int j)
{
    return ((const int *)0x10000000000)[j] ? (j + lane) % w : j;
}
