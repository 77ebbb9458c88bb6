// 0 of 1 points: misaligned | stage scan: no bank conflicts: not yet
/* Two counters at a time. */
__device__ void scan_color(int *sums, int w, int c)
{
    int before = 0;
    int2 *pairs = (int2 *)(sums + c * w);
    for (int t = 0; t < w / 2; t++) {
        int2 two = pairs[t];
        pairs[t] = make_int2(before, before + two.x);
        before += two.x + two.y;
    }
    for (int t = w / 2 * 2; t < w; t++)
        sums[c * w + t] = before;
}
