// 0 of 1 points: was not read there
/* The same, bit by bit. */
__device__ int neighbour(int number, int choice)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, lane = t % WARP;
    tile[t] = number;
    __syncthreads();
    int own = tile[t], from = (lane + (choice % 2 ? 1 : 31)) % WARP, got = 0;
    for (int bit = 0; bit < 31; bit++)
        got |= (int)(__ballot_sync(0xffffffff, number >> bit & 1) >> from & 1) << bit;
    return got ^ own ^ number;
}
