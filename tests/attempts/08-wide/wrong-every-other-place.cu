// 0 of 1 points: the result is right: yes | stage write: no bank conflicts: not yet | Move them together
__device__ int quad_place(int w, int r, int q)
{
    return (2 * q + 2 * q / w + r) % w;
}

__device__ int word_turn(int w, int r)
{
    return r / (w / 4);
}
