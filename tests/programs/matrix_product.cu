/*
 * matrix_product - C = A B by square tiles in shared memory.
 *
 * In the inner loop the lanes of a warp read one word of a_tile (multicast) and consecutive words of
 * b_tile: no conflicts. With TILE = 16 a warp holds two rows of the tile, so a_tile is read at two
 * words, 16 apart: still one pass.
 */
#include "program.h"

template <int TILE> __global__ void product(const float *a, const float *b, float *c, int n)
{
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;

    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        b_tile[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

int main()
{
    const int n = 64;
    std::vector<float> a = random_floats(n * n, 1), b = random_floats(n * n, 2), want(n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                want[i * n + j] += a[i * n + k] * b[k * n + j];

    float *device_a = to_device(a), *device_b = to_device(b), *device_c = on_device<float>(n * n);
    product<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(device_a, device_b, device_c, n);
    CUDA(launched());
    int wrong = compare("c16", to_host(device_c, n * n), want);

    CUDA(cudaMemset(device_c, 0, n * n * sizeof(float)));
    product<32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(device_a, device_b, device_c, n);
    CUDA(launched());
    wrong += compare("c32", to_host(device_c, n * n), want);

    CUDA(cudaFree(device_a));
    CUDA(cudaFree(device_b));
    CUDA(cudaFree(device_c));
    return report("matrix_product", wrong);
}
