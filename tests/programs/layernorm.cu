/*
 * layernorm - normalises rows to mean 0 and variance 1. Each thread keeps count, mean and sum of
 * squared deviations of its values; a tree of Chan's formula joins them. The structs of 12 bytes in
 * shared memory cause no conflicts, since 3 and 32 have no common factor.
 */
#include "program.h"

struct Moments {
    float count, mean, squares;
};

__device__ Moments join(Moments a, Moments b)
{
    float count = a.count + b.count;
    if (count == 0)
        return a;
    float delta = b.mean - a.mean;
    return {count, a.mean + delta * b.count / count,
            a.squares + b.squares + delta * delta * a.count * b.count / count};
}

template <int THREADS> __global__ void layernorm(const float *in, float *out, int columns)
{
    __shared__ Moments part[THREADS];
    const float *row = in + blockIdx.x * columns;
    Moments own = {0, 0, 0};
    for (int c = threadIdx.x; c < columns; c += THREADS)
        own = join(own, {1, row[c], 0});
    part[threadIdx.x] = own;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] = join(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
    float mean = part[0].mean, scale = rsqrtf(part[0].squares / columns + 1e-5f);
    for (int c = threadIdx.x; c < columns; c += THREADS)
        out[blockIdx.x * columns + c] = (row[c] - mean) * scale;
}

int main()
{
    const int rows = 5, columns = 150;
    std::vector<float> in = random_floats(rows * columns), want(rows * columns);
    for (int r = 0; r < rows; r++) {
        const float *row = &in[r * columns];
        double mean = 0, squares = 0;
        for (int c = 0; c < columns; c++)
            mean += row[c];
        mean /= columns;
        for (int c = 0; c < columns; c++)
            squares += (row[c] - mean) * (row[c] - mean);
        for (int c = 0; c < columns; c++)
            want[r * columns + c] = (float)((row[c] - mean) / std::sqrt(squares / columns + 1e-5));
    }

    float *device_in = to_device(in), *device_out = on_device<float>(rows * columns);
    layernorm<64><<<rows, 64>>>(device_in, device_out, columns);
    CUDA(launched());
    int wrong = compare("layernorm", to_host(device_out, rows * columns), want, 1e-4);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return report("layernorm", wrong);
}
