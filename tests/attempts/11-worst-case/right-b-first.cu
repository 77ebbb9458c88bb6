// 1 of 1 points
__device__ int share(int w, int E, int a, int b)
{
    int beach = w - E, da = (beach - a + w) % w, db = (beach - b + w) % w;
    if (db == 0)
        return 0;
    if (da == 0)
        return E;
    return db <= da ? E - min(db, E) : min(da, E);
}
