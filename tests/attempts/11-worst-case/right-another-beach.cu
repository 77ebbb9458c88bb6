// 1 of 1 points
__device__ int share(int w, int E, int a, int b)
{
    int beach = 0, da = (beach - a + w) % w, db = (beach - b + w) % w;
    if (da == 0)
        return E;
    if (db == 0)
        return 0;
    return da <= db ? min(da, E) : E - min(db, E);
}
