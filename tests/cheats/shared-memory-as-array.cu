// 14-bcf-sort | refused | does not compile
DEVICE void scan_color(CONTEXT, SHARED_PTR(int) sums, int w, int c)
{
    int before = 0;
    for (int t = 0; t < w; t++) {
        int sum = sums[c * w + t];
        sums[c * w + t] = before;
        before += sum;
    }
}
