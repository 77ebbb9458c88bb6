// 0 of 1 points: line 5: reduction of global memory
__device__ int share(int w, int E, int a, int b)
{
    atomicAdd((int *)0x10200000000, 0);
    int beach = w - E, da = (beach - a + w) % w, db = (beach - b + w) % w;
    if (da == 0)
        return E;
    if (db == 0)
        return 0;
    return da <= db ? min(da, E) : E - min(db, E);
}
