/* matrix_double - a product of doubles with 4 x 4 results per thread in registers. A lane reads four
   neighbouring doubles of b_tile: nvcc may widen these reads to 16 bytes. */
#include "program.h"

const int TILE = 32, K = 8, EACH = 4, SIDE = TILE / EACH;

__global__ void product(const double *a, const double *b, double *c, int n)
{
    __shared__ double a_tile[K][TILE];
    __shared__ double b_tile[K][TILE];
    int tid = threadIdx.y * SIDE + threadIdx.x;
    double sum[EACH][EACH] = {};
    for (int k0 = 0; k0 < n; k0 += K) {
        for (int i = tid; i < K * TILE; i += SIDE * SIDE) {
            int k = i / TILE, j = i % TILE;
            a_tile[k][j] = a[(blockIdx.y * TILE + j) * n + k0 + k];
            b_tile[k][j] = b[(k0 + k) * n + blockIdx.x * TILE + j];
        }
        __syncthreads();
        for (int k = 0; k < K; k++) {
            double row[EACH], column[EACH];
            for (int i = 0; i < EACH; i++) {
                row[i] = a_tile[k][threadIdx.y * EACH + i];
                column[i] = b_tile[k][threadIdx.x * EACH + i];
            }
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < EACH; j++)
                    sum[i][j] += row[i] * column[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++)
            c[(blockIdx.y * TILE + threadIdx.y * EACH + i) * n + blockIdx.x * TILE +
              threadIdx.x * EACH + j] = sum[i][j];
}

int main()
{
    const int n = 64;
    std::vector<float> x = random_floats(n * n, 1), y = random_floats(n * n, 2);
    std::vector<double> a(x.begin(), x.end()), b(y.begin(), y.end()), want(n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                want[i * n + j] += a[i * n + k] * b[k * n + j];

    double *device_a = to_device(a), *device_b = to_device(b), *c = on_device<double>(n * n);
    product<<<dim3(n / TILE, n / TILE), dim3(SIDE, SIDE)>>>(device_a, device_b, c, n);
    CUDA(launched());
    int wrong = compare("c", to_host(c, n * n), want);
    CUDA(cudaFree(device_a));
    CUDA(cudaFree(device_b));
    CUDA(cudaFree(c));
    return report("matrix_double", wrong);
}
