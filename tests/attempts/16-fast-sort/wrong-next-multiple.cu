// 0 of 1 points: tile, which has
__device__ int place_b(int n, int na, int i)
{
    return (na + 31) / 32 * 32 + i;
}
__device__ int pick(int w, int lane, int a, int b, int take, int j)
{
    return (lane + j) % w;
}
