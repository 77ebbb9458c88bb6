/* The word, from 0 to w w - 1, that holds the element in row r, column c. Each word holds only one
 * element. */
__device__ int element_word(int w, int r, int c)
{
    return r * w + (c + 2 * r) % w;
}
