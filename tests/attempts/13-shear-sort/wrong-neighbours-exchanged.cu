// 0 of 1 points: stage steps: no bank conflicts: not yet
__device__ int element_word(int w, int i)
{
    return i < w ? i : i ^ 1;
}
