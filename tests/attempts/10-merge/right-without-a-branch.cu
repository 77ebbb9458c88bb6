// 1 of 1 points
__device__ int place(int n, int evens, bool odd, int i)
{
    return i + odd * (n - 1 - 2 * i);
}
