// 0 of 1 points: was not read there
/* What is exchanged goes bit by bit through barriers that vote; shared memory is a decoy. */
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, wanted = t % RECORDS * FIELDS + t / RECORDS, got = 0;
    tile[t] = number;
    __syncthreads();
    int own = tile[t];
    for (int i = 0; i < THREADS; i++)
        for (int bit = 0; bit < 31; bit++) {
            int is_set = __syncthreads_or(t == i && (number >> bit & 1));
            got |= i == wanted && is_set ? 1 << bit : 0;
        }
    return got ^ own ^ number;
}
