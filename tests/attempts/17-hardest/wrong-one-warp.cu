// 0 of 1 points: stage merge: at least E + 1 ways in every access: not yet | warp 1, | Half of each list
/* How many numbers a thread of warp 0 takes from A. The beach begins in bank 0. */
__device__ int rule(int w, int E, int a, int b)
{
    int da = (w - a % w) % w, db = (w - b % w) % w;
    if (da == 0)
        return E;
    if (db == 0)
        return 0;
    return da <= db ? (da < E ? da : E) : E - (db < E ? db : E);
}

/* How many numbers, from 0 to E, thread t (0 to 2 w - 1) takes from A. The threads before it have taken
 * a numbers of A and b of B, so a + b = t E. */
__device__ int share(int w, int E, int t, int a, int b)
{
    if (t >= 0)
        return rule(w, E, a, b);
    int x = 0, y = 0;
    for (int i = 0; i < 2 * w - 1 - t; i++) {
        int take = rule(w, E, x, y);
        x += take;
        y += E - take;
    }
    return E - rule(w, E, x, y);
}
