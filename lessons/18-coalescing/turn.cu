/* turn.cu - turns a matrix by its diagonal: without shared memory, by a tile, by a padded tile. */
#include <cstdio>

enum { SIDE = 32, STEP = 8, SIZE = 64 }; /* of a tile; rows of a block of threads; of the matrix */

__global__ void direct(float *out, const float *in)
{
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    for (int j = 0; j < SIDE; j += STEP)
        out[x * SIZE + y + j] = in[(y + j) * SIZE + x];
}

__global__ void tiled(float *out, const float *in)
{
    __shared__ float tile[SIDE][SIDE];
    int left = blockIdx.x * SIDE, top = blockIdx.y * SIDE;
    int x = threadIdx.x, y = threadIdx.y;
    for (int j = 0; j < SIDE; j += STEP)
        tile[y + j][x] = in[(top + y + j) * SIZE + left + x];
    __syncthreads();
    for (int j = 0; j < SIDE; j += STEP)
        out[(left + y + j) * SIZE + top + x] = tile[x][y + j];
}

__global__ void padded(float *out, const float *in)
{
    __shared__ float tile[SIDE][SIDE + 1];
    int left = blockIdx.x * SIDE, top = blockIdx.y * SIDE;
    int x = threadIdx.x, y = threadIdx.y;
    for (int j = 0; j < SIDE; j += STEP)
        tile[y + j][x] = in[(top + y + j) * SIZE + left + x];
    __syncthreads();
    for (int j = 0; j < SIDE; j += STEP)
        out[(left + y + j) * SIZE + top + x] = tile[x][y + j];
}

int main()
{
    void (*const kernels[])(float *, const float *) = {direct, tiled, padded};
    const dim3 grid(SIZE / SIDE, SIZE / SIDE), block(SIDE, STEP);
    float *in, *out;
    int wrong = 0;
    cudaMallocManaged(&in, SIZE * SIZE * sizeof *in);
    cudaMallocManaged(&out, SIZE * SIZE * sizeof *out);
    for (int i = 0; i < SIZE * SIZE; i++)
        in[i] = i;
    for (int k = 0; k < 3; k++) {
        kernels[k]<<<grid, block>>>(out, in);
        cudaDeviceSynchronize();
        for (int i = 0; i < SIZE * SIZE; i++)
            wrong += out[i] != in[i % SIZE * SIZE + i / SIZE];
    }
    printf("%d numbers are in the wrong place\n", wrong);
    cudaFree(in);
    cudaFree(out);
}
