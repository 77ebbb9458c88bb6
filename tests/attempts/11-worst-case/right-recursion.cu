// 1 of 1 points
__device__ int way(int from, int to, int w)
{
    return from == to ? 0 : 1 + way(from + 1 == w ? 0 : from + 1, to, w);
}

__device__ int share(int w, int E, int a, int b)
{
    int da = way(a, w - E, w), db = way(b, w - E, w);
    if (!da || !db)
        return da ? 0 : E;
    return da <= db ? min(da, E) : E - min(db, E);
}
