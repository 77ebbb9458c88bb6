// 0 of 1 points: of which the block has 16600
__device__ int place(int w, int E, int x)
{
    __shared__ int room[4096];
    room[threadIdx.x] = x;
    return x / E * (E | 1) + x % E;
}
