// 1 of 1 points
__device__ int key_word(int rounds, int i)
{
    /* The keys of round r are words 2^r to 2^(r + 1) - 1, in their order. */
    if (i == 0)
        return 0;
    int r = rounds - __ffs(i);
    return (1 << r) + (i >> (rounds - r));
}
