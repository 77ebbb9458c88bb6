// 0 of 1 points: the result is right: not yet
__device__ int element_word(int w, int i)
{
    return (int)(clock64() % 2) ? i : 3 * w - 1 - i;
}
