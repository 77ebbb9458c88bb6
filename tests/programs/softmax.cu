/* softmax - a block per row: the largest value, then the sum of exponentials, both by a tree in dynamic
   shared memory, then the quotients. */
#include "program.h"
#include <cfloat>

template <typename Operation> __device__ float block_reduce(float value, Operation operation)
{
    extern __shared__ float part[];
    part[threadIdx.x] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] = operation(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
    float result = part[0];
    __syncthreads(); /* part is used again */
    return result;
}

__global__ void softmax(const float *in, float *out, int columns)
{
    const float *row = in + blockIdx.x * columns;
    float largest = -FLT_MAX, sum = 0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        largest = fmaxf(largest, row[c]);
    largest = block_reduce(largest, [](float a, float b) { return fmaxf(a, b); });
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        sum += expf(row[c] - largest);
    sum = block_reduce(sum, [](float a, float b) { return a + b; });
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        out[blockIdx.x * columns + c] = expf(row[c] - largest) / sum;
}

int main()
{
    const int rows = 6, columns = 200, threads = 128;
    std::vector<float> in = random_floats(rows * columns), want(rows * columns);
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int c = 0; c < columns; c++)
            sum += std::exp((double)in[r * columns + c]);
        for (int c = 0; c < columns; c++)
            want[r * columns + c] = static_cast<float>(std::exp((double)in[r * columns + c]) / sum);
    }

    float *device_in = to_device(in), *device_out = on_device<float>(rows * columns);
    softmax<<<rows, threads, threads * sizeof(float)>>>(device_in, device_out, columns);
    CUDA(launched());
    int wrong = compare("softmax", to_host(device_out, rows * columns), want, 1e-6);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return report("softmax", wrong);
}
