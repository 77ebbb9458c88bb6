// 0 of 2 points: does not end within
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    int n = 0;
    for (volatile int i = 0; i < 10000; i++)
        n += i;
    return n ? 4 * (bin / 4 * w + lane) + bin % 4 : 0;
}
