// 0 of 1 points: the result is right: not yet
/* The numbers of the block before, if shared memory kept them. */
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS];
    return tile[threadIdx.x];
}
