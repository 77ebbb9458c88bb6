// 1 of 1 points
__device__ int element_word(int w, int i)
{
    return i < w ? w + i : 2 * w - 1 - i;
}
