// does not compile: board
__device__ int board[THREADS];
__device__ int exchange(int number)
{
    board[threadIdx.x] = number;
    __syncthreads();
    return board[threadIdx.x % RECORDS * FIELDS + threadIdx.x / RECORDS];
}
