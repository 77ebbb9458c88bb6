// 14-bcf-sort | not yet | counters has elements of 4 bytes, not 1
DEVICE void scan_color(CONTEXT, SHARED_PTR(int) sums, int w, int c)
{
    SHARED_PTR(char) bytes = (SHARED_PTR(char))sums;
    int before = 0;
    for (int t = 0; t < w; t++) {
        ROUND(t);
        int sum = LOAD(bytes, 4 * (c * w + t));
        STORE(bytes, 4 * (c * w + t), before);
        before += sum;
    }
}
