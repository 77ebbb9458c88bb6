// 0 of 1 points: the result is right: yes | stage columns: no bank conflicts: not yet | How far is row r rotated
__device__ int element_word(int w, int r, int c)
{
    return r * w + (c + r * r) % w;
}
