// launch: grid 2 2 1; block 16 16 1; c 1024 unwritten; a 1024 ones; b 1024 iota; n 32
// c = a b, tile by tile. A warp is two rows of 16 threads.
__global__ void product(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[ty][tx] = a[row * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
