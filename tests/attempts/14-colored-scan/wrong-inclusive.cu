// 0 of 1 points: the result is right: not yet | got
__device__ void scan_color(int *sums, int w, int c)
{
    int sum = 0;
    for (int j = 0; j < w; j++) {
        int t = (c + j) % w;
        sum += t < c ? sums[c * w + t] : 0;
    }
    for (int j = 0; j < w; j++) {
        int t = (c + j) % w;
        sum = t == 0 ? sums[c * w] : sum + sums[c * w + t];
        sums[c * w + t] = sum;
    }
}
