/*
 * transpose - three layouts of the tile. A block moves 32 x 32 words with 32 x 8 threads.
 *
 * naive: a warp reads a column of the tile, 32 words of one bank: 32 passes. padded: rows of 33 words
 * put a column's words into 32 banks. swizzled: the same without padding, word (row, column) lies at
 * column ^ row.
 */
#include "program.h"

const int TILE = 32, ROWS = 8;

__global__ void naive(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void padded(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void swizzled(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) {
        int row = threadIdx.y + j;
        tile[row][threadIdx.x ^ row] = in[(y + j) * n + x];
    }
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) {
        int column = threadIdx.y + j;
        out[(y + j) * n + x] = tile[threadIdx.x][column ^ threadIdx.x];
    }
}

int main()
{
    const int n = 96;
    std::vector<float> in = random_floats(n * n), want(n * n);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            want[x * n + y] = in[y * n + x];

    struct {
        const char *name;
        void (*kernel)(const float *, float *, int);
    } versions[] = {{"naive", naive}, {"padded", padded}, {"swizzled", swizzled}};

    float *device_in = to_device(in), *device_out = on_device<float>(n * n);
    int wrong = 0;
    for (auto &version : versions) {
        CUDA(cudaMemset(device_out, 0xff, n * n * sizeof(float)));
        version.kernel<<<dim3(n / TILE, n / TILE), dim3(TILE, ROWS)>>>(device_in, device_out, n);
        CUDA(launched());
        wrong += compare(version.name, to_host(device_out, n * n), want);
    }
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return report("transpose", wrong);
}
