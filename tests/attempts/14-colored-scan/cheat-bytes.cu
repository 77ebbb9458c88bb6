// 0 of 1 points: stage scan: no bank conflicts: not yet
__device__ void scan_color(int *sums, int w, int c)
{
    char *bytes = (char *)sums;
    int before = 0;
    for (int t = 0; t < w; t++) {
        char sum = bytes[4 * (c * w + t)];
        sums[c * w + t] = before;
        before += sum;
    }
}
