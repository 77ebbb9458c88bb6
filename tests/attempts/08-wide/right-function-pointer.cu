// 1 of 1 points
__device__ int quad_place(int w, int r, int q)
{
    int (*volatile f)(int, int) = word_turn;
    return (q + r) % w + 0 * f(w, r);
}

__device__ int word_turn(int w, int r)
{
    return r / (w / 4);
}
