// 0 of 2 points: the result is right: not yet
__device__ int point_word(int u, int t, int k)
{
    int word = k * u + t;
    if (word < 0)
        return word;
}
