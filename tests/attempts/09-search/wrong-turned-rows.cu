// 0 of 1 points: stage search: no bank conflicts: not yet
__device__ int key_word(int rounds, int i)
{
    return (i + i / 32 + i / 16 + i / 8) % (1 << rounds);
}
