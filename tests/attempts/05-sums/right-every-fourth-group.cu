// 2 of 2 points
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    /* A word has the bins i, i + bins / 4, i + bins / 2 and i + 3 bins / 4 of a lane. */
    int quarter = bins / 4;
    return 4 * (bin % quarter * w + lane) + bin / quarter;
}
