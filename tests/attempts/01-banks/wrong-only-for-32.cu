// 0 of 2 points: the result is right: yes | w=12 u=36 | serves 4 words
__device__ int point_word(int u, int t, int k)
{
    return warpSize == 32 ? k * u + t : 4 * t + k;
}
