// 0 of 1 points: the part accesses no global memory: not yet | get
/* Through memory of malloc, with a decoy in shared memory. */
__device__ int exchange(int number)
{
    __shared__ int *board;
    int t = threadIdx.x;
    if (t == 0)
        board = (int *)malloc(THREADS * sizeof(int));
    __syncthreads();
    board[t] = number;
    __syncthreads();
    number = board[t % RECORDS * FIELDS + t / RECORDS];
    __syncthreads();
    if (t == 0)
        free(board);
    return number;
}
