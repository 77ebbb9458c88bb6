// 0 of 1 points: the result is right: not yet | from 0 to E
__device__ int share(int w, int E, int a, int b)
{
    int beach = w - E, da = (beach - a + w) % w, db = (beach - b + w) % w;
    if (da == 0)
        return E;
    if (db == 0)
        return 0;
    return da <= db ? da : E - min(db, E);
}
