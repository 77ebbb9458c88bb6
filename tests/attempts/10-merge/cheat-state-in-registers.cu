// 0 of 1 points: the result is right: not yet | race
__device__ int place(int n, int evens, bool odd, int i)
{
    /* What is left of the call before. */
    int state[1];
    if (i == 0)
        state[0] = 0;
    return odd ? evens + i : state[0]++;
}
