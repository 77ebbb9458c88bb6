// 1 of 1 points
__device__ int place_b(int n, int na, int i)
{
    return n - 1 - i;
}
__device__ int pick(int w, int lane, int a, int b, int take, int j)
{
    int bank = (w + lane - j) % w, i = (bank + w - a % w) % w;
    return i < take ? i : take + (3 * w - 1 - b % w - bank) % w;
}
