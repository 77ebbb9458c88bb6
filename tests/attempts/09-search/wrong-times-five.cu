// 0 of 1 points: stage search: no bank conflicts: not yet | access 2: | these two
__device__ int key_word(int rounds, int i)
{
    return i * 5 % (1 << rounds);
}
