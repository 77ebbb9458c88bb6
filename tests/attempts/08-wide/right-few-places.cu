// 1 of 1 points
__device__ int quad_place(int w, int r, int q)
{
    return (q + r % (w / 4)) % w;
}

__device__ int word_turn(int w, int r)
{
    return 3 - 4 * r / w;
}
