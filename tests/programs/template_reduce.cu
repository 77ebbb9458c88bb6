/* template_reduce - one reduction for any type and operation: a device function that is given a pointer
   to shared memory. Blocks of 96 threads: no power of two. */
#include "program.h"

struct Sum {
    template <typename T> __device__ T operator()(T a, T b) const
    {
        return a + b;
    }
};

struct Largest {
    template <typename T> __device__ T operator()(T a, T b) const
    {
        return a > b ? a : b;
    }
};

template <typename T, typename Operation>
__device__ T reduce(T *part, int count, Operation operation)
{
    while (count > 1) {
        int half = (count + 1) / 2;
        if (threadIdx.x + half < count)
            part[threadIdx.x] = operation(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
        count = half;
    }
    return part[0];
}

template <typename T, typename Operation, int THREADS>
__global__ void reduce_blocks(const T *in, T *out, Operation operation)
{
    __shared__ T part[THREADS];
    part[threadIdx.x] = in[blockIdx.x * THREADS + threadIdx.x];
    __syncthreads();
    T result = reduce(part, THREADS, operation);
    if (threadIdx.x == 0)
        out[blockIdx.x] = result;
}

template <typename T, typename Operation>
int test(const char *what, Operation operation, T (*join)(T, T))
{
    const int blocks = 3, threads = 96;
    std::vector<float> floats = random_floats(blocks * threads);
    std::vector<T> in(floats.begin(), floats.end()), want;
    for (int block = 0; block < blocks; block++) {
        T result = in[block * threads];
        for (int i = 1; i < threads; i++)
            result = join(result, in[block * threads + i]);
        want.push_back(result);
    }
    T *device_in = to_device(in), *device_out = on_device<T>(blocks);
    reduce_blocks<T, Operation, threads><<<blocks, threads>>>(device_in, device_out, operation);
    CUDA(launched());
    int wrong = compare(what, to_host(device_out, blocks), want);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return wrong;
}

template <typename T> T add(T a, T b)
{
    return a + b;
}
template <typename T> T larger(T a, T b)
{
    return std::max(a, b);
}

int main()
{
    int wrong = test<int>("sum of int", Sum(), add<int>);
    wrong += test<float>("sum of float", Sum(), add<float>);
    wrong += test<double>("sum of double", Sum(), add<double>);
    wrong += test<short>("largest short", Largest(), larger<short>);
    wrong += test<double>("largest double", Largest(), larger<double>);
    return report("template_reduce", wrong);
}
