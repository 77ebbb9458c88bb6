// 1 of 1 points
__device__ int quad_place(int w, int r, int q)
{
    return (q + w - r) % w;
}

__device__ int word_turn(int w, int r)
{
    return -(r / (w / 4));
}
