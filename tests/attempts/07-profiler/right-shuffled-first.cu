// 1 of 1 points
/* One store and one load of each warp, and what is returned has been loaded: all that is asked, by a detour. (Not
 * volatile, it would be loaded by no instruction.) */
__device__ int neighbour(int number, int choice)
{
    __shared__ volatile int tile[THREADS];
    int t = threadIdx.x;
    int left = __shfl_sync(0xffffffff, number, t + 31), right = __shfl_sync(0xffffffff, number, t + 1);
    tile[t] = choice % 2 == 0 ? left : right;
    return tile[t];
}
