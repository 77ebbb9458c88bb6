/* saxpy - y = a x + y in managed memory, by a grid that strides over any length. */
#include "program.h"

__managed__ int finished_threads;

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = a * x[i] + y[i];
    atomicAdd(&finished_threads, 1);
}

int main()
{
    const int n = 3000;
    float *x, *y;
    CUDA(cudaMallocManaged(&x, n * sizeof(float)));
    CUDA(cudaMallocManaged(&y, n * sizeof(float)));
    std::vector<float> want(n);
    for (int i = 0; i < n; i++) {
        x[i] = static_cast<float>(i);
        y[i] = 1;
        want[i] = 2.0f * static_cast<float>(i) + 1;
    }
    finished_threads = 0;

    saxpy<<<4, 128>>>(n, 2.0f, x, y);
    CUDA(cudaDeviceSynchronize());

    int wrong = compare("y", std::vector<float>(y, y + n), want);
    wrong += finished_threads != 4 * 128;
    CUDA(cudaFree(x));
    CUDA(cudaFree(y));
    return report("saxpy", wrong);
}
