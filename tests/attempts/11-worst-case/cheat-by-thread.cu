// 0 of 1 points: sums[5]: got
__device__ int share(int w, int E, int a, int b)
{
    /* What a thread takes is not what the others think that it takes. */
    return threadIdx.x % w < E ? E : 0;
}
