// 1 of 1 points
__device__ int place_b(int n, int na, int i)
{
    return n + ~i;
}
__device__ int pick(int w, int lane, int a, int b, int take, int j)
{
    unsigned bank = (unsigned)(lane + j) % w, i = (bank + (unsigned)a * (w - 1)) % w;
    return i < (unsigned)take ? i : take + ((unsigned)(w - 1) + w * (unsigned)w - bank - b % w) % w;
}
