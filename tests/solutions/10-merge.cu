/* The word, from 0 to n - 1, that holds the i-th even number or the i-th odd one; i counts from 0. Of
 * the n numbers, `evens` are even. Each word holds only one number. */
__device__ int place(int n, int evens, bool odd, int i)
{
    return odd ? n - 1 - i : i;
}
