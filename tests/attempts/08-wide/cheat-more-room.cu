// 0 of 1 points: tile, which has 32768
__device__ int quad_place(int w, int r, int q)
{
    __shared__ int4 room[1024];
    return q + r;
}

__device__ int word_turn(int w, int r)
{
    return r / (w / 4);
}
