// 0 of 1 points: the result is right: not yet | race | only one element
__device__ int element_word(int w, int i)
{
    return i < w ? i : 2 * w - i;
}
