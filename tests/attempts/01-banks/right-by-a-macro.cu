// 2 of 2 points
#define PLACE(k, t) ((k) * u + (t))
__device__ int point_word(int u, int t, int k)
{
    return PLACE(k, t);
}
