// 0 of 2 points: the result is right: not yet | got | Does one word hold two of them
__device__ int point_word(int u, int t, int k)
{
    return t;
}
