/* The word, from 0 to 2^rounds - 1, that holds key i. Each word holds only one key. */
__device__ int key_word(int rounds, int i)
{
    return i / 2 + i % 2 * ((1 << rounds) / 2);
}
