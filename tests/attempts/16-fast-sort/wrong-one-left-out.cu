// 0 of 1 points: the result is right: not yet
__device__ int place_b(int n, int na, int i)
{
    return n - 2 - i;
}
__device__ int pick(int w, int lane, int a, int b, int take, int j)
{
    int bank = (lane + j) % w, i = (bank - a % w + w) % w;
    if (i < take)
        return i;
    return take + (2 * w - 1 - b % w - bank) % w;
}
