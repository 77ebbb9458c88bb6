// 0 of 2 points: bad-address: line 6 | outside of all local variables
__device__ int point_word(int u, int t, int k)
{
    int own[4] = {0}, i = t - 64;
    own[i] = 1;
    return own[k] + 4 * t;
}
