/* The word, from 0 to n - 1, that holds number i of B (from 0). A has na numbers, in words 0 to
 * na - 1. */
__device__ int place_b(int n, int na, int i)
{
    return n - 1 - i;
}

/* Which of its w numbers a lane reads in round j. Its numbers 0 to take - 1 are numbers a, a + 1, ...
 * of A; its numbers take to w - 1 are numbers b, b + 1, ... of B. In w rounds it must read each once. */
__device__ int pick(int w, int lane, int a, int b, int take, int j)
{
    int bank = (lane + j) % w, i = (bank - a % w + w) % w;
    if (i < take)
        return i;
    return take + (2 * w - 1 - b % w - bank) % w;
}
