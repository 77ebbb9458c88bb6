// 1 of 1 points
__device__ void scan_color(int *sums, int w, int c)
{
    int before = 0;
    for (int step = 1 - w; step < w; step++) {
        int t = step + c;
        if (t < 0 || t >= w)
            continue;
        int *counter = sums + c * w + t;
        int sum = *counter;
        *counter = before;
        before += sum;
    }
}
