// 0 of 1 points: the result is right: not yet
__device__ void scan_color(int *sums, int w, int c)
{
    if (c == 0)
        __syncthreads();
}
