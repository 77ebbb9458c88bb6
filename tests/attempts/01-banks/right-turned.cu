// 2 of 2 points
__device__ int point_word(int u, int t, int k)
{
    /* Every number in a circle, k places further. */
    return k * u + (t + k) % u;
}
