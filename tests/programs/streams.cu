/* streams - two streams copy and compute in turns from pinned memory; events order them and take the
   time. */
#include "program.h"

__global__ void square(float *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] *= values[i];
}

int main()
{
    const int n = 4096, parts = 4, part = n / parts;
    std::vector<float> in = random_floats(n), want(n);
    for (int i = 0; i < n; i++)
        want[i] = in[i] * in[i];

    cudaDeviceProp properties;
    CUDA(cudaGetDeviceProperties(&properties, 0));
    int wrong = properties.warpSize != 32 || properties.maxThreadsPerBlock < 1024;

    float *pinned, *memory, milliseconds = -1;
    CUDA(cudaMallocHost(&pinned, n * sizeof(float)));
    CUDA(cudaMalloc(&memory, n * sizeof(float)));
    std::copy(in.begin(), in.end(), pinned);

    cudaStream_t streams[2];
    cudaEvent_t start, stop, first_done;
    for (cudaStream_t &stream : streams)
        CUDA(cudaStreamCreate(&stream));
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    CUDA(cudaEventCreateWithFlags(&first_done, cudaEventDisableTiming));

    CUDA(cudaEventRecord(start));
    for (int p = 0; p < parts; p++) {
        cudaStream_t stream = streams[p % 2];
        float *at = memory + p * part;
        CUDA(cudaMemcpyAsync(at, pinned + p * part, part * sizeof(float), cudaMemcpyHostToDevice,
                             stream));
        square<<<part / 128, 128, 0, stream>>>(at, part);
        CUDA(cudaMemcpyAsync(pinned + p * part, at, part * sizeof(float), cudaMemcpyDeviceToHost,
                             stream));
    }
    CUDA(cudaEventRecord(first_done, streams[0]));
    CUDA(cudaStreamWaitEvent(streams[1], first_done, 0));
    CUDA(cudaStreamSynchronize(streams[1]));
    CUDA(cudaEventRecord(stop));
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&milliseconds, start, stop));
    wrong += milliseconds < 0;
    wrong += cudaStreamQuery(streams[0]) != cudaSuccess;
    wrong += compare("squares", std::vector<float>(pinned, pinned + n), want);

    for (cudaStream_t stream : streams)
        CUDA(cudaStreamDestroy(stream));
    for (cudaEvent_t event : {start, stop, first_done})
        CUDA(cudaEventDestroy(event));
    CUDA(cudaFreeHost(pinned));
    CUDA(cudaFree(memory));
    return report("streams", wrong);
}
