/* stencil_3d - the six neighbours of each cell of a box, by blocks of 8 x 8 x 4 threads that keep their
   cells in shared memory and fetch neighbours in other blocks from global memory. */
#include "program.h"

const int X = 8, Y = 8, Z = 4;

__global__ void neighbours(const float *in, float *out, dim3 size)
{
    __shared__ float box[Z][Y][X];
    int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y,
        z = blockIdx.z * Z + threadIdx.z;
    int stride_y = size.x, stride_z = size.x * size.y;
    int i = z * stride_z + y * stride_y + x;
    int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
    box[tz][ty][tx] = in[i];
    __syncthreads();

    bool rim = x == 0 || y == 0 || z == 0 || x == size.x - 1 || y == size.y - 1 || z == size.z - 1;
    if (rim) {
        out[i] = box[tz][ty][tx];
        return;
    }
    float sum = 0;
    sum += tx > 0 ? box[tz][ty][tx - 1] : in[i - 1];
    sum += tx < X - 1 ? box[tz][ty][tx + 1] : in[i + 1];
    sum += ty > 0 ? box[tz][ty - 1][tx] : in[i - stride_y];
    sum += ty < Y - 1 ? box[tz][ty + 1][tx] : in[i + stride_y];
    sum += tz > 0 ? box[tz - 1][ty][tx] : in[i - stride_z];
    sum += tz < Z - 1 ? box[tz + 1][ty][tx] : in[i + stride_z];
    out[i] = sum;
}

int main()
{
    const dim3 size(16, 16, 8);
    const int n = size.x * size.y * size.z, dy = size.x, dz = size.x * size.y;
    std::vector<float> in = random_floats(n), want(in);
    for (unsigned z = 1; z < size.z - 1; z++)
        for (unsigned y = 1; y < size.y - 1; y++)
            for (unsigned x = 1; x < size.x - 1; x++) {
                int i = z * dz + y * dy + x;
                want[i] = in[i - 1] + in[i + 1] + in[i - dy] + in[i + dy] + in[i - dz] + in[i + dz];
            }

    float *device_in = to_device(in), *device_out = on_device<float>(n);
    neighbours<<<dim3(size.x / X, size.y / Y, size.z / Z), dim3(X, Y, Z)>>>(device_in, device_out,
                                                                            size);
    CUDA(launched());
    int wrong = compare("out", to_host(device_out, n), want);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return report("stencil_3d", wrong);
}
