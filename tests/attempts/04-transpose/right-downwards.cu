// 1 of 1 points
__device__ int element_word(int w, int r, int c)
{
    return r * w + (c - r + w) % w;
}
