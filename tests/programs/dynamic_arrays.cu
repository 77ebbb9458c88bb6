/* dynamic_arrays - one piece of dynamic shared memory holds a table of doubles and a list of bytes
   behind it: the pointers are set by hand, the wider type first. */
#include "program.h"

__global__ void mean_of_groups(const float *values, const unsigned char *groups, int n,
                               double *means, int group_count)
{
    extern __shared__ __align__(8) unsigned char memory[];
    double *sums = reinterpret_cast<double *>(memory);
    unsigned char *group_of = memory + group_count * sizeof(double);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        group_of[i] = groups[i];
    __syncthreads();
    for (int g = threadIdx.x; g < group_count; g += blockDim.x) {
        int count = 0;
        sums[g] = 0;
        for (int i = 0; i < n; i++)
            if (group_of[i] == g) {
                sums[g] += values[i];
                count++;
            }
        means[g] = count ? sums[g] / count : 0;
    }
}

int main()
{
    const int n = 300, group_count = 40;
    std::vector<float> values = random_floats(n);
    std::vector<unsigned char> groups;
    for (int group : random_ints(n, group_count, 2))
        groups.push_back(group);
    std::vector<double> want(group_count), counts(group_count);
    for (int i = 0; i < n; i++) {
        want[groups[i]] += values[i];
        counts[groups[i]]++;
    }
    for (int g = 0; g < group_count; g++)
        want[g] = counts[g] > 0 ? want[g] / counts[g] : 0;

    float *device_values = to_device(values);
    unsigned char *device_groups = to_device(groups);
    double *means = on_device<double>(group_count);
    mean_of_groups<<<1, 64, group_count * sizeof(double) + n>>>(device_values, device_groups, n,
                                                                means, group_count);
    CUDA(launched());
    int wrong = compare("means", to_host(means, group_count), want, 1e-12);
    CUDA(cudaFree(device_values));
    CUDA(cudaFree(device_groups));
    CUDA(cudaFree(means));
    return report("dynamic_arrays", wrong);
}
