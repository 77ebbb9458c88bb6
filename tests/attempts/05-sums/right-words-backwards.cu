// 2 of 2 points
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    int word = (bins / 4 - 1 - bin / 4) * w + (w - 1 - lane);
    return 4 * word + 3 - bin % 4;
}
