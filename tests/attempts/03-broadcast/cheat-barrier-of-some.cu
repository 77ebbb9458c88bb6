// 0 of 1 points: barrier | no bank conflicts: not yet
__device__ int column(int w, int lane, int j)
{
    if (lane % 2)
        __syncthreads();
    return j;
}
