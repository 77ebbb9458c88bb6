// 0 of 1 points: stage load: no bank conflicts: not yet | must still be in different banks
__device__ int element_word(int w, int i)
{
    return i / 2 + i % 2 * w;
}
