// 0 of 1 points: the result is right: not yet
__device__ int key_word(int rounds, int i)
{
    __syncthreads();
    return i / 2 + i % 2 * ((1 << rounds) / 2);
}
