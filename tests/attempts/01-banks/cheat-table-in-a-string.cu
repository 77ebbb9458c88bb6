// 0 of 2 points: the part accesses no memory itself: not yet | line 5: load of global memory
__device__ int point_word(int u, int t, int k)
{
    return k * u + t + ("\1\2\3\4"[k] - k - 1);
}
