/* textures - an image in a CUDA array, read through texture objects: by texel with the rim clamped, and
   between texels with linear filtering; a surface takes the result. */
#include "program.h"

__global__ void blur(cudaTextureObject_t image, cudaSurfaceObject_t result, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += tex2D<float>(image, x + dx + 0.5f, y + dy + 0.5f);
    surf2Dwrite(sum, result, x * (int)sizeof(float), y);
}

__global__ void between(cudaTextureObject_t image, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] =
            tex2D<float>(image, x + 1.0f, y + 1.0f); /* the middle of four texels */
}

int main()
{
    const int width = 40, height = 24, n = width * height;
    std::vector<float> in = random_floats(n), sums(n), want(n), want_between(n);
    auto at = [&](int x, int y) {
        x = std::min(std::max(x, 0), width - 1);
        y = std::min(std::max(y, 0), height - 1);
        return in[y * width + x];
    };
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            for (int k = 0; k < 9; k++)
                want[y * width + x] += at(x + k % 3 - 1, y + k / 3 - 1);
            want_between[y * width + x] =
                (at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1)) / 4;
        }

    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t image, result;
    CUDA(cudaMallocArray(&image, &format, width, height));
    CUDA(cudaMallocArray(&result, &format, width, height, cudaArraySurfaceLoadStore));
    const size_t row = width * sizeof(float);
    CUDA(cudaMemcpy2DToArray(image, 0, 0, in.data(), row, row, height, cudaMemcpyHostToDevice));

    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = image;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModePoint;
    cudaTextureObject_t points, lines;
    CUDA(cudaCreateTextureObject(&points, &resource, &description, nullptr));
    description.filterMode = cudaFilterModeLinear;
    CUDA(cudaCreateTextureObject(&lines, &resource, &description, nullptr));
    resource.res.array.array = result;
    cudaSurfaceObject_t surface;
    CUDA(cudaCreateSurfaceObject(&surface, &resource));

    dim3 threads(16, 8), blocks((width + 15) / 16, (height + 7) / 8);
    float *out = on_device<float>(n);
    blur<<<blocks, threads>>>(points, surface, width, height);
    between<<<blocks, threads>>>(lines, out, width, height);
    CUDA(launched());
    CUDA(
        cudaMemcpy2DFromArray(sums.data(), row, result, 0, 0, row, height, cudaMemcpyDeviceToHost));
    int wrong = compare("sums", sums, want);
    wrong += compare("between", to_host(out, n), want_between, 1e-6);

    CUDA(cudaDestroyTextureObject(points));
    CUDA(cudaDestroyTextureObject(lines));
    CUDA(cudaDestroySurfaceObject(surface));
    CUDA(cudaFreeArray(image));
    CUDA(cudaFreeArray(result));
    CUDA(cudaFree(out));
    return report("textures", wrong);
}
