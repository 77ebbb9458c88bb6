// 0 of 1 points: the result is right: not yet | race | Two numbers share a word
__device__ int place(int n, int evens, bool odd, int i)
{
    return i;
}
