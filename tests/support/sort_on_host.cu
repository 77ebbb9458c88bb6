/* sort_on_host.cu - the GPU's sort, sort/, run on this machine: `bankscope run tests/support/sort_on_host.cu
 * -I. [-- CASES]`. The engine checks races, bounds and barriers; this program checks the results, in
 * the library's order, and stability. Fails with the first that is wrong. With -DFEW_KINDS only pairs of 4 + 4 bytes. */
#define SORT_LOG_BUCKETS 7 /* half of the kernels, half of the time to compile them */
#ifdef FEW_KINDS
#define SORT_KINDS (1 << KIND_PAIRS)
enum { FEW = 1 };
#else
enum { FEW = 0 };
#endif
#include "sort/sort.cu"

#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

static uint64_t state = 1;
static uint64_t next_random()
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 32;
}

/* An array of the device that begins `moved` elements behind an aligned address. */
template <class T> struct device_array {
    T *memory = NULL, *at;
    device_array(size_t n, int moved)
    {
        cudaMalloc((void **)&memory, (n + 4) * sizeof(T));
        at = memory + moved;
    }
    ~device_array()
    {
        cudaFree(memory);
    }
};

/* distinct: of how many keys; 0: all. */
template <class Key, class Value>
static void check(size_t n, sort_type type, sort_order order, bool pairs, unsigned distinct,
                  unsigned moved)
{
    std::vector<Key> keys(n), sorted(n);
    std::vector<Value> values(n), carried(n);
    std::vector<size_t> place(n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = next_random() << 32 | next_random();
        keys[i] = distinct ? (Key)(int)(r % distinct) - (Key)(distinct / 2) : (Key)r;
        if (keys[i] == 0 && r >> 63)
            keys[i] = (Key)-0.0;
        values[i] = (Value)(7 * i + 1);
        place[i] = i;
    }
    std::stable_sort(place.begin(), place.end(), [&](size_t a, size_t b) {
        return order == SORT_ASCENDING ? keys[a] < keys[b] : keys[b] < keys[a];
    });
    device_array<Key> in(n, moved & 3), out(n, moved >> 2 & 3);
    device_array<Value> values_in(n, moved >> 4 & 3), values_out(n, moved >> 6 & 3);
    cudaMemcpy(in.at, keys.data(), n * sizeof(Key), cudaMemcpyHostToDevice);
    cudaMemcpy(values_in.at, values.data(), n * sizeof(Value), cudaMemcpyHostToDevice);
    void *scratch = NULL;
    size_t bytes = 0;
    int error = 0;
    for (int pass = 0; pass < 2 && !error; pass++) {
        if (pass)
            cudaMalloc(&scratch, bytes);
        error = pairs ? sort_pairs(scratch, &bytes, in.at, out.at, values_in.at, values_out.at,
                                   sizeof(Value), n, type, order, NULL)
                      : sort_keys(scratch, &bytes, in.at, out.at, n, type, order, NULL);
    }
    if (!error)
        error = cudaDeviceSynchronize() ? SORT_CUDA + cudaGetLastError() : 0;
    cudaMemcpy(sorted.data(), out.at, n * sizeof(Key), cudaMemcpyDeviceToHost);
    cudaMemcpy(carried.data(), values_out.at, n * sizeof(Value), cudaMemcpyDeviceToHost);
    cudaFree(scratch);
    size_t i = 0;
    while (i < n && !error && !memcmp(&sorted[i], &keys[place[i]], sizeof(Key)) &&
           (!pairs || carried[i] == values[place[i]]))
        i++;
    printf("%s: n %zu, type %d, order %d, values of %zu bytes, %u keys, moved %u\n",
           i == n ? "right" : "WRONG", n, type, order, pairs ? sizeof(Value) : 0, distinct, moved);
    if (error)
        printf("%s\n", sort_error_text(error));
    if (i < n)
        exit(1);
}

/* Chains of launches, which only large inputs have: with small runs, small ones have them, too. */
template <int CHAINS, bool EIGHTS> struct small_parts : tuning<pair_item<int>> {
    static constexpr int chains(long long)
    {
        return CHAINS;
    }
    static constexpr int sort_threads = 64, sort_blocks = 2;
    static constexpr bool eights = EIGHTS;
    static constexpr int eight_threads = 64;
};

template <class Tuning> static void check_chains(int n)
{
    std::vector<int> keys(n), values(n), sorted(n), carried(n), place(n);
    for (int i = 0; i < n; i++) {
        keys[i] = (int)(next_random() % 5000);
        values[i] = place[i] = i;
    }
    std::stable_sort(place.begin(), place.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    device_array<int> in(n, 0), out(n, 0), values_in(n, 0), values_out(n, 0);
    cudaMemcpy(in.at, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(values_in.at, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    caller_arrays<int, pair_item<int>> caller = {};
    caller.keys_in = in.at;
    caller.keys_out = out.at;
    caller.values_in = values_in.at;
    caller.values_out = values_out.at;
    caller.value_bytes = 4;
    caller.n = n;
    make_item(caller.pad, INT32_MAX, ~0u);
    using sorting = sorter<int, pair_item<int>, natural_order, Tuning>;
    size_t bytes = 0;
    void *scratch = NULL;
    sorting::sort(NULL, &bytes, caller, NULL);
    cudaMalloc(&scratch, bytes);
    int launches = 0;
    cudaError_t status = sorting::sort(
        scratch, &bytes, caller, NULL, [](void *count, const char *) { ++*(int *)count; },
        &launches);
    if (status == cudaSuccess)
        status = cudaDeviceSynchronize();
    cudaMemcpy(sorted.data(), out.at, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(carried.data(), values_out.at, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(scratch);
    int i = 0;
    while (i < n && !status && sorted[i] == keys[place[i]] && carried[i] == place[i])
        i++;
    printf("%s: n %d in chains, %d launches\n", i == n ? "right" : "WRONG", n, launches);
    if (i < n)
        exit(1);
}

int main(int argc, char **argv)
{
    const int cases = argc > 1 ? atoi(argv[1]) : 24;
    for (int c = 0; c < cases; c++) {
        static const size_t sizes[] = {0, 1, 5000, 20000, 40000};
        static const unsigned distinct[] = {0, 3, 1000};
        const size_t n = sizes[c % 5] + (c % 5 > 1 ? next_random() % 1000 : 0);
        const sort_order order = c & 1 ? SORT_DESCENDING : SORT_ASCENDING;
        const unsigned of = distinct[c % 3], moved = c & 4 ? (unsigned)next_random() & 255 : 0;
        if (FEW && c % 8 != 1 && c % 8 != 2)
            continue;
        switch (c % 8) {
        case 0:
            check<int, int>(n, SORT_INT32, order, false, of, moved);
            break;
        case 1:
            check<int, int>(n, SORT_INT32, order, true, of, moved);
            break;
        case 2:
            check<float, int>(n, SORT_FLOAT, order, true, of ? of : 50000, moved);
            break;
        case 3:
            check<unsigned, long long>(n, SORT_UINT32, order, true, 0, moved);
            break;
        case 4:
            check<double, int>(n, SORT_DOUBLE, order, false, of ? of : 50000, moved);
            break;
        case 5:
            check<long long, int>(n, SORT_INT64, order, true, of, moved);
            break;
        case 6:
            check<double, long long>(n, SORT_DOUBLE, order, true, of ? of : 50000, moved);
            break;
        default:
            check<float, int>(n, SORT_FLOAT, order, false, of ? of : 50000, moved);
        }
    }
    /* By distribution, with zeros of both signs among pairs. */
    check<float, int>(70000, SORT_FLOAT, SORT_DESCENDING, true, 5000, 0);
    /* By merging: a pass of eight ways with five runs. */
    for (unsigned distinct : {0, 16, 1000, 5000})
        check<int, int>(33000, SORT_INT32, SORT_DESCENDING, FEW, distinct, 0);
    check<float, int>(45000, SORT_FLOAT, SORT_ASCENDING, FEW, 50, 1);
    check<float, int>(40000, SORT_FLOAT, SORT_ASCENDING, FEW, 50000, 5);
    for (int n : {900, 1100, 20000}) {
        check_chains<small_parts<4, false>>(n);
        check_chains<small_parts<2, true>>(n);
    }
    check_chains<small_parts<2, true>>(40000);
    return 0;
}
