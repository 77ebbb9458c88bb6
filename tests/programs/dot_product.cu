/* dot_product - in double precision: products in registers, sums by shuffles within a warp, one word of
   shared memory per warp, one atomic addition per block. */
#include "program.h"

__inline__ __device__ double warp_sum(double value)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xffffffff, value, offset);
    return value;
}

__global__ void dot(const double *a, const double *b, int n, double *result)
{
    __shared__ double sums[32];
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += a[i] * b[i];
    sum = warp_sum(sum);
    if (threadIdx.x % warpSize == 0)
        sums[threadIdx.x / warpSize] = sum;
    __syncthreads();
    if (threadIdx.x < warpSize) {
        sum = warp_sum(threadIdx.x < blockDim.x / warpSize ? sums[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            atomicAdd(result, sum);
    }
}

int main()
{
    const int n = 5000;
    std::vector<float> x = random_floats(n, 1), y = random_floats(n, 2);
    std::vector<double> a(x.begin(), x.end()), b(y.begin(), y.end()), want(1);
    for (int i = 0; i < n; i++)
        want[0] += a[i] * b[i];

    double *device_a = to_device(a), *device_b = to_device(b);
    double *result = to_device(std::vector<double>(1));
    dot<<<4, 256>>>(device_a, device_b, n, result);
    CUDA(launched());
    int wrong = compare("dot", to_host(result, 1), want, 1e-12);
    CUDA(cudaFree(device_a));
    CUDA(cudaFree(device_b));
    CUDA(cudaFree(result));
    return report("dot_product", wrong);
}
