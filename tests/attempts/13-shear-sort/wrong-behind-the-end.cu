// 0 of 1 points: tile, which has | padding cannot work
__device__ int element_word(int w, int i)
{
    return i < w ? i : 4 * w - i;
}
