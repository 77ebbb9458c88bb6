// 2 of 2 points
__device__ int point_word(int u, int t, int k)
{
    return (3 - k) * u + (u - 1 - t);
}
