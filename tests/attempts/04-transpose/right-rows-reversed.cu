// 1 of 1 points
__device__ int element_word(int w, int r, int c)
{
    return (w - 1 - r) * w + (c + 2 * r) % w;
}
