// 1 of 2 points: the result is right: yes | stage count: no bank conflicts: not yet | Does the lane alone decide
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    return 4 * (bin / 4 * w + (lane + bin / 4) % w) + bin % 4;
}
