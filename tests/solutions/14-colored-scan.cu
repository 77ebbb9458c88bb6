/* Lane c's part: replaces word c w + t, for each t from 0 to w - 1, by the sum of the words c w to
 * c w + t - 1 as they were. */
__device__ void scan_color(int *sums, int w, int c)
{
    int before = 0;
    for (int j = 0; j < w; j++) {
        int t = (c + j) % w, sum = sums[c * w + t];
        before += t < c ? sum : 0;
    }
    for (int j = 0; j < w; j++) {
        int t = (c + j) % w, sum = sums[c * w + t];
        if (t == 0)
            before = 0;
        sums[c * w + t] = before;
        before += sum;
    }
}
