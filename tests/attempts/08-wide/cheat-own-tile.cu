// 0 of 1 points: the part accesses no memory itself: not yet | line 6: store of shared memory | 10240 accesses in all, where 8192 do: too many
__device__ int quad_place(int w, int r, int q)
{
    extern __shared__ int4 tile[];
    tile[w * r + q].x = 0;
    return (q + r) % w;
}

__device__ int word_turn(int w, int r)
{
    return r / (w / 4);
}
