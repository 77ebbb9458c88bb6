// 0 of 1 points: 129 calls in each other
__device__ int place(int n, int evens, bool odd, int i)
{
    return n > 100000000 ? 0 : place(n + 1, evens, odd, i) + 1;
}
