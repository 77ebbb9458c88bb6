// does not compile: line 8, column 5: | retrun
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = number;
    __syncthreads();
    retrun tile[0];
}
