// does not compile: ends without a 'return'
__device__ int key_word(int rounds, int i)
{
    int word = i / 2 + i % 2 * ((1 << rounds) / 2);
}
