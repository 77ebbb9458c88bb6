// 1 of 1 points
__device__ void scan_color(int *sums, int w, int c)
{
    /* Lane c begins c steps later. */
    int before = 0;
    for (int step = 0; step < 2 * w - 1; step++) {
        int t = step - c;
        if (t >= 0 && t < w) {
            int sum = sums[c * w + t];
            sums[c * w + t] = before;
            before += sum;
        }
    }
}
