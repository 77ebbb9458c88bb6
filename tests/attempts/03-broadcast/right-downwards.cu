// 1 of 1 points
__device__ int column(int w, int lane, int j)
{
    return (lane - j + w) % w;
}
