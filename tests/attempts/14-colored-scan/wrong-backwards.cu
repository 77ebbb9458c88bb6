// 0 of 1 points: stage scan: no bank conflicts: not yet | should visit different t
__device__ void scan_color(int *sums, int w, int c)
{
    int after = 0;
    for (int t = 0; t < w; t++)
        after += sums[c * w + t];
    for (int t = w - 1; t >= 0; t--) {
        after -= sums[c * w + t];
        sums[c * w + t] = after;
    }
}
