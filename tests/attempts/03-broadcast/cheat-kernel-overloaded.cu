// 0 of 1 points: the result is right: yes | serves 32 words
__device__ int column(unsigned w, unsigned lane, unsigned j)
{
    return j;
}
__device__ int column(long w, int lane, int j)
{
    return 0;
}
__device__ int column(int w, int lane, int j)
{
    return j;
}
