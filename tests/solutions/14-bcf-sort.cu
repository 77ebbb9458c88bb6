/* Lane c's part: replaces word c w + t, for each t from 0 to w - 1, by the sum of the words c w to
 * c w + t - 1 as they were. */
DEVICE void scan_color(CONTEXT, SHARED_PTR(int) sums, int w, int c)
{
    int before = 0;
    for (int j = 0; j < w; j++) {
        int t = (c + j) % w;
        ROUND(j);
        int sum = LOAD(sums, c * w + t);
        if (t < c)
            before += sum;
    }
    for (int j = 0; j < w; j++) {
        int t = (c + j) % w;
        if (t == 0)
            before = 0;
        ROUND(w + j);
        int sum = LOAD(sums, c * w + t);
        STORE(sums, c * w + t, before);
        before += sum;
    }
}
