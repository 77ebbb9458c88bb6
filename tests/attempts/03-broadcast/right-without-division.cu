// 1 of 1 points
__device__ int column(int w, int lane, int j)
{
    int k = lane + j;
    if (k >= w)
        k -= w;
    return k;
}
