/* The byte, from 0 to w bins - 1, that holds the counter of a bin for a lane. Each byte holds only
 * one counter. Bytes 4 i to 4 i + 3 are word i. */
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    return 4 * (bin / 4 * w + lane) + bin % 4;
}
