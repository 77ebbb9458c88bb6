// 0 of 1 points: the result is right: yes | stage multiply: no bank conflicts: not yet | serves 2 words | which number alone decides
__device__ int column(int w, int lane, int j)
{
    return (j + 2 * lane) % w;
}
