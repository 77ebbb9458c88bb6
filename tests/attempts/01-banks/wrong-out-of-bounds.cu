// 0 of 2 points: the result is right: not yet | tile, which has | The words of the tile are
__device__ int point_word(int u, int t, int k)
{
    return k * u + t + 1;
}
