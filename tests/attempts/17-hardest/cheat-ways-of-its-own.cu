// 0 of 1 points: the part accesses no memory itself: not yet
/* Conflicts beside those that are asked. */
__device__ int share(int w, int E, int t, int a, int b)
{
    extern __shared__ int tile[];
    return E + 0 * ((volatile int *)tile)[w * (threadIdx.x % E)];
}
