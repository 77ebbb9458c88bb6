// 0 of 1 points: the result is right: not yet: w=12 | take every column once
__device__ int column(int w, int lane, int j)
{
    return (j ^ lane) % w;
}
