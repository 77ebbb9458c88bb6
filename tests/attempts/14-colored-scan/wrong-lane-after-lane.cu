// 0 of 1 points: the result is right: yes | at once | walk one after the other
__device__ void scan_color(int *sums, int w, int c)
{
    for (int turn = 0; turn < w; turn++) {
        int before = 0;
        for (int t = 0; turn == c && t < w; t++) {
            int sum = sums[c * w + t];
            sums[c * w + t] = before;
            before += sum;
        }
    }
}
