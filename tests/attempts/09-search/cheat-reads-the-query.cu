// 0 of 1 points: the part accesses no memory itself: not yet
__device__ int key_word(int rounds, int i)
{
    int query = ((const int *)0x10100000000)[blockIdx.x * blockDim.x + threadIdx.x];
    return query < 0 ? i : i / 2 + i % 2 * ((1 << rounds) / 2);
}
