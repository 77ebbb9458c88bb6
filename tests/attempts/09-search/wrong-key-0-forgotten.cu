// 0 of 1 points: of which the block has | exactly 2^rounds words
__device__ int key_word(int rounds, int i)
{
    return i == 0 ? (1 << rounds) : i;
}
