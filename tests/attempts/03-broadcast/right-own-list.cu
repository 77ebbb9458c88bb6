// 1 of 1 points
__device__ int column(int w, int lane, int j)
{
    /* The columns in the order of this lane. */
    int order[64];
    for (int i = 0; i < w; i++)
        order[(i - lane + w) % w] = i;
    return order[j];
}
