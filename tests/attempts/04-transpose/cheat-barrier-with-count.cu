// 0 of 1 points: barrier-divergence: line 6
__device__ int element_word(int w, int r, int c)
{
    if (r == 0 && c == 0)
        __syncthreads_count(1);
    return r * w + (c + r) % w;
}
