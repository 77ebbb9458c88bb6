// 1 of 1 points
__device__ int quad_place(int w, int r, int q)
{
    __shared__ int4 room[64];
    return (q + r) % w + (room == nullptr);
}

__device__ int word_turn(int w, int r)
{
    return r / (w / 4);
}
