// 0 of 1 points: line 5: a store of 4 bytes in matrices (device memory, 8192 bytes), which is read-only
__device__ int column(int w, int lane, int j)
{
    ((int *)0x10000000000)[threadIdx.x] = 0;
    return (j + lane) % w;
}
