// 0 of 1 points: the result is right: not yet | race | only one key
__device__ int key_word(int rounds, int i)
{
    return i / 2 + i % 2;
}
