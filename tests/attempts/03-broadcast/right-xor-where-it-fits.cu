// 1 of 1 points
__device__ int column(int w, int lane, int j)
{
    return (w & (w - 1)) == 0 ? lane ^ j : (w - 1 - j + lane) % w;
}
