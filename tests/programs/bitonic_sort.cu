/*
 * bitonic_sort - a sorting network in shared memory: log2(n) (log2(n) + 1) / 2 steps. In the step of
 * distance d, thread t compares words i and i + d with i = 2 t - (t mod d): for d < 32 the lanes'
 * words are not consecutive, and two lanes meet in each bank.
 */
#include "program.h"

__device__ void compare_and_swap(int &a, int &b, bool ascending)
{
    if ((a > b) == ascending) {
        int t = a;
        a = b;
        b = t;
    }
}

template <int N> __global__ void __launch_bounds__(N / 2) sort(int *keys)
{
    __shared__ int tile[N];
    int tid = threadIdx.x;
    keys += blockIdx.x * N;
    tile[tid] = keys[tid];
    tile[tid + N / 2] = keys[tid + N / 2];
    for (int size = 2; size <= N; size *= 2) {
        bool ascending = (tid & (size / 2)) == 0;
        for (int distance = size / 2; distance > 0; distance /= 2) {
            __syncthreads();
            int i = 2 * tid - (tid & (distance - 1));
            compare_and_swap(tile[i], tile[i + distance], ascending);
        }
    }
    __syncthreads();
    keys[tid] = tile[tid];
    keys[tid + N / 2] = tile[tid + N / 2];
}

int main()
{
    const int n = 512, blocks = 2;
    std::vector<int> keys = random_ints(blocks * n, 10000), want(keys);
    for (int block = 0; block < blocks; block++)
        std::sort(want.begin() + block * n, want.begin() + (block + 1) * n);

    int *device_keys = to_device(keys);
    sort<n><<<blocks, n / 2>>>(device_keys);
    CUDA(launched());
    int wrong = compare("keys", to_host(device_keys, blocks * n), want);
    CUDA(cudaFree(device_keys));
    return report("bitonic_sort", wrong);
}
