// 0 of 1 points: the result is right: not yet | No word is to spare
__device__ int element_word(int w, int r, int c)
{
    return r * (w + 1) + c;
}
