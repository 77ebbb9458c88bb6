// 1 of 1 points
__device__ void scan_color(int *sums, int w, int c)
{
    /* All counters of the color at once in the thread's own array. */
    int own[64], before = 0;
    for (int j = 0; j < w; j++)
        own[(c + j) % w] = sums[c * w + (c + j) % w];
    for (int t = 0; t < w; t++) {
        int sum = own[t];
        own[t] = before;
        before += sum;
    }
    for (int j = w; j-- > 0;)
        sums[c * w + (c + j) % w] = own[(c + j) % w];
}
