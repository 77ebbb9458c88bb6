/* stencil_1d - each output is the sum of the 2 R + 1 inputs around it. The block loads its inputs and
   R more on either side; the first R threads fetch these. */
#include "program.h"

const int R = 3, THREADS = 128;

__global__ void stencil(const float *in, float *out, int n)
{
    __shared__ float tile[THREADS + 2 * R];
    int i = blockIdx.x * THREADS + threadIdx.x, at = threadIdx.x + R;
    tile[at] = i < n ? in[i] : 0;
    if (threadIdx.x < R) {
        tile[at - R] = i >= R ? in[i - R] : 0;
        tile[at + THREADS] = i + THREADS < n ? in[i + THREADS] : 0;
    }
    __syncthreads();

    float sum = 0;
    for (int offset = -R; offset <= R; offset++)
        sum += tile[at + offset];
    if (i < n)
        out[i] = sum;
}

int main()
{
    const int n = 1000;
    std::vector<float> in = random_floats(n), want(n);
    for (int i = 0; i < n; i++)
        for (int j = std::max(0, i - R); j <= std::min(n - 1, i + R); j++)
            want[i] += in[j];

    float *device_in = to_device(in), *device_out = on_device<float>(n);
    stencil<<<(n + THREADS - 1) / THREADS, THREADS>>>(device_in, device_out, n);
    CUDA(launched());
    int wrong = compare("out", to_host(device_out, n), want);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return report("stencil_1d", wrong);
}
