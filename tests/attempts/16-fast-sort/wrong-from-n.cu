// 0 of 1 points: tile, which has | the words of the tile 0 to n - 1
__device__ int place_b(int n, int na, int i)
{
    return n - i;
}
__device__ int pick(int w, int lane, int a, int b, int take, int j)
{
    int bank = (lane + j) % w, i = (bank - a % w + w) % w;
    if (i < take)
        return i;
    return take + (2 * w - 1 - b % w - bank) % w;
}
