// 0 of 1 points: the result is right: yes | stage columns: no bank conflicts: yes | stage diagonals: no bank conflicts: not yet | If the rotation goes up by as much
__device__ int element_word(int w, int r, int c)
{
    return r * w + (c + r) % w;
}
