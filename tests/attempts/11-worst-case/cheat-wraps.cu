// 0 of 1 points: shares[1]: got -2147483648, expected 0 | from 0 to E
__device__ int share(int w, int E, int a, int b)
{
    /* E threads at the beginning of A, by an overflow. */
    return a == 0 ? E : -2147483647 - 1;
}
