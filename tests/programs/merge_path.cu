/*
 * merge_path - merges two sorted lists: each thread finds by binary search where its E outputs begin,
 * then merges serially. Where a lane reads depends on the keys, and so do the conflicts.
 */
#include "program.h"

const int THREADS = 64, E = 5, TILE = THREADS * E;

/* How many of the first `diagonal` outputs come from a. Equal keys: a's come first. */
__host__ __device__ int merge_path(const int *a, int a_count, const int *b, int b_count,
                                   int diagonal)
{
    int low = diagonal > b_count ? diagonal - b_count : 0;
    int high = diagonal < a_count ? diagonal : a_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__global__ void merge(const int *a, int a_count, const int *b, int b_count, int *out)
{
    __shared__ int tile[TILE];
    int begin = blockIdx.x * TILE, end = min(begin + TILE, a_count + b_count);
    int a_begin = merge_path(a, a_count, b, b_count, begin);
    int a_end = merge_path(a, a_count, b, b_count, end);
    int b_begin = begin - a_begin, b_end = end - a_end;
    int na = a_end - a_begin, nb = b_end - b_begin;
    for (int i = threadIdx.x; i < na + nb; i += THREADS)
        tile[i] = i < na ? a[a_begin + i] : b[b_begin + i - na];
    __syncthreads();

    const int *ta = tile, *tb = tile + na;
    int diagonal = min(static_cast<int>(threadIdx.x) * E, na + nb);
    int i = merge_path(ta, na, tb, nb, diagonal), j = diagonal - i;
    int merged[E];
    for (int k = 0; k < E; k++)
        if (i < na && (j >= nb || ta[i] <= tb[j]))
            merged[k] = ta[i++];
        else
            merged[k] = j < nb ? tb[j++] : 0;
    __syncthreads();
    for (int k = 0; k < E; k++)
        tile[threadIdx.x * E + k] = merged[k];
    __syncthreads();
    for (int k = threadIdx.x; k < na + nb; k += THREADS)
        out[begin + k] = tile[k];
}

int main()
{
    const int a_count = 700, b_count = 850, n = a_count + b_count;
    std::vector<int> a = random_ints(a_count, 5000, 1), b = random_ints(b_count, 5000, 2), want(n);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());

    int *device_a = to_device(a), *device_b = to_device(b), *out = on_device<int>(n);
    merge<<<(n + TILE - 1) / TILE, THREADS>>>(device_a, a_count, device_b, b_count, out);
    CUDA(launched());
    int wrong = compare("merged", to_host(out, n), want);
    CUDA(cudaFree(device_a));
    CUDA(cudaFree(device_b));
    CUDA(cudaFree(out));
    return report("merge_path", wrong);
}
