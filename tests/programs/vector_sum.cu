/* vector_sum - the first program of every course: one thread adds one pair. No shared memory. */
#include "program.h"

__global__ void add(const float *a, const float *b, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
}

int main()
{
    const int n = 1000;
    std::vector<float> a = random_floats(n, 1), b = random_floats(n, 2), sum(n), want(n);
    for (int i = 0; i < n; i++)
        want[i] = a[i] + b[i];

    float *device_a, *device_b, *device_sum;
    const size_t bytes = n * sizeof(float);
    CUDA(cudaMalloc(&device_a, bytes));
    CUDA(cudaMalloc(&device_b, bytes));
    CUDA(cudaMalloc(&device_sum, bytes));
    CUDA(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));

    add<<<(n + 255) / 256, 256>>>(device_a, device_b, device_sum, n);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(sum.data(), device_sum, bytes, cudaMemcpyDeviceToHost));

    CUDA(cudaFree(device_a));
    CUDA(cudaFree(device_b));
    CUDA(cudaFree(device_sum));
    return report("vector_sum", compare("sum", sum, want));
}
