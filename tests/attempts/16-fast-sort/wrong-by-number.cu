// 0 of 1 points: stage gather: no bank conflicts: not yet | choose the bank first
__device__ int place_b(int n, int na, int i)
{
    return n - 1 - i;
}
__device__ int pick(int w, int lane, int a, int b, int take, int j)
{
    return (lane + j) % w;
}
