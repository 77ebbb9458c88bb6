/* distribution.cu - the sort by distribution (sort/distributor.cuh) against the library's, on the GPU.
 *
 *     distribution sizes [MOST]   every n to MOST (5000), with the parameters of large n, for all kinds
 *                                 of keys and values in turn
 *     distribution inputs         every input (tests/support/distribution.h) for every kind and several n
 *
 * Outputs and scratch memory hold a pattern before. Prints how many sorts were right, and how many of them
 * had groups for the last resort (sort/rest.cuh); fails with the first that was wrong.
 */
#include "sort/scratch.cuh"
#include "tests/gpu/must.h"
#include "tests/support/distribution.h"

#include <cub/device/device_radix_sort.cuh>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

using namespace bankscope;

enum { PATTERN = 0xa5, MOST_ITEMS = 6000011 };

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

/* Keys and values, before and after, each with room for the most items; memory for both sorts. */
struct arena {
    enum { ARRAYS = 6, SPACE = 512 << 20 };
    char *array[ARRAYS], *space;
    unsigned *wrong;
    long long sorts = 0, with_rest = 0;
    arena()
    {
        for (char *&memory : array)
            MUST(cudaMalloc((void **)&memory, 8 * (size_t)MOST_ITEMS));
        MUST(cudaMalloc((void **)&space, SPACE));
        MUST(cudaMalloc((void **)&wrong, sizeof *wrong));
        MUST(cudaMemset(wrong, 0, sizeof *wrong));
    }
};

template <class Key, class Value>
static void check(arena &a, size_t n, int input, distribution_shape shape)
{
    constexpr bool VALUES = has_values<Value>;
    using stored = typename std::conditional<VALUES, Value, int>::type;
    Key *const in = (Key *)a.array[0], *const out = (Key *)a.array[1],
               *const expected = (Key *)a.array[2];
    stored *const values = (stored *)a.array[3], *const carried = (stored *)a.array[4],
                  *const expected_values = (stored *)a.array[5];
    fill<<<512, 256>>>(in, values, n, input, n);
    if (input == ADVERSARY) {
        std::vector<Key> keys(n);
        shape.seed = ADVERSARY_SEED;
        MUST(cudaMemcpy(keys.data(), in, n * sizeof(Key), cudaMemcpyDeviceToHost));
        make_adversary(keys.data(), n);
        MUST(cudaMemcpy(in, keys.data(), n * sizeof(Key), cudaMemcpyHostToDevice));
    }
    size_t bytes = arena::SPACE;
    MUST(cub::DeviceRadixSort::SortPairs(a.space, bytes, in, expected, values, expected_values,
                                         (int)n));
    distribution<Key, Value> arrays = {};
    arrays.keys_in = in;
    arrays.keys_out = out;
    arrays.values_in = (Value *)values;
    arrays.values_out = (Value *)carried;
    distributor<Key, Value> sorting(arrays, n, shape, NULL);
    scratch_memory memory(a.space);
    sorting.lay_out(memory);
    if (memory.bytes() > arena::SPACE) {
        fprintf(stderr, "distribution.cu: more scratch memory than expected\n");
        exit(1);
    }
    MUST(cudaMemsetAsync(a.space, PATTERN, memory.bytes()));
    MUST(cudaMemsetAsync(out, PATTERN, n * sizeof(Key)));
    MUST(cudaMemsetAsync(carried, PATTERN, n * sizeof(stored)));
    MUST(sorting.sort());
    compare<<<512, 256>>>((unsigned *)out, (unsigned *)expected, n * sizeof(Key) / 4, a.wrong);
    if (VALUES)
        compare<<<512, 256>>>((unsigned *)carried, (unsigned *)expected_values,
                              n * sizeof(stored) / 4, a.wrong);
    unsigned wrong = 0;
    distribution_counts count;
    MUST(cudaMemcpy(&count, sorting.counts(), sizeof count, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(&wrong, a.wrong, sizeof wrong, cudaMemcpyDeviceToHost));
    a.sorts++;
    a.with_rest += count.groups[LIST_REST] > 0;
    if (wrong) {
        fprintf(stderr,
                "distribution.cu: wrong: n %zu, %s, keys of %zu bytes, values of %zu, levels of %d "
                "and %d bits, groups of 2^%d\n",
                n, distribution_inputs[input], sizeof(Key), VALUES ? sizeof(stored) : 0,
                shape.log_buckets, shape.log_children, shape.log_group);
        exit(1);
    }
}

/* Kind 0 .. 5 of keys and values. */
static void check_kind(arena &a, int kind, size_t n, int input, const distribution_shape &shape)
{
    switch (kind) {
    case 0:
        return check<int, int>(a, n, input, shape);
    case 1:
        return check<int, none>(a, n, input, shape);
    case 2:
        return check<long long, long long>(a, n, input, shape);
    case 3:
        return check<long long, none>(a, n, input, shape);
    case 4:
        return check<long long, int>(a, n, input, shape);
    default:
        return check<int, long long>(a, n, input, shape);
    }
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    const size_t most = argc > 2 ? strtoul(argv[2], NULL, 10) : 5000;
    arena a;
    if (!strcmp(what, "sizes")) {
        for (size_t n = 1; n <= most; n++)
            check_kind(a, n % 6, n, n / 6 % DISTRIBUTION_INPUTS % ADVERSARY,
                       {(int)(n % 5 ? 5 + n % 5 : 0), (int)(6 + n % 4), (int)(11 + n % 2), 0});
    } else if (!strcmp(what, "inputs")) {
        for (size_t n : {(size_t)20001, (size_t)100003, (size_t)1000003, (size_t)6000001})
            for (int input = 0; input < DISTRIBUTION_INPUTS; input++)
                for (int kind = 0; kind < 6; kind++)
                    if (input != ADVERSARY || n < 1000000)
                        check_kind(a, kind, n, input, distribution_shape_for<int>(n));
    } else {
        fprintf(stderr, "usage: distribution sizes [MOST] | inputs\n");
        return 2;
    }
    printf("%s: %lld sorts right, %lld of them with a rest\n", what, a.sorts, a.with_rest);
    return 0;
}
