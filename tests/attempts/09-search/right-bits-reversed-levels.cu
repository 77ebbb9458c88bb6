// 1 of 1 points
__device__ int key_word(int rounds, int i)
{
    return i ? (1 << (rounds - __ffs(i))) | (int)(__brev(i) >> (32 - rounds) & ~0u) % (1 << (rounds - __ffs(i))) : 0;
}
