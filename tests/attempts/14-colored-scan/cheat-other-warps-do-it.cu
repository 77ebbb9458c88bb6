// 0 of 1 points: stage scan: no bank conflicts: not yet
/* Only the first warp works, for all: a warp makes less than it may, on the average. */
__device__ void scan_color(int *sums, int w, int c)
{
    extern __shared__ int counters[];
    if (threadIdx.x >= w)
        return;
    for (int i = 0; i < (int)blockDim.x / w; i++) {
        int before = 0, *mine = counters + i * w * w + c * w;
        for (int t = 0; t < w; t++) {
            int sum = mine[t];
            mine[t] = before;
            before += sum;
        }
    }
}
