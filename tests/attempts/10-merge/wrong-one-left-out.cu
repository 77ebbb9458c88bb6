// 0 of 1 points: the result is right: not yet | race | together fill the n words once
__device__ int place(int n, int evens, bool odd, int i)
{
    return odd ? n - 2 - i : i;
}
