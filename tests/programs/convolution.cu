/*
 * convolution - a separable filter: rows, then columns. The coefficients lie in constant memory, the
 * tile with its halo in shared memory. In the column pass a block is 16 wide, so a warp reads two
 * rows of 16 words: no conflicts.
 */
#include "program.h"

const int RADIUS = 4, TAPS = 2 * RADIUS + 1, W = 16, H = 8, PER_THREAD = 2;

__constant__ float taps[TAPS];

__global__ void rows(const float *in, float *out, int width)
{
    __shared__ float tile[H][PER_THREAD * W + 2 * RADIUS];
    int left = blockIdx.x * PER_THREAD * W - RADIUS, y = blockIdx.y * H + threadIdx.y;
    for (int i = threadIdx.x; i < PER_THREAD * W + 2 * RADIUS; i += W) {
        int x = left + i;
        tile[threadIdx.y][i] = x >= 0 && x < width ? in[y * width + x] : 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < PER_THREAD * W; i += W) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < TAPS; k++)
            sum += taps[k] * tile[threadIdx.y][i + k];
        out[y * width + left + RADIUS + i] = sum;
    }
}

__global__ void columns(const float *in, float *out, int width, int height)
{
    __shared__ float tile[PER_THREAD * H + 2 * RADIUS][W];
    int x = blockIdx.x * W + threadIdx.x, top = blockIdx.y * PER_THREAD * H - RADIUS;
    for (int i = threadIdx.y; i < PER_THREAD * H + 2 * RADIUS; i += H) {
        int y = top + i;
        tile[i][threadIdx.x] = y >= 0 && y < height ? in[y * width + x] : 0;
    }
    __syncthreads();
    for (int i = threadIdx.y; i < PER_THREAD * H; i += H) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < TAPS; k++)
            sum += taps[k] * tile[i + k][threadIdx.x];
        out[(top + RADIUS + i) * width + x] = sum;
    }
}

int main()
{
    const int width = 64, height = 32, n = width * height;
    const float filter[TAPS] = {1, 2, 4, 8, 16, 8, 4, 2, 1};
    std::vector<float> in = random_floats(n), half(n), want(n);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int k = -RADIUS; k <= RADIUS; k++)
                if (x + k >= 0 && x + k < width)
                    half[y * width + x] += filter[k + RADIUS] * in[y * width + x + k];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int k = -RADIUS; k <= RADIUS; k++)
                if (y + k >= 0 && y + k < height)
                    want[y * width + x] += filter[k + RADIUS] * half[(y + k) * width + x];

    CUDA(cudaMemcpyToSymbol(taps, filter, sizeof filter));
    float *image = to_device(in), *between = on_device<float>(n), *result = on_device<float>(n);
    rows<<<dim3(width / (PER_THREAD * W), height / H), dim3(W, H)>>>(image, between, width);
    columns<<<dim3(width / W, height / (PER_THREAD * H)), dim3(W, H)>>>(between, result, width,
                                                                        height);
    CUDA(launched());
    int wrong = compare("result", to_host(result, n), want, 1e-5);
    CUDA(cudaFree(image));
    CUDA(cudaFree(between));
    CUDA(cudaFree(result));
    return report("convolution", wrong);
}
