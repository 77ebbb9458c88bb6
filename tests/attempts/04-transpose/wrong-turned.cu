// 0 of 1 points: the result is right: yes | stage write: no bank conflicts: not yet | rotate the row as a whole
__device__ int element_word(int w, int r, int c)
{
    return c * w + r;
}
