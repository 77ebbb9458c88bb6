/* The word, from 0 to 2 w - 1, that holds element i of a warp. Each word holds only one element. */
__device__ int element_word(int w, int i)
{
    return i < w ? i : 3 * w - 1 - i;
}
