// 0 of 1 points: the result is right: not yet | tile, which has | exactly n words
__device__ int place(int n, int evens, bool odd, int i)
{
    return odd ? 2 * i + 1 : 2 * i;
}
