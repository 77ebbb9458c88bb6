// 0 of 1 points: the result is right: yes | ways in every access: not yet | Almost: one thread more
__device__ int share(int w, int E, int a, int b)
{
    int beach = w - E, da = (beach - a + w) % w, db = (beach - b + w) % w;
    if (da == 0)
        return E;
    if (db == 0)
        return 0;
    return min(da, E);
}
