// 0 of 1 points: the result is right: not yet
__device__ int key_word(int rounds, int i)
{
    return 0;
}
