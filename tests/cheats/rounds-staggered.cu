// 14-bcf-sort | not yet | all lanes must access at once
DEVICE void scan_color(CONTEXT, SHARED_PTR(int) sums, int w, int c)
{
    int before = 0;
    for (int t = 0; t < w; t++) {
        ROUND(t + c);
        int sum = LOAD(sums, c * w + t);
        STORE(sums, c * w + t, before);
        before += sum;
    }
}
