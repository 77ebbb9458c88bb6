// 14-bcf-sort | refused | 'STAGE': the exercise says which stage it is
DEVICE void scan_color(CONTEXT, SHARED_PTR(int) sums, int w, int c)
{
    int before = 0, none = 0;
    STAGE(read);
    for (int t = 0; t < w; t++) {
        ROUND(w + t);
        int sum = LOAD(sums, c * w + t);
        STORE(sums, c * w + t, before);
        before += sum;
    }
    STAGE(scan);
    for (int t = 0; t < 2 * w; t++) {
        ROUND(t);
        none += LOAD(sums, c * w + (c + t) % w);
    }
}
