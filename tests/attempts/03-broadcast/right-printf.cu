// 1 of 1 points
__device__ int column(int w, int lane, int j)
{
    printf("%d\n", j);
    return (j + lane) % w;
}
