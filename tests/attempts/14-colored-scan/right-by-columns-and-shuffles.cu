// 1 of 1 points
__device__ void scan_color(int *sums, int w, int c)
{
    /* Lane by lane instead of color by color: each lane keeps to its own bank, and shuffles add up. */
    const int lane = c;
    const unsigned all = w == 32 ? ~0u : (1u << w) - 1;
    for (int color = 0; color < w; color++) {
        int sum = sums[color * w + lane], own = sum;
        for (int d = 1; d < w; d *= 2) {
            int other = __shfl_up_sync(all, sum, d);
            sum += lane >= d ? other : 0;
        }
        sums[color * w + lane] = sum - own;
    }
}
