/*
 * scan_blelloch - exclusive prefix sums by a tree: up to the sum of all, down to the prefixes. 2 n
 * additions instead of n log n, but at words 2, 4, 8, ... apart: conflicts, which one word of padding
 * after every 32 removes almost everywhere.
 */
#include "program.h"

struct Plain {
    static __device__ int at(int i)
    {
        return i;
    }
};

struct Padded {
    static __device__ int at(int i)
    {
        return i + i / 32;
    }
};

template <typename Layout> __global__ void scan(const int *in, int *out, int n)
{
    extern __shared__ int tree[];
    int tid = threadIdx.x;
    tree[Layout::at(tid)] = in[tid];
    tree[Layout::at(tid + n / 2)] = in[tid + n / 2];

    int step = 1;
    for (int pairs = n / 2; pairs > 0; pairs /= 2) {
        __syncthreads();
        if (tid < pairs) {
            int left = Layout::at(step * (2 * tid + 1) - 1);
            int right = Layout::at(step * (2 * tid + 2) - 1);
            tree[right] += tree[left];
        }
        step *= 2;
    }
    if (tid == 0)
        tree[Layout::at(n - 1)] = 0;
    for (int pairs = 1; pairs < n; pairs *= 2) {
        step /= 2;
        __syncthreads();
        if (tid < pairs) {
            int left = Layout::at(step * (2 * tid + 1) - 1);
            int right = Layout::at(step * (2 * tid + 2) - 1);
            int sum = tree[left];
            tree[left] = tree[right];
            tree[right] += sum;
        }
    }
    __syncthreads();
    out[tid] = tree[Layout::at(tid)];
    out[tid + n / 2] = tree[Layout::at(tid + n / 2)];
}

int main()
{
    const int n = 512;
    std::vector<int> in = random_ints(n, 100), want(n);
    for (int i = 1; i < n; i++)
        want[i] = want[i - 1] + in[i - 1];

    int *device_in = to_device(in), *device_out = on_device<int>(n);
    scan<Plain><<<1, n / 2, n * sizeof(int)>>>(device_in, device_out, n);
    CUDA(launched());
    int wrong = compare("plain", to_host(device_out, n), want);

    CUDA(cudaMemset(device_out, 0xff, n * sizeof(int)));
    scan<Padded><<<1, n / 2, (n + n / 32) * sizeof(int)>>>(device_in, device_out, n);
    CUDA(launched());
    wrong += compare("padded", to_host(device_out, n), want);

    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return report("scan_blelloch", wrong);
}
