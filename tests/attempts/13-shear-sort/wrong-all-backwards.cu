// 0 of 1 points: stage load: no bank conflicts: yes | stage steps: no bank conflicts: not yet | must not be in the same banks
__device__ int element_word(int w, int i)
{
    return 2 * w - 1 - i;
}
