// 14-bcf-sort | not yet | exceed the [0-9]+ bytes of shared memory
DEVICE void scan_color(CONTEXT, SHARED_PTR(int) sums, int w, int c)
{
    int before = 0;
    SHARED(int, mine, 4096);
    for (int t = 0; t < w; t++) {
        ROUND(t);
        int sum = LOAD(sums, c * w + t);
        STORE(mine, t * w + c, sum);
    }
}
