// 1 of 1 points
__device__ int place(int n, int evens, bool odd, int i)
{
    return odd ? i : n - 1 - i;
}
