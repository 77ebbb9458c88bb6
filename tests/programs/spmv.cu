/* spmv - a sparse matrix (compressed rows) times a vector, one warp per row; the lanes' sums are added
   in shared memory, as was usual before there were shuffles. */
#include "program.h"

const int WARPS = 4;

__global__ void spmv(int rows, const int *row_begin, const int *columns, const float *values,
                     const float *x, float *y)
{
    __shared__ volatile float sums[WARPS][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = blockIdx.x * WARPS + warp;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = row_begin[row] + lane; i < row_begin[row + 1]; i += 32)
        sum += values[i] * __ldg(&x[columns[i]]);
    sums[warp][lane] = sum;
    for (int half = 16; half > 0; half /= 2) {
        __syncwarp();
        if (lane < half)
            sums[warp][lane] = sum += sums[warp][lane + half];
    }
    if (lane == 0)
        y[row] = sum;
}

int main()
{
    const int rows = 90, width = 300;
    std::vector<int> row_begin(1), columns, lengths = random_ints(rows, 100);
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < lengths[row]; i++)
            columns.push_back((row * 7 + i * 3) % width);
        row_begin.push_back(static_cast<int>(columns.size()));
    }
    std::vector<float> values = random_floats(static_cast<int>(columns.size()), 2);
    std::vector<float> x = random_floats(width, 3), want(rows);
    for (int row = 0; row < rows; row++)
        for (int i = row_begin[row]; i < row_begin[row + 1]; i++)
            want[row] += values[i] * x[columns[i]];

    int *device_rows = to_device(row_begin), *device_columns = to_device(columns);
    float *device_values = to_device(values), *device_x = to_device(x);
    float *device_y = on_device<float>(rows);
    spmv<<<(rows + WARPS - 1) / WARPS, WARPS * 32>>>(rows, device_rows, device_columns,
                                                     device_values, device_x, device_y);
    CUDA(launched());
    int wrong = compare("y", to_host(device_y, rows), want);
    for (void *memory : {(void *)device_rows, (void *)device_columns, (void *)device_values,
                         (void *)device_x, (void *)device_y})
        CUDA(cudaFree(memory));
    return report("spmv", wrong);
}
