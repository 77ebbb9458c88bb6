// 0 of 1 points: tile, which has | exactly 2^rounds words
__device__ int key_word(int rounds, int i)
{
    return i + i / 16;
}
