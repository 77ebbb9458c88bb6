/* vector_tiles - a tile is filled 16 bytes at a time and read by words, and the other way round, with
   float4 and double2. Rows of 36 floats keep 16-byte alignment and spread the columns. */
#include "program.h"

const int T = 32, ROW = T + 4;

__global__ void by_float4(const float4 *in, float *out)
{
    __shared__ __align__(16) float tile[T][ROW];
    int row = threadIdx.x / 8, quad = threadIdx.x % 8; /* 256 threads, 8 quads a row */
    *reinterpret_cast<float4 *>(&tile[row][quad * 4]) = in[threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.x; i < T * T; i += blockDim.x)
        out[i] = tile[i % T][i / T];
}

__global__ void by_double2(const double *in, double2 *out)
{
    __shared__ double2 tile[T][T / 2 + 1];
    double *words = &tile[0][0].x;
    for (int i = threadIdx.x; i < T * T; i += blockDim.x)
        words[i % T * (T + 2) + i / T] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < T * T / 2; i += blockDim.x)
        out[i] = tile[i / (T / 2)][i % (T / 2)];
}

int main()
{
    std::vector<float> in = random_floats(T * T), want(T * T);
    for (int i = 0; i < T * T; i++)
        want[i] = in[i % T * T + i / T];
    float *device_in = to_device(in), *device_out = on_device<float>(T * T);
    by_float4<<<1, 256>>>(reinterpret_cast<float4 *>(device_in), device_out);
    CUDA(launched());
    int wrong = compare("by_float4", to_host(device_out, T * T), want);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));

    std::vector<double> doubles(in.begin(), in.end()), transposed(want.begin(), want.end());
    double *device_doubles = to_device(doubles), *device_transposed = on_device<double>(T * T);
    by_double2<<<1, 256>>>(device_doubles, reinterpret_cast<double2 *>(device_transposed));
    CUDA(launched());
    wrong += compare("by_double2", to_host(device_transposed, T * T), transposed);
    CUDA(cudaFree(device_doubles));
    CUDA(cudaFree(device_transposed));
    return report("vector_tiles", wrong);
}
