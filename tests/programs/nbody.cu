/* nbody - the pull of all bodies on each, tile by tile. All lanes read the same float4 of the tile: one
   word for all is multicast, but 16 bytes per lane are served in at least two passes. */
#include "program.h"

const int TILE = 64;

__host__ __device__ inline void pull(float4 body, float4 other, float3 &force)
{
    float x = other.x - body.x, y = other.y - body.y, z = other.z - body.z;
    float square = x * x + y * y + z * z + 0.01f;
    float inverse = 1 / sqrtf(square);
    float strength = other.w * inverse * inverse * inverse;
    force.x += x * strength;
    force.y += y * strength;
    force.z += z * strength;
}

__global__ void forces(const float4 *bodies, float3 *result, int n)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 body = bodies[i];
    float3 force = make_float3(0, 0, 0);
    for (int t = 0; t < n; t += TILE) {
        tile[threadIdx.x] = bodies[t + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < TILE; j++)
            pull(body, tile[j], force);
        __syncthreads();
    }
    result[i] = force;
}

int main()
{
    const int n = 256;
    std::vector<float> values = random_floats(4 * n);
    std::vector<float4> bodies(n);
    for (int i = 0; i < n; i++)
        bodies[i] = make_float4(values[4 * i], values[4 * i + 1], values[4 * i + 2],
                                fabsf(values[4 * i + 3]) + 1);

    float4 *device_bodies = to_device(bodies);
    float3 *device_forces = on_device<float3>(n);
    forces<<<n / TILE, TILE>>>(device_bodies, device_forces, n);
    CUDA(launched());

    std::vector<float> got, want;
    for (float3 force : to_host(device_forces, n))
        got.insert(got.end(), {force.x, force.y, force.z});
    for (int i = 0; i < n; i++) {
        double sum[3] = {};
        for (int j = 0; j < n; j++) {
            double x = bodies[j].x - bodies[i].x, y = bodies[j].y - bodies[i].y,
                   z = bodies[j].z - bodies[i].z;
            double strength = bodies[j].w / std::pow(x * x + y * y + z * z + 0.01, 1.5);
            sum[0] += x * strength;
            sum[1] += y * strength;
            sum[2] += z * strength;
        }
        want.insert(want.end(), {(float)sum[0], (float)sum[1], (float)sum[2]});
    }
    int wrong = compare("forces", got, want, 1e-3);
    CUDA(cudaFree(device_bodies));
    CUDA(cudaFree(device_forces));
    return report("nbody", wrong);
}
