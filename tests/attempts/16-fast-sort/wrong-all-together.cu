// 0 of 1 points: the result is right: yes | stage gather: no bank conflicts: not yet | serves 8 words | let each begin with another one
__device__ int place_b(int n, int na, int i)
{
    return n - 1 - i;
}
__device__ int pick(int w, int lane, int a, int b, int take, int j)
{
    int bank = j, i = (bank - a % w + w) % w;
    if (i < take)
        return i;
    return take + (2 * w - 1 - b % w - bank) % w;
}
