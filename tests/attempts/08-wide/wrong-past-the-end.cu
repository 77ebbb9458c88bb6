// 0 of 1 points: the result is right: not yet | tile, which has | from 0 to w - 1
__device__ int quad_place(int w, int r, int q)
{
    return q + r;
}

__device__ int word_turn(int w, int r)
{
    return r / (w / 4);
}
