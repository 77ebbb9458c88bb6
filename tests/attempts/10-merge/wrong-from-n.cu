// 0 of 1 points: the result is right: not yet | tile, which has | the last number may be even or odd
__device__ int place(int n, int evens, bool odd, int i)
{
    return odd ? n - i : i;
}
