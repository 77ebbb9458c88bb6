// 1 of 1 points
__device__ int quad_place(int w, int r, int q)
{
    int quarter = w / 4;
    return q / quarter * quarter + (q + r) % quarter;
}

__device__ int word_turn(int w, int r)
{
    return r / (w / 4);
}
