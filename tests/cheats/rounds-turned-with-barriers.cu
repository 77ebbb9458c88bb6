// 14-bcf-sort | not yet | on this side of a barrier
DEVICE void scan_color(CONTEXT, SHARED_PTR(int) sums, int w, int c)
{
    int before = 0;
    for (int t = 0; t < w; t++) {
        SYNC_WARP(w);
        ROUND((t - c + w) % w);
        int sum = LOAD(sums, c * w + t);
        STORE(sums, c * w + t, before);
        before += sum;
    }
}
