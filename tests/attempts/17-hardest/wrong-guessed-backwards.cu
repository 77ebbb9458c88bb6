// 0 of 1 points: the result is right: yes | at least E + 1 ways in every access: not yet | warp 1,
/* Seen from the end, A is B. Warp 1 tries all shares until one is what the rule would say there; but not all of the
 * threads before it have kept to that. */
struct beach {
    int w, E;
    __device__ int ahead(int x) const { return (w - x % w) % w; }
    __device__ int take(int a, int b) const
    {
        const int da = ahead(a), db = ahead(b);
        return !da ? E : !db ? 0 : da <= db ? min(da, E) : E - min(db, E);
    }
};
__device__ int share(int w, int E, int t, int a, int b)
{
    const beach beach = {w, E};
    if (t < w)
        return beach.take(a, b);
    for (int take = 0; take <= E; take++) {
        const int left_a = w * E - a - take, left_b = w * E - b - (E - take);
        if (left_a >= 0 && left_b >= 0 && E - beach.take(left_b, left_a) == E - (E - take))
            return take;
    }
    return E;
}
