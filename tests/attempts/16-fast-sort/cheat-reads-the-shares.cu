// 0 of 1 points: the part accesses no memory itself: not yet
__device__ int place_b(int n, int na, int i)
{
    return n - 1 - i;
}
__device__ int pick(int w, int lane, int a, int b, int take, int j)
{
    if (((const int *)0x10000000000)[threadIdx.x] < 0)
        return 0;
    int bank = (lane + j) % w, i = (bank - a % w + w) % w;
    if (i < take)
        return i;
    return take + (2 * w - 1 - b % w - bank) % w;
}
