// 0 of 1 points: tile, which has
__device__ int key_word(int rounds, int i)
{
    return i % 2 ? i / 2 : 32 + i / 2;
}
