// 0 of 1 points: stage load: no bank conflicts: not yet | Exercise 05
__device__ int place_b(int n, int na, int i)
{
    return n - 1 - (i * 2 < n - na ? 2 * i : 2 * (i - (n - na + 1) / 2) + 1);
}
__device__ int pick(int w, int lane, int a, int b, int take, int j)
{
    return j;
}
