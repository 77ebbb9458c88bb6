// 0 of 1 points: the result is right: yes | stage read: no bank conflicts: not yet | serves 8 words
__device__ int quad_place(int w, int r, int q)
{
    return q;
}

__device__ int word_turn(int w, int r)
{
    return r;
}
