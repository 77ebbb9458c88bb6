/* kmeans - one step of clustering in the plane: the centres in constant memory, sums and counts per
   cluster by atomic additions of float and int in shared memory. Coordinates are multiples of 1/8, so
   the sums are exact in any order. */
#include "program.h"

const int K = 5;

__constant__ float2 centres[K];

struct Cluster {
    float x, y;
    int count;
};

__global__ void assign(const float2 *points, int n, Cluster *clusters)
{
    __shared__ Cluster local[K];
    if (threadIdx.x < K)
        local[threadIdx.x] = {0, 0, 0};
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float2 p = points[i];
        int nearest = 0;
        float best = INFINITY;
        for (int k = 0; k < K; k++) {
            float dx = p.x - centres[k].x, dy = p.y - centres[k].y, square = dx * dx + dy * dy;
            if (square < best) {
                best = square;
                nearest = k;
            }
        }
        atomicAdd(&local[nearest].x, p.x);
        atomicAdd(&local[nearest].y, p.y);
        atomicAdd(&local[nearest].count, 1);
    }
    __syncthreads();
    if (threadIdx.x < K) {
        atomicAdd(&clusters[threadIdx.x].x, local[threadIdx.x].x);
        atomicAdd(&clusters[threadIdx.x].y, local[threadIdx.x].y);
        atomicAdd(&clusters[threadIdx.x].count, local[threadIdx.x].count);
    }
}

int main()
{
    const int n = 1000;
    std::vector<float> values = random_floats(2 * n);
    std::vector<float2> points;
    for (int i = 0; i < n; i++)
        points.push_back(make_float2(values[2 * i], values[2 * i + 1]));
    float2 start[K] = {{-2, -2}, {2, -2}, {0, 0}, {-2, 2}, {2, 2}};
    std::vector<float> want(3 * K), got;
    for (float2 p : points) {
        int nearest = 0;
        auto square = [&](int k) {
            return (p.x - start[k].x) * (p.x - start[k].x) +
                   (p.y - start[k].y) * (p.y - start[k].y);
        };
        for (int k = 1; k < K; k++)
            if (square(k) < square(nearest))
                nearest = k;
        want[3 * nearest] += p.x;
        want[3 * nearest + 1] += p.y;
        want[3 * nearest + 2]++;
    }

    CUDA(cudaMemcpyToSymbol(centres, start, sizeof start));
    float2 *device_points = to_device(points);
    Cluster *clusters = to_device(std::vector<Cluster>(K));
    assign<<<(n + 255) / 256, 256>>>(device_points, n, clusters);
    CUDA(launched());
    for (Cluster cluster : to_host(clusters, K))
        got.insert(got.end(), {cluster.x, cluster.y, (float)cluster.count});
    int wrong = compare("clusters", got, want);
    CUDA(cudaFree(device_points));
    CUDA(cudaFree(clusters));
    return report("kmeans", wrong);
}
