// 2 of 2 points
__device__ int point_word(int u, int t, int k)
{
    switch (k) {
    case 0:
        return t;
    case 1:
        return u + t;
    case 2:
        return 2 * u + t;
    default:
        return 3 * u + t;
    }
}
