/* How many numbers, from 0 to E, a thread takes from A. The next number of A is in bank a, and the
 * next number of B in bank b; both are numbers from 0 to w - 1. */
__device__ int share(int w, int E, int a, int b)
{
    int beach = w - E, da = (beach - a + w) % w, db = (beach - b + w) % w;
    if (da == 0)
        return E;
    if (db == 0)
        return 0;
    return da <= db ? (da < E ? da : E) : E - (db < E ? db : E);
}
