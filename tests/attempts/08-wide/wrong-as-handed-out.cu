// 0 of 1 points: the result is right: yes | stage read: no bank conflicts: not yet | serves 32 words | goes round the banks four times
__device__ int quad_place(int w, int r, int q)
{
    return q;
}

__device__ int word_turn(int w, int r)
{
    return 0;
}
