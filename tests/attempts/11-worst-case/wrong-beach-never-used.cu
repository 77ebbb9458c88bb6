// 0 of 1 points: the result is right: yes | ways in every access: not yet
__device__ int share(int w, int E, int a, int b)
{
    int beach = w - E, da = (beach - a + w) % w, db = (beach - b + w) % w;
    return da <= db ? min(da, E) : E - min(db, E);
}
