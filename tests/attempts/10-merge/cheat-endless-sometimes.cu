// 0 of 1 points: seed=2: it does not end within
__device__ int place(int n, int evens, bool odd, int i)
{
    /* Only where all numbers are even. */
    while (evens == n)
        ;
    return odd ? n - 1 - i : i;
}
