// 0 of 2 points: bad-address: a store of 4 bytes at tile[-1], byte -4 of tile, which has 1024 bytes | 0 to 4 u - 1
__device__ int point_word(int u, int t, int k)
{
    return 4 * t + k - 1;
}
