// does not compile: outlives
__device__ int exchange(int number)
{
    static int board[THREADS];
    board[threadIdx.x] = number;
    __syncthreads();
    return board[threadIdx.x % RECORDS * FIELDS + threadIdx.x / RECORDS];
}
