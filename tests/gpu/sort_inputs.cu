/* sort_inputs.cu - sort.h on every input of tests/support/distribution.h, on the GPU: is it right, and how fast?
 *
 *     sort_inputs check            each input, some sizes on both sides of each change of the way, against the radix sort
 *     sort_inputs times LOG...     2^LOG items each: microseconds, here, by merging alone, and by the radix sort, and the
 *                                  scratch memory, bytes an item
 *
 * Keys of 4 and, up to 2^27, of 8 bytes, alone and with values of 4 and of 8. Each result is compared with that of
 * cub::DeviceRadixSort, which is stable. `check` sorts twice, and compares the second with the first: a sample
 * from other places must not matter. Fails with the first that is wrong, or that takes more scratch memory than merging.
 */
#include "sort/sort.h"
#include "sort/sorter.cuh"
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

template <class Key, class Value>
__global__ void fill(Key *keys, Value *values, size_t n, int input, uint64_t seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        keys[i] = distribution_key<Key>(input, i, n, mixed(seed + i));
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

/* The arrays of one size. Value: long long, int, or none. */
template <class Key, class Value> struct arrays {
    static constexpr bool pairs = has_values<Value>;
    using stored = typename std::conditional<pairs, Value, int>::type;
    static constexpr size_t value_bytes = pairs ? sizeof(stored) : 0;
    /* What merging sorts: pairs, places if values are wider than keys, or keys. */
    using merged =
        typename std::conditional<!pairs, Key,
                                  typename std::conditional<(value_bytes > sizeof(Key)), long long,
                                                            pair_item<Key>>::type>::type;
    const size_t n;
    Key *in, *out, *expected;
    stored *values = NULL, *carried = NULL, *expected_values = NULL;
    void *space = NULL;
    size_t bytes = 0, merge_bytes = 0, radix_bytes = 0;
    unsigned *wrong;
    cudaEvent_t begin, end;

    explicit arrays(size_t n) : n(n)
    {
        for (Key **keys : {&in, &out, &expected})
            MUST(cudaMalloc((void **)keys, n * sizeof(Key) + 1));
        if (pairs)
            for (stored **of : {&values, &carried, &expected_values})
                MUST(cudaMalloc((void **)of, n * sizeof(stored) + 1));
        sort();
        merge();
        radix();
        if (bytes > merge_bytes) {
            fprintf(stderr,
                    "sort_inputs.cu: n %zu, %zu + %zu bytes: scratch memory %zu, by merging %zu\n",
                    n, sizeof(Key), value_bytes, bytes, merge_bytes);
            exit(1);
        }
        MUST(cudaMalloc(&space, std::max(merge_bytes, radix_bytes)));
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
        const sort_type type = sizeof(Key) == 8 ? SORT_INT64 : SORT_INT32;
        const int error = pairs ? sort_pairs(space, &bytes, in, out, values, carried,
                                             sizeof(stored), n, type, SORT_ASCENDING, NULL)
                                : sort_keys(space, &bytes, in, out, n, type, SORT_ASCENDING, NULL);
        if (error) {
            fprintf(stderr, "sort_inputs.cu: %s\n", sort_error_text(error));
            exit(1);
        }
    }
    void merge()
    {
        caller_arrays<Key, merged> caller = {};
        caller.keys_in = in;
        caller.keys_out = out;
        caller.values_in = values;
        caller.values_out = carried;
        caller.value_bytes = (int)value_bytes;
        caller.n = (int)n;
        make_item(caller.pad, std::numeric_limits<Key>::max(), ~0u);
        MUST((sorter<Key, merged, natural_order>::sort(space, &merge_bytes, caller, NULL)));
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
            std::vector<Key> keys(n);
            MUST(cudaMemcpy(keys.data(), in, n * sizeof(Key), cudaMemcpyDeviceToHost));
            make_adversary(keys.data(), n);
            MUST(cudaMemcpy(in, keys.data(), n * sizeof(Key), cudaMemcpyHostToDevice));
        }
    }
    void spoil()
    {
        MUST(cudaMemsetAsync(space, PATTERN, bytes));
        MUST(cudaMemsetAsync(out, PATTERN, n * sizeof(Key)));
        if (pairs)
            MUST(cudaMemsetAsync(carried, PATTERN, n * sizeof(stored)));
    }
    void same(int input)
    {
        unsigned found = 0;
        compare<<<1024, 256>>>((unsigned *)out, (unsigned *)expected, n * sizeof(Key) / 4, wrong);
        if (pairs)
            compare<<<1024, 256>>>((unsigned *)carried, (unsigned *)expected_values,
                                   n * sizeof(stored) / 4, wrong);
        MUST(cudaMemcpy(&found, wrong, sizeof found, cudaMemcpyDeviceToHost));
        if (found) {
            fprintf(stderr, "sort_inputs.cu: wrong: n %zu, %s, %zu + %zu bytes\n", n,
                    distribution_inputs[input], sizeof(Key), value_bytes);
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

template <class Key, class Value> static long long check(size_t n)
{
    arrays<Key, Value> a(n);
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

template <class Key, class Value> static void time_all(size_t n)
{
    arrays<Key, Value> a(n);
    for (int input = 0; input < DISTRIBUTION_INPUTS; input++) {
        a.make(input);
        const double radix = a.median([&] { a.radix(); });
        const double merge = a.median([&] { a.merge(); });
        a.same(input);
        a.spoil();
        const double sort = a.median([&] { a.sort(); });
        a.same(input);
        printf("%zu+%zu\t%s\t%zu\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\t%.2f\t%.2f\n", sizeof(Key),
               a.value_bytes, distribution_inputs[input], n, sort, merge, radix, merge / sort,
               radix / sort, (double)a.bytes / n, (double)a.merge_bytes / n);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "check")) {
        long long right = 0;
        for (size_t n : {1, 1000, 65535, 65536, (1 << 18) + 1, (1 << 20) + 3, (1 << 23) - 1,
                         1 << 23, (1 << 24) + 5, 50000001, 1 << 26, (1 << 26) + 1}) {
            right += check<int, none>(n) + check<int, int>(n) + check<int, long long>(n);
            if (n < 1 << 24)
                right += check<long long, none>(n) + check<long long, long long>(n) +
                         check<long long, int>(n);
        }
        printf("%lld sorts right\n", right);
        return 0;
    }
    if (argc > 2 && !strcmp(argv[1], "times")) {
        printf("bytes\tinput\tn\tthis sort, us\tby merging, us\tradix sort, us\tover merging\tover "
               "radix\tscratch\tby "
               "merging\n");
        for (int i = 2; i < argc; i++) {
            const size_t n = (size_t)1 << atoi(argv[i]);
            time_all<int, none>(n);
            time_all<int, int>(n);
            time_all<int, long long>(n);
            if (n >= 1 << 28)
                continue;
            time_all<long long, none>(n);
            time_all<long long, long long>(n);
            time_all<long long, int>(n);
        }
        return 0;
    }
    fprintf(stderr, "usage: sort_inputs check | times LOG...\n");
    return 2;
}
