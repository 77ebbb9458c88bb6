/* bank_width - neighbouring elements of 1, 2, 4, 8 and 16 bytes: narrow ones share words, wide ones are
   served in two or four groups of lanes. Then every third element, where narrow ones still share. */
#include "program.h"

template <typename T, int STRIDE> __global__ void move(const T *in, T *out)
{
    __shared__ T tile[64 * STRIDE];
    tile[threadIdx.x * STRIDE] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[(63 - threadIdx.x) * STRIDE];
}

template <typename T, int STRIDE> int test(const char *what)
{
    std::vector<int> bytes = random_ints(64 * sizeof(T), 256);
    std::vector<unsigned char> in(bytes.begin(), bytes.end()), want(in.size());
    for (size_t i = 0; i < in.size(); i++)
        want[i] = in[(63 - i / sizeof(T)) * sizeof(T) + i % sizeof(T)];
    unsigned char *device_in = to_device(in), *device_out = on_device<unsigned char>(in.size());
    move<T, STRIDE><<<1, 64>>>(reinterpret_cast<T *>(device_in), reinterpret_cast<T *>(device_out));
    CUDA(launched());
    int wrong = compare(what, to_host(device_out, in.size()), want);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return wrong;
}

int main()
{
    int wrong = test<unsigned char, 1>("char") + test<unsigned char, 3>("char, 3 apart");
    wrong += test<short, 1>("short") + test<short, 3>("short, 3 apart");
    wrong += test<int, 1>("int") + test<int, 3>("int, 3 apart");
    wrong += test<float2, 1>("float2") + test<float2, 3>("float2, 3 apart");
    wrong += test<double, 1>("double") + test<double, 3>("double, 3 apart");
    wrong += test<float4, 1>("float4") + test<float4, 3>("float4, 3 apart");
    return report("bank_width", wrong);
}
