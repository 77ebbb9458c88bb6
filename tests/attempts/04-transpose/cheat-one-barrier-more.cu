// 0 of 1 points: barrier-divergence: line 7
__device__ int element_word(int w, int r, int c)
{
    /* The diagonals fall behind one more barrier. */
    if (r == threadIdx.x % w && c == w - 1)
        __syncthreads();
    return r * w + (c + r) % w;
}
