// 0 of 1 points: stage steps: no bank conflicts: not yet | must not be in the same banks
__device__ int element_word(int w, int i)
{
    return i < w ? i : w + (i + w / 2) % w;
}
