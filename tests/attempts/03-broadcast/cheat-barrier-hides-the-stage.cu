// 0 of 1 points: meet at 2 barriers, where the exercise has 1 | 0 accesses in all
__device__ int column(int w, int lane, int j)
{
    /* Behind one more barrier there is no stage with a goal. */
    if (j == 0)
        __syncthreads();
    return j;
}
