// 0 of 1 points: line 5: store of global memory
__device__ int share(int w, int E, int a, int b)
{
    ((int *)0x10200000000)[threadIdx.x] = E;
    return E / 2;
}
