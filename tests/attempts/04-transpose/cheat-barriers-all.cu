// 0 of 1 points: meet at 23 barriers, where the exercise has 2
__device__ int element_word(int w, int r, int c)
{
    __syncthreads();
    return r * w + c;
}
