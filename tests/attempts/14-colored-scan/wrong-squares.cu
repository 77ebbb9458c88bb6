// 0 of 1 points: the result is right: yes | stage scan: 2 to 4 times w accesses of every thread: not yet
__device__ void scan_color(int *sums, int w, int c)
{
    /* Each counter anew from all the counters before it, from the last one on. */
    for (int j = w - 1; j >= 0; j--) {
        int before = 0;
        for (int t = 0; t < j; t++)
            before += sums[c * w + t];
        sums[c * w + j] = before;
    }
}
