// 0 of 2 points: the result is right: not yet | race | Two numbers share a word
__device__ int point_word(int u, int t, int k)
{
    return t + k;
}
