// 1 of 1 points
/* A and B have changed places. */
__device__ int from_b(int w, int E, int a, int b)
{
    int to_a = (w - a % w) % w, to_b = (w - b % w) % w;
    if (to_b == 0)
        return E;
    if (to_a == 0)
        return 0;
    return to_b <= to_a ? min(to_b, E) : E - min(to_a, E);
}

__device__ int share(int w, int E, int t, int a, int b)
{
    if (t < w)
        return E - from_b(w, E, a, b);
    int x = 0, y = 0;
    for (int i = 2 * w - 1; i > t; i--) {
        int take = from_b(w, E, x, y);
        x += E - take;
        y += take;
    }
    return from_b(w, E, x, y);
}
