// 0 of 1 points: the result is right: not yet: w=12 | what comes after the last one
__device__ int column(int w, int lane, int j)
{
    return (j + lane) & 31;
}
