/* sort_by_on_host.cu - sorts by an order of the user's, sort/sort_by.cuh, run on this machine: `bankscope run
 * tests/support/sort_by_on_host.cu -I. --kernel plan_groups`. Many items are equal and yet differ. The engine checks
 * races, bounds and barriers; this program checks that the results are right and stable. Fails with the first
 * that is wrong. With -DFEW_KINDS only items of 16 bytes. */
#ifdef FEW_KINDS
enum { FEW = 1 };
#else
enum { FEW = 0 };
#endif
#define SORT_MOST_COMPARED 96 /* so that about half of the groups have a larger bucket */
#define SORT_LOG_BUCKETS 7    /* half of the kernels, half of the time to compile them */
#include "sort/sort_by.cuh"
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

struct record {
    double weight;
    int group, number;
};
struct heaviest_of_group {
    static __host__ __device__ bool less(const record &a, const record &b)
    {
        return a.group < b.group || (a.group == b.group && a.weight > b.weight);
    }
    static record make(int key, int i)
    {
        return {(double)(key % 7), key / 7, i};
    }
    static constexpr record last = {-7, INT32_MAX, 0};
};
struct letters {
    char text[4];
};
struct first_letter { /* the last one is equal to some */
    static __host__ __device__ bool less(const letters &a, const letters &b)
    {
        return a.text[0] < b.text[0];
    }
    static letters make(int key, int i)
    {
        return {{(char)('a' + (unsigned)key % 26), (char)i, (char)(i >> 8), (char)(i >> 16)}};
    }
    static constexpr letters last = {{'z', 1, 2, 3}};
};
struct place {
    short row, column;
    int number;
};
struct by_row {
    static __host__ __device__ bool less(const place &a, const place &b)
    {
        return a.row < b.row;
    }
    static place make(int key, int i)
    {
        return {(short)(key >> 16 ^ key), (short)key, i};
    }
    static constexpr place last = {INT16_MAX, 0, 0};
};

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

template <class Item, class Order> struct input_and_output {
    std::vector<Item> items, sorted;
    device_array<Item> in, out;
    input_and_output(int input, int n) : items(n), sorted(n), in(n), out(n)
    {
        std::vector<int> keys(n);
        for (int i = 0; i < n; i++)
            keys[i] =
                distribution_key<int>(input, i, n, next_random() << 32 | next_random()) & INT32_MAX;
        if (input == ADVERSARY)
            make_adversary(keys.data(), n);
        for (int i = 0; i < n; i++)
            items[i] = Order::make(keys[i], i);
        cudaMemcpy(in.at, items.data(), n * sizeof(Item), cudaMemcpyHostToDevice);
    }
    void check(bool right, const char *how)
    {
        const size_t n = items.size();
        right = cudaDeviceSynchronize() == cudaSuccess && right;
        cudaMemcpy(sorted.data(), out.at, n * sizeof(Item), cudaMemcpyDeviceToHost);
        std::stable_sort(items.begin(), items.end(), Order::less);
        right = right && !memcmp(items.data(), sorted.data(), n * sizeof(Item));
        printf("%s: n %zu, items of %zu bytes, by %s\n", right ? "right" : "WRONG", n, sizeof(Item),
               how);
        if (!right)
            exit(1);
    }
};

/* As a program calls it: by merging. */
template <class Item, class Order> static void check_sort_by(int n)
{
    input_and_output<Item, Order> array(RANDOM, n);
    Item *const in = array.in.at, *const out = array.out.at;
    const Item last = Order::last;
    size_t bytes = 0, small;
    sort_by<Order, Item>(NULL, &bytes, in, out, n, last, NULL);
    device_array<char> scratch(bytes);
    small = bytes - 1;
    array.check(sort_by<Order, Item>(scratch.at, &small, in, out, n, last, NULL) ==
                        SORT_SCRATCH_TOO_SMALL &&
                    sort_by<Order, Item>(scratch.at, &bytes, in, in, n, last, NULL) ==
                        SORT_OVERLAP &&
                    sort_by<Order, Item>(scratch.at, &bytes, in, out, n, last, NULL) == 0,
                "merging");
}

/* By distribution, small n with the parameters of large ones. */
template <class Item, class Order>
static void check_distribution(int n, int input, distribution_shape shape)
{
    using key = ordered<Item, Order>;
    if (input == ADVERSARY)
        shape.seed = ADVERSARY_SEED;
    input_and_output<Item, Order> array(input, n);
    distribution<key, none> caller = {};
    caller.keys_in = (const key *)array.in.at;
    caller.keys_out = (key *)array.out.at;
    caller.last = {Order::last};
    distributor<key, none> sorting(caller, n, shape, NULL);
    scratch_memory needed(NULL);
    sorting.lay_out(needed);
    device_array<char> scratch(needed.bytes());
    scratch_memory memory(scratch.at);
    sorting.lay_out(memory);
    array.check(sorting.sort() == cudaSuccess, distribution_inputs[input]);
}

/* Items of 4 and 8 bytes; few: those of 16 in their place. */
template <bool SAME> static void check_others(std::integral_constant<bool, SAME>)
{
    using item = typename std::conditional<SAME, record, place>::type;
    using order = typename std::conditional<SAME, heaviest_of_group, by_row>::type;
    if constexpr (!SAME)
        check_sort_by<letters, first_letter>(40000);
    for (int n : {1, 31, 4096, 4097})
        check_distribution<item, order>(n, RANDOM, {0, 6, 11, 0});
    for (int input = 0; input < DISTRIBUTION_INPUTS; input += 2)
        check_distribution<item, order>(input % 4 ? 9000 : 20011, input,
                                        {input % 4 ? 0 : 6, 7, 12, 0});
}

/* A distribution takes no more scratch memory than merging does, for any n for which sort_by() chooses it. (From 2^24 on
 * levels of 2^7 buckets are too few: tests/gpu/sort_by.cu.) */
template <class Item, class Order> static void check_scratch()
{
    for (int log = 16; log < 24; log++)
        for (size_t n : {(size_t)1 << log, ((size_t)1 << log) - 1}) {
            const sort_of_items<Order, Item> sorting(NULL, NULL, n, Order::last, NULL);
            size_t bytes = 0, merging = 0;
            if (!sorting.is_distributed())
                continue;
            sorting.distribute(NULL, &bytes);
            sorting.merge(NULL, &merging);
            if (bytes > merging) {
                printf("WRONG: n %zu, items of %zu bytes: scratch memory of %zu bytes, by merging "
                       "%zu\n",
                       n, sizeof(Item), bytes, merging);
                exit(1);
            }
        }
}

int main(void)
{
    check_scratch<record, heaviest_of_group>();
#ifndef __CUDA_ARCH__ /* numbers only, for which no kernel of theirs need be compiled */
    check_scratch<place, by_row>();
    check_scratch<letters, first_letter>();
#endif
    for (int n : {700, 9000, 20000})
        check_sort_by<record, heaviest_of_group>(n);
    for (int input = 1; input < DISTRIBUTION_INPUTS; input += 2)
        check_distribution<record, heaviest_of_group>(9001, input, {6, 6, 11, 0});
    check_others(std::integral_constant<bool, FEW>());
    return 0;
}
