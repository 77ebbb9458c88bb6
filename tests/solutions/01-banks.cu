/* The word, from 0 to 4 u - 1, that holds number k (0 to 3) of thread t's point. Each word holds
 * only one number. */
__device__ int point_word(int u, int t, int k)
{
    return k * u + t;
}
