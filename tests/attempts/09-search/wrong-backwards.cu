// 0 of 1 points: access 2: | these two
__device__ int key_word(int rounds, int i)
{
    return (1 << rounds) - 1 - i;
}
