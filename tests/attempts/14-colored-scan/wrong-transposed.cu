// 0 of 1 points: the result is right: yes | stage scan: 2 to 4 times w accesses of every thread: not yet
__device__ void scan_color(int *sums, int w, int c)
{
    /* As the lesson does it, in an array of its own with rows of w + 1 words. */
    __shared__ int all[4 * 32 * 33];
    int *mine = all + threadIdx.x / w * w * (w + 1);
    int lane = c, before = 0;
    for (int j = 0; j < w; j++)
        mine[j * (w + 1) + lane] = sums[j * w + lane];
    __syncwarp();
    for (int t = 0; t < w; t++) {
        int sum = mine[c * (w + 1) + t];
        mine[c * (w + 1) + t] = before;
        before += sum;
    }
    __syncwarp();
    for (int j = 0; j < w; j++)
        sums[j * w + lane] = mine[j * (w + 1) + lane];
}
