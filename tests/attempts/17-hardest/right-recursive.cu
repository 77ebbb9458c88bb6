// 1 of 1 points
struct state {
    int a, b;
};
__device__ int rule(int w, int E, state at)
{
    int da = (w - at.a % w) % w, db = (w - at.b % w) % w;
    return da == 0 ? E : db == 0 ? 0 : da <= db ? min(da, E) : E - min(db, E);
}
__device__ state before(int w, int E, int t)
{
    if (t == 0)
        return {0, 0};
    state at = before(w, E, t - 1);
    int take = rule(w, E, at);
    return {at.a + take, at.b + E - take};
}
__device__ int share(int w, int E, int t, int a, int b)
{
    return t < w ? rule(w, E, {a, b}) : E - rule(w, E, before(w, E, 2 * w - 1 - t));
}
