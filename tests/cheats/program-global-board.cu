// 10-own-kernel | refused | '__device__': declare variables in functions
__device__ int board[THREADS];
__device__ int exchange(int number)
{
    board[threadIdx.x] = number;
    __syncthreads();
    return board[threadIdx.x % RECORDS * FIELDS + threadIdx.x / RECORDS];
}
