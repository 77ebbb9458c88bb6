// does not compile: ends without a 'return'
__device__ int element_word(int w, int i)
{
    int word = i < w ? i : 3 * w - 1 - i;
}
