// 0 of 1 points: does not end
__device__ void scan_color(int *sums, int w, int c)
{
    for (volatile int i = 0;; i = i + 1)
        if (i < 0)
            return;
}
