/* bench.cu - see bench.h. */
#include "sort/bench.h"

#include <algorithm>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cuda_runtime.h>
#include <stdint.h>

namespace
{

enum { WARM_UPS = 2, TIMED = 9 };

struct ascending {
    template <class T> __host__ __device__ bool operator()(const T &a, const T &b) const
    {
        return a < b;
    }
};

template <class Value> __global__ void number(Value *values, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        values[i] = (Value)i;
}

__global__ void count_differences(const uint32_t *a, const uint32_t *b, size_t words,
                                  unsigned long long *count)
{
    unsigned long long found = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words;
         i += (size_t)gridDim.x * blockDim.x)
        found += a[i] != b[i];
    if (found)
        atomicAdd(count, found);
}

/* What is freed at the end, and the first error. */
struct device {
    void *pieces[8];
    int count = 0;
    cudaEvent_t begin = NULL, end = NULL;
    const char *error = NULL;

    void check(int status)
    {
        if (status && !error)
            error = status >= SORT_CUDA ? sort_error_text(status)
                                        : cudaGetErrorString((cudaError_t)status);
    }
    template <class T> T *memory(size_t elements)
    {
        void *piece = NULL;
        check(cudaMalloc(&piece, elements * sizeof(T) + 256));
        pieces[count++] = piece;
        return (T *)piece;
    }
    template <class Work> struct sort_time time(Work work)
    {
        float times[TIMED] = {0};
        for (int i = -WARM_UPS; i < TIMED && !error; i++) {
            check(cudaEventRecord(begin));
            work();
            check(cudaEventRecord(end));
            check(cudaEventSynchronize(end));
            if (i >= 0 && !error)
                check(cudaEventElapsedTime(&times[i], begin, end));
        }
        std::sort(times, times + TIMED);
        return {times[0] * 1e3, times[TIMED / 2] * 1e3, times[TIMED - 1] * 1e3};
    }
    device()
    {
        check(cudaEventCreate(&begin));
        check(cudaEventCreate(&end));
    }
    ~device()
    {
        for (int i = 0; i < count; i++)
            cudaFree(pieces[i]);
        if (begin)
            cudaEventDestroy(begin);
        if (end)
            cudaEventDestroy(end);
    }
};

/* Value: of pairs, or any where there are none. */
template <class Key, class Value>
const char *bench(enum sort_type type, bool pairs, const void *host_keys, size_t n,
                  struct sort_times *times)
{
    device d;
    size_t merge_bytes = 0, radix_bytes = 0, bytes = 0;
    const int count = (int)n;
    const size_t values = pairs ? n : 0;
    Key *in = d.memory<Key>(n), *out = d.memory<Key>(n), *expected = d.memory<Key>(n);
    Value *values_in = d.memory<Value>(values), *values_out = d.memory<Value>(values),
          *expected_values = d.memory<Value>(values);
    unsigned long long *differences = d.memory<unsigned long long>(1), found = 0;
    void *space = NULL;

    auto merge = [&] {
        d.check(pairs ? cub::DeviceMergeSort::StableSortPairs(space, merge_bytes, expected,
                                                              expected_values, count, ascending())
                      : cub::DeviceMergeSort::SortKeysCopy(space, merge_bytes, in, expected, count,
                                                           ascending()));
    };
    auto radix = [&] {
        d.check(pairs ? cub::DeviceRadixSort::SortPairs(space, radix_bytes, in, expected, values_in,
                                                        expected_values, count)
                      : cub::DeviceRadixSort::SortKeys(space, radix_bytes, in, expected, count));
    };
    auto ours = [&] {
        int error = pairs ? sort_pairs(space, &bytes, in, out, values_in, values_out, sizeof(Value),
                                       n, type, SORT_ASCENDING, NULL)
                          : sort_keys(space, &bytes, in, out, n, type, SORT_ASCENDING, NULL);
        if (error && !d.error)
            d.error = sort_error_text(error);
    };
    merge();
    radix();
    ours();
    space = d.memory<char>(std::max(std::max(merge_bytes, radix_bytes), bytes));
    if (d.error)
        return d.error;
    bytes = std::max(std::max(merge_bytes, radix_bytes), bytes);
    d.check(cudaMemcpy(in, host_keys, n * sizeof(Key), cudaMemcpyHostToDevice));
    number<<<1024, 256>>>(values_in, values);

    times->copy = d.time([&] {
        d.check(cudaMemcpyAsync(out, in, n * sizeof(Key), cudaMemcpyDeviceToDevice));
        d.check(cudaMemcpyAsync(values_out, values_in, values * sizeof(Value),
                                cudaMemcpyDeviceToDevice));
    });
    if (pairs) { /* sorts in place: the copy of its input is not its time */
        const struct sort_time copies = d.time([&] {
            d.check(cudaMemcpyAsync(expected, in, n * sizeof(Key), cudaMemcpyDeviceToDevice));
            d.check(cudaMemcpyAsync(expected_values, values_in, n * sizeof(Value),
                                    cudaMemcpyDeviceToDevice));
        });
        times->merge = d.time([&] {
            d.check(cudaMemcpyAsync(expected, in, n * sizeof(Key), cudaMemcpyDeviceToDevice));
            d.check(cudaMemcpyAsync(expected_values, values_in, n * sizeof(Value),
                                    cudaMemcpyDeviceToDevice));
            merge();
        });
        times->merge.least -= copies.median;
        times->merge.median -= copies.median;
        times->merge.most -= copies.median;
    } else {
        times->merge = d.time(merge);
    }
    times->radix = d.time(radix);
    d.check(cudaMemset(out, 0xa5, n * sizeof(Key)));
    times->sort = d.time(ours);

    d.check(cudaMemset(differences, 0, sizeof *differences));
    count_differences<<<1024, 256>>>((const uint32_t *)out, (const uint32_t *)expected,
                                     n * sizeof(Key) / 4, differences);
    count_differences<<<1024, 256>>>((const uint32_t *)values_out,
                                     (const uint32_t *)expected_values, values * sizeof(Value) / 4,
                                     differences);
    d.check(cudaMemcpy(&found, differences, sizeof found, cudaMemcpyDeviceToHost));
    if (found && !d.error)
        d.error = "the sort's result differs from the library's";
    return d.error;
}

} // namespace

extern "C" const char *sort_bench(enum sort_type type, size_t value_bytes, const void *keys,
                                  size_t n, struct sort_times *times)
{
    const bool pairs = value_bytes > 0, wide = value_bytes == 8;
    if (type == SORT_INT64)
        return wide ? bench<long long, uint64_t>(type, pairs, keys, n, times)
                    : bench<long long, uint32_t>(type, pairs, keys, n, times);
    return wide ? bench<int, uint64_t>(type, pairs, keys, n, times)
                : bench<int, uint32_t>(type, pairs, keys, n, times);
}
