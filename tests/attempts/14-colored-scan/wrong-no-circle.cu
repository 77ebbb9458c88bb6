// 0 of 1 points: the result is right: not yet | what comes after
__device__ void scan_color(int *sums, int w, int c)
{
    int before = 0;
    for (int j = 0; j < w; j++) {
        int t = c + j, sum = sums[c * w + t];
        sums[c * w + t] = before;
        before += sum;
    }
}
