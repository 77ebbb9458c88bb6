// 0 of 1 points: w=16 u=16 blocks=1 seed=1: trap: line 6
__device__ int quad_place(int w, int r, int q)
{
    if (w == 16)
        __trap();
    return (q + r) % w;
}

__device__ int word_turn(int w, int r)
{
    return r / (w / 4);
}
