// 0 of 1 points: the result is right: not yet | race
__device__ int place(int n, int evens, bool odd, int i)
{
    /* Where lanes meet, the upper one takes another word. */
    int word = odd ? evens + i : i;
    for (int lane = 0; lane < 32; lane++)
        if (__shfl_sync(~0u, word, lane) % 32 == word % 32 && lane < threadIdx.x % 32)
            word = (word + 1) % n;
    return word;
}
