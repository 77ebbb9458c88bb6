// 1 of 1 points
__device__ int key_word(int rounds, int i)
{
    return i % 2 ? i / 2 : (1 << rounds) / 2 + i / 2;
}
