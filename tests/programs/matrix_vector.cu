/* matrix_vector - y = A x. The block keeps a piece of x in shared memory (all lanes read one word) and
   stages a tile of A, so that global memory is read row by row though each thread sums one row. Rows
   of 33 words keep the column reads free of conflicts. */
#include "program.h"

const int T = 32;

__global__ void product(const float *a, const float *x, float *y, int rows, int columns)
{
    __shared__ float a_tile[T][T + 1];
    __shared__ float x_tile[T];
    int first = blockIdx.x * T, tid = threadIdx.x;
    float sum = 0;
    for (int c = 0; c < columns; c += T) {
        x_tile[tid] = c + tid < columns ? x[c + tid] : 0;
        for (int r = 0; r < T; r++)
            a_tile[r][tid] =
                first + r < rows && c + tid < columns ? a[(first + r) * columns + c + tid] : 0;
        __syncthreads();
        for (int k = 0; k < T; k++)
            sum += a_tile[tid][k] * x_tile[k];
        __syncthreads();
    }
    if (first + tid < rows)
        y[first + tid] = sum;
}

int main()
{
    const int rows = 100, columns = 77;
    std::vector<float> a = random_floats(rows * columns, 1), x = random_floats(columns, 2);
    std::vector<float> want(rows);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            want[r] += a[r * columns + c] * x[c];

    float *device_a = to_device(a), *device_x = to_device(x), *device_y = on_device<float>(rows);
    product<<<(rows + T - 1) / T, T>>>(device_a, device_x, device_y, rows, columns);
    CUDA(launched());
    int wrong = compare("y", to_host(device_y, rows), want);
    CUDA(cudaFree(device_a));
    CUDA(cudaFree(device_x));
    CUDA(cudaFree(device_y));
    return report("matrix_vector", wrong);
}
