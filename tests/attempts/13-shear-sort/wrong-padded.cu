// 0 of 1 points: the result is right: not yet | tile, which has | padding cannot work
__device__ int element_word(int w, int i)
{
    return i + i / w;
}
