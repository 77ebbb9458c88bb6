// 1 of 1 points
__device__ int key_word(int rounds, int i)
{
    return i >> 1 | (i & 1) << (rounds - 1);
}
