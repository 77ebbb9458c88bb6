// 0 of 1 points: the result is right: not yet | each holds only one quad
__device__ int quad_place(int w, int r, int q)
{
    return (r + q * w) % w;
}

__device__ int word_turn(int w, int r)
{
    return 0;
}
