// 1 of 1 points
__device__ int element_word(int w, int r, int c)
{
    return r * w + (c + (w + 1) / 2 * r) % w;
}
