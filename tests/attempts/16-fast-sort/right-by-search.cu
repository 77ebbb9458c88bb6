// 1 of 1 points
__device__ int place_b(int n, int na, int i)
{
    return n - (i + 1);
}
__device__ int pick(int w, int lane, int a, int b, int take, int j)
{
    for (int i = 0; i < w; i++) {
        int bank = i < take ? (a + i) % w : w - 1 - (b + i - take) % w;
        if (bank == (lane + j) % w)
            return i;
    }
    return 0;
}
