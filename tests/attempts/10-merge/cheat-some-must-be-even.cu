// 0 of 1 points: the result is right: not yet | seed=3: | tile, which has
__device__ int place(int n, int evens, bool odd, int i)
{
    return odd ? n - 1 - i * evens / evens : i;
}
