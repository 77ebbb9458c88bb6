// 0 of 1 points: the result is right: yes | bank 0 serves 4 words | no bank serves more | Almost: one thread more
__device__ int share(int w, int E, int a, int b)
{
    int beach = w - E, da = (beach - a + w) % w, db = (beach - b + w) % w;
    if (da == 0)
        return E;
    if (db == 0)
        return 0;
    return da >= db ? min(da, E) : E - min(db, E);
}
