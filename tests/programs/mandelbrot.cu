/* mandelbrot - steps until a point escapes. No shared memory; lanes of a warp leave the loop at
   different steps. Points are multiples of 1/32 and the arithmetic is in double precision. */
#include "program.h"

const int LIMIT = 50;

__host__ __device__ int steps(double cx, double cy)
{
    double x = 0, y = 0;
    int step = 0;
    while (step < LIMIT && x * x + y * y <= 4) {
        double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        step++;
    }
    return step;
}

__global__ void mandelbrot(int *image, int width, int height)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px < width && py < height)
        image[py * width + px] = steps(px / 32.0 - 2, py / 32.0 - 1);
}

int main()
{
    const int width = 96, height = 64;
    std::vector<int> want(width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            want[y * width + x] = steps(x / 32.0 - 2, y / 32.0 - 1);

    int *image = on_device<int>(width * height);
    dim3 threads(16, 8);
    dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
    mandelbrot<<<blocks, threads>>>(image, width, height);
    CUDA(launched());
    std::vector<int> got = to_host(image, width * height);
    CUDA(cudaFree(image));

    /* The GPU fuses multiplications and additions: a few points at the rim escape a step earlier or
       later. */
    int different = 0;
    for (int i = 0; i < width * height; i++)
        different += got[i] != want[i];
    return report("mandelbrot", different > width * height / 100 ? different : 0);
}
