/*
 * stencil_2d - steps of heat spreading over a plate: each cell becomes the mean of its four
 * neighbours, the rim stays. A block loads a tile with its halo, 18 x 18 for 16 x 16 threads, in
 * pitched memory. A warp's two rows of 18 words overlap in their banks: 2 passes here and there.
 */
#include "program.h"
#include <utility>

const int B = 16;

__global__ void spread(const float *in, float *out, size_t pitch, int width, int height)
{
    __shared__ float tile[B + 2][B + 2];
    auto row = [=](int y) { return reinterpret_cast<const float *>((const char *)in + y * pitch); };
    int left = blockIdx.x * B - 1, top = blockIdx.y * B - 1;
    for (int i = threadIdx.y * B + threadIdx.x; i < (B + 2) * (B + 2); i += B * B) {
        int x = left + i % (B + 2), y = top + i / (B + 2);
        bool inside = x >= 0 && x < width && y >= 0 && y < height;
        tile[i / (B + 2)][i % (B + 2)] = inside ? row(y)[x] : 0;
    }
    __syncthreads();

    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = left + tx, y = top + ty;
    if (x >= width || y >= height)
        return;
    float value = tile[ty][tx];
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
        value = 0.25f * (tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1]);
    reinterpret_cast<float *>((char *)out + y * pitch)[x] = value;
}

int main()
{
    const int width = 50, height = 40, steps = 3;
    std::vector<float> plate = random_floats(width * height), want(plate), got(width * height);
    for (int step = 0; step < steps; step++) {
        std::vector<float> old(want);
        for (int y = 1; y < height - 1; y++)
            for (int x = 1; x < width - 1; x++) {
                int i = y * width + x;
                want[i] = 0.25f * (old[i - width] + old[i + width] + old[i - 1] + old[i + 1]);
            }
    }

    float *in, *out;
    size_t pitch, row = width * sizeof(float);
    CUDA(cudaMallocPitch(&in, &pitch, row, height));
    CUDA(cudaMallocPitch(&out, &pitch, row, height));
    CUDA(cudaMemcpy2D(in, pitch, plate.data(), row, row, height, cudaMemcpyHostToDevice));
    dim3 blocks((width + B - 1) / B, (height + B - 1) / B);
    for (int step = 0; step < steps; step++) {
        spread<<<blocks, dim3(B, B)>>>(in, out, pitch, width, height);
        CUDA(launched());
        std::swap(in, out);
    }
    CUDA(cudaMemcpy2D(got.data(), row, in, pitch, row, height, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    return report("stencil_2d", compare("plate", got, want, 1e-6));
}
