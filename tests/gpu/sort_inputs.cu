/* sort_inputs.cu - sort.h on every input of tests/support/distribution.h, on the GPU: is it right, and how fast?
 *
 *     sort_inputs check            each input, some sizes on both sides of each change of the way, against the radix sort
 *     sort_inputs times LOG...     2^LOG items each: microseconds, and times as fast as the radix sort
 *
 * Keys of 4 bytes alone, with values of 4 bytes, and with values of 8. Each result is compared with that of
 * cub::DeviceRadixSort, which is stable. `check` sorts twice, and compares the second with the first: a sample
 * from other places must not matter. Fails with the first that is wrong.
 */
#include "sort/sort.h"
#include "tests/gpu/must.h"
#include "tests/support/distribution.h"

#include <cub/device/device_radix_sort.cuh>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

using namespace bankscope;

enum { PATTERN = 0xa5, TIMED = 7, WARM_UPS = 2 };

__device__ static uint64_t mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

template <class Value>
__global__ void fill(int *keys, Value *values, size_t n, int input, uint64_t seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        keys[i] = distribution_key<int>(input, i, n, mixed(seed + i));
        if (values)
            values[i] = (Value)(3 * i + 7);
    }
}

__global__ void compare(const unsigned *found, const unsigned *expected, size_t words,
                        unsigned *wrong)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words;
         i += (size_t)gridDim.x * blockDim.x)
        if (found[i] != expected[i])
            *wrong = 1;
}

/* The arrays of one size, with or without values. */
template <class Value> struct arrays {
    const size_t n;
    const bool pairs;
    int *in, *out, *expected;
    Value *values = NULL, *carried = NULL, *expected_values = NULL;
    void *space;
    size_t bytes = 0, radix_bytes = 0;
    unsigned *wrong;
    cudaEvent_t begin, end;

    arrays(size_t n, bool pairs) : n(n), pairs(pairs)
    {
        for (int **keys : {&in, &out, &expected})
            MUST(cudaMalloc((void **)keys, n * sizeof(int) + 1));
        if (pairs)
            for (Value **of : {&values, &carried, &expected_values})
                MUST(cudaMalloc((void **)of, n * sizeof(Value) + 1));
        space = NULL;
        sort();
        radix();
        MUST(cudaMalloc(&space, std::max(bytes, radix_bytes)));
        MUST(cudaMalloc((void **)&wrong, sizeof *wrong));
        MUST(cudaMemset(wrong, 0, sizeof *wrong));
        MUST(cudaEventCreate(&begin));
        MUST(cudaEventCreate(&end));
    }
    ~arrays()
    {
        for (void *memory : {(void *)in, (void *)out, (void *)expected, (void *)values,
                             (void *)carried, (void *)expected_values, space, (void *)wrong})
            cudaFree(memory);
        cudaEventDestroy(begin);
        cudaEventDestroy(end);
    }
    void sort()
    {
        const int error =
            pairs ? sort_pairs(space, &bytes, in, out, values, carried, sizeof(Value), n,
                               SORT_INT32, SORT_ASCENDING, NULL)
                  : sort_keys(space, &bytes, in, out, n, SORT_INT32, SORT_ASCENDING, NULL);
        if (error) {
            fprintf(stderr, "sort_inputs.cu: %s\n", sort_error_text(error));
            exit(1);
        }
    }
    void radix()
    {
        MUST(pairs ? cub::DeviceRadixSort::SortPairs(space, radix_bytes, in, expected, values,
                                                     expected_values, (int)n)
                   : cub::DeviceRadixSort::SortKeys(space, radix_bytes, in, expected, (int)n));
    }
    void make(int input)
    {
        fill<<<1024, 256>>>(in, values, n, input, n);
        if (input == ADVERSARY) {
            std::vector<int> keys(n);
            MUST(cudaMemcpy(keys.data(), in, n * sizeof(int), cudaMemcpyDeviceToHost));
            make_adversary(keys.data(), n);
            MUST(cudaMemcpy(in, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice));
        }
    }
    void spoil()
    {
        MUST(cudaMemsetAsync(space, PATTERN, bytes));
        MUST(cudaMemsetAsync(out, PATTERN, n * sizeof(int)));
        if (pairs)
            MUST(cudaMemsetAsync(carried, PATTERN, n * sizeof(Value)));
    }
    void same(int input)
    {
        unsigned found = 0;
        compare<<<1024, 256>>>((unsigned *)out, (unsigned *)expected, n, wrong);
        if (pairs)
            compare<<<1024, 256>>>((unsigned *)carried, (unsigned *)expected_values,
                                   n * sizeof(Value) / 4, wrong);
        MUST(cudaMemcpy(&found, wrong, sizeof found, cudaMemcpyDeviceToHost));
        if (found) {
            fprintf(stderr, "sort_inputs.cu: wrong: n %zu, %s, values of %zu bytes\n", n,
                    distribution_inputs[input], pairs ? sizeof(Value) : 0);
            exit(1);
        }
    }
    template <class Work> double median(Work work)
    {
        float times[TIMED];
        for (int i = -WARM_UPS; i < TIMED; i++) {
            MUST(cudaEventRecord(begin));
            work();
            MUST(cudaEventRecord(end));
            MUST(cudaEventSynchronize(end));
            if (i >= 0)
                MUST(cudaEventElapsedTime(&times[i], begin, end));
        }
        std::sort(times, times + TIMED);
        return times[TIMED / 2] * 1e3;
    }
};

template <class Value> static long long check(size_t n, bool pairs)
{
    arrays<Value> a(n, pairs);
    for (int input = 0; input < DISTRIBUTION_INPUTS; input++) {
        if (n == 0 || (input == ADVERSARY && n < ADVERSARY_SAMPLE))
            continue;
        a.make(input);
        a.radix();
        for (int turn = 0; turn < 2; turn++) {
            a.spoil();
            a.sort();
            a.same(input);
        }
    }
    return n == 0 ? 0 : 2 * DISTRIBUTION_INPUTS - (n < ADVERSARY_SAMPLE ? 2 : 0);
}

template <class Value> static void time_all(size_t n, bool pairs)
{
    arrays<Value> a(n, pairs);
    for (int input = 0; input < DISTRIBUTION_INPUTS; input++) {
        a.make(input);
        const double radix = a.median([&] { a.radix(); });
        a.spoil();
        const double sort = a.median([&] { a.sort(); });
        a.same(input);
        printf("4+%zu\t%s\t%zu\t%.1f\t%.1f\t%.2f\n", pairs ? sizeof(Value) : 0,
               distribution_inputs[input], n, sort, radix, radix / sort);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "check")) {
        long long right = 0;
        for (size_t n : {1, 1000, 65535, 65536, (1 << 18) + 1, (1 << 20) + 3, (1 << 23) - 1,
                         1 << 23, (1 << 24) + 5, 50000001, 1 << 26, (1 << 26) + 1}) {
            right += check<int>(n, false) + check<int>(n, true);
            if (n < 1 << 25)
                right += check<long long>(n, true);
        }
        printf("%lld sorts right\n", right);
        return 0;
    }
    if (argc > 2 && !strcmp(argv[1], "times")) {
        printf("bytes\tinput\tn\tthis sort, us\tradix sort, us\tover radix\n");
        for (int i = 2; i < argc; i++) {
            const size_t n = (size_t)1 << atoi(argv[i]);
            time_all<int>(n, false);
            time_all<int>(n, true);
            time_all<long long>(n, true);
        }
        return 0;
    }
    fprintf(stderr, "usage: sort_inputs check | times LOG...\n");
    return 2;
}
