// 1 of 1 points
/* All shares of warp 0 in the thread's own array; those of warp 1 are the same from the end. */
__device__ int share(int w, int E, int t, int a, int b)
{
    int list[64], x = 0, y = 0, wanted = t < w ? t : 2 * w - 1 - t;
    for (int i = 0; i <= wanted; i++) {
        int da = (w - x % w) % w, db = (w - y % w) % w;
        list[i] = da == 0 ? E : db == 0 ? 0 : da <= db ? min(da, E) : E - min(db, E);
        x += list[i];
        y += E - list[i];
    }
    return t < w ? list[wanted] : E - list[wanted];
}
