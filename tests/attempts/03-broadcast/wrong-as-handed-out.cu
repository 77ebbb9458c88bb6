// 0 of 1 points: the result is right: yes | stage multiply: no bank conflicts: not yet: w=32 u=64 | bank 0 serves 32 words | which number alone decides
__device__ int column(int w, int lane, int j)
{
    return j;
}
