// 0 of 1 points: the result is right: not yet
__device__ int element_word(int w, int r, int c)
{
    return r * w + (c ^ r);
}
