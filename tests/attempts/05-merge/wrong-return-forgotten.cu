// 0 of 1 points: the result is right: not yet | race
__device__ int place(int n, int evens, bool odd, int i)
{
    int word = odd ? n - 1 - i : i;
}
