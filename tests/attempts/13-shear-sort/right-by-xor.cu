// 1 of 1 points
__device__ int element_word(int w, int i)
{
    return i < w ? i : i ^ (w - 1);
}
