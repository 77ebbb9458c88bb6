/* triangular - a triangular system L x = b by forward substitution in one block: x travels through shared
   memory, one barrier per unknown; then the largest residual by atomicMax on the bits of a float. */
#include "program.h"

const int N = 64;

__global__ void solve(const float *l, const float *b, float *x, int *residual)
{
    __shared__ float solved[N];
    __shared__ int largest;
    int row = threadIdx.x;
    if (row == 0)
        largest = 0;
    float rest = b[row];
    for (int column = 0; column < N; column++) {
        if (row == column)
            solved[row] = rest / l[row * N + row];
        __syncthreads();
        if (row > column)
            rest -= l[row * N + column] * solved[column];
    }
    float sum = b[row];
    for (int column = 0; column <= row; column++)
        sum -= l[row * N + column] * solved[column];
    atomicMax(&largest, __float_as_int(fabsf(sum))); /* bits of floats >= 0 order as integers do */
    __syncthreads();
    x[row] = solved[row];
    if (row == 0)
        *residual = largest;
}

int main()
{
    std::vector<float> l = random_floats(N * N, 1), b = random_floats(N, 2);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++)
            l[i * N + j] /= N;
        l[i * N + i] = 2 + (i % 3);
    }
    std::vector<double> x(N);
    for (int i = 0; i < N; i++) {
        double rest = b[i];
        for (int j = 0; j < i; j++)
            rest -= l[i * N + j] * x[j];
        x[i] = rest / l[i * N + i];
    }
    float *device_l = to_device(l), *device_b = to_device(b), *device_x = on_device<float>(N);
    int *residual = on_device<int>(1);
    solve<<<1, N>>>(device_l, device_b, device_x, residual);
    CUDA(launched());
    int wrong = compare("x", to_host(device_x, N), std::vector<float>(x.begin(), x.end()), 1e-4);
    int bits = to_host(residual, 1)[0];
    float largest = reinterpret_cast<float &>(bits);
    wrong += !(largest >= 0 && largest < 1e-4f);
    for (float *memory : {device_l, device_b, device_x})
        CUDA(cudaFree(memory));
    CUDA(cudaFree(residual));
    return report("triangular", wrong);
}
