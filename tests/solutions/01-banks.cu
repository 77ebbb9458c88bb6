/* The word, from 0 to 4 u - 1, that holds number k (0 to 3) of thread t's point. Each word holds
 * only one number. */
DEVICE int point_word(const struct points p, int t, int k)
{
    return k * p.u + t;
}
