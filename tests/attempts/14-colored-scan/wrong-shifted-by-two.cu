// 0 of 1 points: stage scan: no bank conflicts: not yet | should visit different t
__device__ void scan_color(int *sums, int w, int c)
{
    int before = 0;
    for (int j = 0; j < w; j++) {
        int t = (2 * c + j) % w, sum = sums[c * w + t];
        before += t < 2 * c % w ? sum : 0;
    }
    for (int j = 0; j < w; j++) {
        int t = (2 * c + j) % w, sum = sums[c * w + t];
        if (t == 0)
            before = 0;
        sums[c * w + t] = before;
        before += sum;
    }
}
