// 0 of 1 points: the result is right: not yet
__device__ void scan_color(int *sums, int w, int c)
{
    __shared__ int mine[4096];
    int before = 0;
    for (int t = 0; t < w; t++) {
        int sum = sums[c * w + t];
        mine[t * w + c] = before;
        before += sum;
    }
}
