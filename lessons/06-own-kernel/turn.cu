/* turn.cu - turns a picture by its diagonal: row y, column x goes to row x, column y. */
#include <cstdio>

enum { SIDE = 16 }; /* of a tile, and of a block of threads */

__global__ void turn(float *out, const float *in, int size)
{
    __shared__ float tile[SIDE][SIDE + 1];
    int left = blockIdx.x * SIDE, top = blockIdx.y * SIDE;
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[(top + y) * size + left + x];
    __syncthreads();
    out[(left + y) * size + top + x] = tile[x][y];
}

int main()
{
    int size = 32, wrong = 0;
    float *in, *out;
    cudaMallocManaged(&in, size * size * sizeof *in);
    cudaMallocManaged(&out, size * size * sizeof *out);
    for (int i = 0; i < size * size; i++)
        in[i] = i;
    turn<<<dim3(size / SIDE, size / SIDE), dim3(SIDE, SIDE)>>>(out, in, size);
    cudaDeviceSynchronize();
    for (int i = 0; i < size * size; i++)
        wrong += out[i] != in[i % size * size + i / size];
    printf("%d numbers are in the wrong place\n", wrong);
    cudaFree(in);
    cudaFree(out);
}
