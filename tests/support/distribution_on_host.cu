/* distribution_on_host.cu - the sort by distribution, sort/distributor.cuh, run on this machine: `bankscope
 * run tests/support/distribution_on_host.cu -I. --kernel plan_groups [-- INPUTS]`. Small n with the parameters of large
 * ones. The engine checks races, bounds and barriers; this program checks the results and that they are
 * stable. Fails with the first that is wrong. With -DFEW_KINDS only pairs of 8 + 8 bytes. */
#ifdef FEW_KINDS
using usual = long long;
enum { FEW = 1 };
#else
using usual = int;
enum { FEW = 0 };
#endif
#define SORT_LOG_BUCKETS 7 /* half of the kernels, half of the time to compile them */
#include "sort/scratch.cuh"
#include "tests/support/distribution.h"

#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

using namespace bankscope;

static uint64_t state = 1;
static uint64_t next_random()
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 32;
}

template <class T> struct device_array {
    T *at = NULL;
    explicit device_array(size_t n)
    {
        cudaMalloc((void **)&at, n * sizeof(T));
    }
    ~device_array()
    {
        cudaFree(at);
    }
};

template <class Key> static std::vector<Key> make_keys(int input, int n)
{
    std::vector<Key> keys(n);
    for (int i = 0; i < n; i++)
        keys[i] = distribution_key<Key>(input, i, n, next_random() << 32 | next_random());
    if (input == ADVERSARY)
        make_adversary(keys.data(), n);
    return keys;
}

template <class Key, class Value>
static void check(int n, int input, const distribution_shape &shape)
{
    constexpr bool VALUES = has_values<Value>;
    using stored = typename std::conditional<VALUES, Value, int>::type;
    const std::vector<Key> keys = make_keys<Key>(input, n);
    std::vector<Key> sorted(n);
    std::vector<stored> values(n), carried(n);
    std::vector<int> place(n);
    for (int i = 0; i < n; i++) {
        values[i] = (stored)7 * i + 1;
        place[i] = i;
    }
    std::stable_sort(place.begin(), place.end(), [&](int a, int b) { return keys[a] < keys[b]; });

    device_array<Key> in(n), out(n);
    device_array<stored> values_in(n), values_out(n);
    cudaMemcpy(in.at, keys.data(), n * sizeof(Key), cudaMemcpyHostToDevice);
    cudaMemcpy(values_in.at, values.data(), n * sizeof(stored), cudaMemcpyHostToDevice);
    distribution<Key, Value> arrays = {};
    arrays.keys_in = in.at;
    arrays.keys_out = out.at;
    arrays.values_in = (Value *)values_in.at;
    arrays.values_out = (Value *)values_out.at;
    distributor<Key, Value> sorting(arrays, n, shape, NULL);
    scratch_memory needed(NULL);
    sorting.lay_out(needed);
    device_array<char> scratch(needed.bytes());
    scratch_memory memory(scratch.at);
    sorting.lay_out(memory);
    cudaError_t status = sorting.sort();
    if (status == cudaSuccess)
        status = cudaDeviceSynchronize();
    distribution_counts count = {};
    cudaMemcpy(&count, sorting.counts(), sizeof count, cudaMemcpyDeviceToHost);
    cudaMemcpy(sorted.data(), out.at, n * sizeof(Key), cudaMemcpyDeviceToHost);
    cudaMemcpy(carried.data(), values_out.at, n * sizeof(stored), cudaMemcpyDeviceToHost);
    int i = 0;
    while (i < n && !status && sorted[i] == keys[place[i]] &&
           (!VALUES || carried[i] == values[place[i]]))
        i++;
    printf("%s: n %d, %s, keys of %zu bytes, values of %d, levels of %d and %d bits: %u groups, "
           "%u of them rest\n",
           i == n ? "right" : "WRONG", n, distribution_inputs[input], sizeof(Key),
           VALUES ? (int)sizeof(stored) : 0, shape.log_buckets, shape.log_children,
           count.groups[LIST_FINISH], count.groups[LIST_REST]);
    if (i < n) {
        printf("at %d, %s\n", i, cudaGetErrorString(status));
        exit(1);
    }
}

/* Keys and values of other sizes, unless only few kinds are made. */
template <bool NONE> static void check_others(int input, int group, unsigned seed)
{
    if constexpr (!NONE) {
        switch (input % 5) {
        case 0:
            check<long long, long long>(9000, input, {6, 7, 23 - group, seed});
            break;
        case 1:
            check<int, none>(20001, input, {6, 6, group, seed});
            break;
        case 2:
            check<long long, int>(9000, input, {7, 6, 12, seed});
            break;
        case 3:
            check<int, long long>(9000, input, {6, 6, 12, seed});
            break;
        default:
            check<long long, none>(9011, input, {input % 2 ? 6 : 0, 6, 12, seed});
        }
        if (input == ADVERSARY) /* the rest is merged */
            check<int, long long>(20011, input, {6, 6, 12, seed});
    }
}

int main(int argc, char **argv)
{
    const int inputs = argc > 1 ? atoi(argv[1]) : DISTRIBUTION_INPUTS;
    for (int input = 0; input < inputs; input++) {
        const unsigned seed = input == ADVERSARY ? ADVERSARY_SEED : 0;
        const int group = 11 + input % 2;
        check<usual, usual>(input % 2 ? 20011 : 9001, input, {input % 2 ? 6 : 0, 6, group, seed});
        check_others<FEW>(input, group, seed);
    }
    for (int n : {1, 2, 31, 4095, 4096, 4097})
        check<usual, usual>(n, RANDOM, distribution_shape_for<usual>(n));
    return 0;
}
