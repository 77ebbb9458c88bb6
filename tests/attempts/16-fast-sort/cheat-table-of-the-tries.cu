// 0 of 1 points: the result is right: yes | stage gather: no bank conflicts: not yet
__device__ int place_b(int n, int na, int i)
{
    return n - 1 - i;
}
__device__ int pick(int w, int lane, int a, int b, int take, int j)
{
    bool known = w == 8 ? blockDim.x == 8 : w == 32 ? blockDim.x == 64 : w == 12 ? blockDim.x == 36 : w == 7;
    if (!known)
        return j;
    int bank = (lane + j) % w, i = (bank - a % w + w) % w;
    if (i < take)
        return i;
    return take + (2 * w - 1 - b % w - bank) % w;
}
