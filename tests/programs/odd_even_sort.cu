/* odd_even_sort - Batcher's odd-even merge sort of (key, value) pairs, keys and values in two shared
   arrays. A barrier ends each step; the second half of the threads idles in some. */
#include "program.h"

const int N = 256;

__device__ inline void order(unsigned &key_a, unsigned &value_a, unsigned &key_b, unsigned &value_b)
{
    if (key_a <= key_b)
        return;
    unsigned key = key_a, value = value_a;
    key_a = key_b;
    value_a = value_b;
    key_b = key;
    value_b = value;
}

__global__ void sort(unsigned *keys, unsigned *values)
{
    __shared__ unsigned k[N], v[N];
    for (int i = threadIdx.x; i < N; i += blockDim.x) {
        k[i] = keys[i];
        v[i] = values[i];
    }
    for (int size = 2; size <= N; size *= 2) {
        int distance = size / 2;
        int offset = threadIdx.x & (distance - 1);
        __syncthreads();
        int i = 2 * threadIdx.x - offset;
        order(k[i], v[i], k[i + distance], v[i + distance]);
        for (distance /= 2; distance > 0; distance /= 2) {
            __syncthreads();
            int j = 2 * threadIdx.x - (threadIdx.x & (distance - 1));
            if (offset >= distance)
                order(k[j - distance], v[j - distance], k[j], v[j]);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x) {
        keys[i] = k[i];
        values[i] = v[i];
    }
}

int main()
{
    std::vector<unsigned> keys, values(N);
    for (int key : random_ints(N, 100000))
        keys.push_back(key);
    for (int i = 0; i < N; i++)
        values[i] = i;
    std::vector<unsigned> want(keys);
    std::sort(want.begin(), want.end());

    unsigned *device_keys = to_device(keys), *device_values = to_device(values);
    sort<<<1, N / 2>>>(device_keys, device_values);
    CUDA(launched());
    std::vector<unsigned> sorted = to_host(device_keys, N), from = to_host(device_values, N);
    int wrong = compare("keys", sorted, want);
    for (int i = 0; i < N; i++) /* each value still belongs to its key */
        wrong += from[i] >= N || keys[from[i]] != sorted[i];
    CUDA(cudaFree(device_keys));
    CUDA(cudaFree(device_values));
    return report("odd_even_sort", wrong);
}
