/* sort_by.cu - sorts of items by an order of the user's (sort/sort_by.cuh) against the library's, on the GPU.
 *
 *     sort_by sizes [MOST]   every n to MOST (5000), items of 4, 8 and 16 bytes, by merging and by distribution
 *                            with the parameters of large n
 *     sort_by inputs         every input (tests/support/distribution.h) in several n, both ways
 *     sort_by few            a few of both, for compute-sanitizer
 *     sort_by once           a sort of 2^24 items of each size by distribution, for a profiler
 *     sort_by bench          both ways and cub::DeviceMergeSort: a table, microseconds
 *
 * The reference is cub::DeviceMergeSort's stable sort. Items carry where they were, so that the comparison with
 * it finds what is not stable. Outputs and scratch memory hold a pattern before, and what lies behind them is
 * looked at after. Fails with the first that was wrong.
 */
#include "sort/sort_by.cuh"
#include "tests/gpu/must.h"
#include "tests/support/distribution.h"

#include <algorithm>
#include <cub/device/device_merge_sort.cuh>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

using namespace bankscope;

enum { PATTERN = 0xa5, GUARD = 256, WARM_UPS = 2, TIMED = 9 };

/* Items of three sizes, made from a key and where it is; `last` may be equal to some. */
struct narrow {
    short key;
    unsigned short number;
    using key_type = int;
    static constexpr const char *name = "4 bytes";
    __host__ __device__ static narrow make(int key, unsigned i)
    {
        return {(short)(key >> 16 ^ key), (unsigned short)i};
    }
    static narrow last()
    {
        return {INT16_MAX, 7};
    }
    __host__ __device__ bool before(const narrow &b) const
    {
        return key < b.key;
    }
};
struct middle {
    int key;
    unsigned number;
    using key_type = int;
    static constexpr const char *name = "8 bytes";
    __host__ __device__ static middle make(int key, unsigned i)
    {
        return {key, i};
    }
    static middle last()
    {
        return {INT32_MAX, 7};
    }
    __host__ __device__ bool before(const middle &b) const
    {
        return key < b.key;
    }
};
struct wide { /* the heaviest comes first */
    double weight;
    unsigned number, color;
    using key_type = long long;
    static constexpr const char *name = "16 bytes";
    __host__ __device__ static wide make(long long key, unsigned i)
    {
        return {(double)key, i, i ^ 0x5555};
    }
    static wide last()
    {
        return {(double)INT64_MIN, 7, 7};
    }
    __host__ __device__ bool before(const wide &b) const
    {
        return weight > b.weight;
    }
};
struct by_key {
    template <class Item> static __device__ bool less(const Item &a, const Item &b)
    {
        return a.before(b);
    }
};
struct library_order {
    template <class Item> __device__ bool operator()(const Item &a, const Item &b) const
    {
        return a.before(b);
    }
};

__device__ static uint64_t mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

template <class Item> __global__ void fill(Item *items, size_t n, int input, uint64_t seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        items[i] = Item::make(
            distribution_key<typename Item::key_type>(input, i, n, mixed(seed + i)), (unsigned)i);
}

__global__ void compare(const unsigned *found, const unsigned *expected, size_t words,
                        unsigned *wrong)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words;
         i += (size_t)gridDim.x * blockDim.x)
        if (found[i] != expected[i])
            *wrong = 1;
}
__global__ void look_behind(const unsigned char *end, unsigned *wrong)
{
    if (end[threadIdx.x] != PATTERN)
        *wrong = 1;
}

/* Device memory for n items: before, after, as expected, and for the sorts. */
template <class Item> struct arrays {
    size_t n, space_bytes = 0;
    Item *in, *out, *expected;
    char *space;
    unsigned *wrong;
    explicit arrays(size_t n) : n(n)
    {
        size_t bytes = 0;
        const sort_of_items<by_key, Item> sorting(NULL, NULL, n, Item::last(), NULL);
        MUST(sorting.distribute(NULL, &bytes));
        MUST(sorting.merge(NULL, &space_bytes));
        if (sorting.is_distributed() && bytes > space_bytes) {
            fprintf(stderr, "sort_by.cu: n %zu, items of %s: scratch memory %zu, by merging %zu\n",
                    n, Item::name, bytes, space_bytes);
            exit(1);
        }
        space_bytes = std::max(space_bytes, bytes);
        MUST(cub::DeviceMergeSort::StableSortKeys(NULL, bytes, (Item *)NULL, (int)n,
                                                  library_order()));
        space_bytes =
            2 * std::max(space_bytes, bytes) + (64 << 20); /* shapes of large n take more */
        for (Item **items : {&in, &out, &expected})
            MUST(cudaMalloc((void **)items, n * sizeof(Item) + GUARD));
        MUST(cudaMalloc((void **)&space, space_bytes));
        MUST(cudaMalloc((void **)&wrong, sizeof *wrong));
        MUST(cudaMemset(wrong, 0, sizeof *wrong));
    }
    ~arrays()
    {
        for (void *piece :
             {(void *)in, (void *)out, (void *)expected, (void *)space, (void *)wrong})
            cudaFree(piece);
    }
    void library(size_t count)
    {
        size_t bytes = space_bytes;
        MUST(cub::DeviceMergeSort::StableSortKeys(space, bytes, expected, (int)count,
                                                  library_order()));
    }
};

template <class Item> static distribution_shape shape_for(size_t n)
{
    return distribution_shape_for<ordered<Item, by_key>>(n);
}

/* Sorts by distribution in a given shape. */
template <class Item>
static size_t distribute(arrays<Item> &a, size_t n, const distribution_shape &shape)
{
    using key = ordered<Item, by_key>;
    distribution<key, none> caller = {};
    caller.keys_in = (const key *)a.in;
    caller.keys_out = (key *)a.out;
    caller.last = {Item::last()};
    distributor<key, none> sorting(caller, n, shape, NULL);
    scratch_memory memory(a.space);
    sorting.lay_out(memory);
    if (memory.bytes() + GUARD > a.space_bytes) {
        fprintf(stderr, "sort_by.cu: more scratch memory than expected\n");
        exit(1);
    }
    MUST(sorting.sort());
    return memory.bytes();
}

/* Items are expected where the library has them. way: by_shape with its parameters, or what sort_by() does. */
template <class Item>
static void check(arrays<Item> &a, size_t n, int input, const char *way, distribution_shape shape)
{
    fill<<<512, 256>>>(a.in, n, input, n);
    if (input == ADVERSARY) {
        std::vector<typename Item::key_type> keys(n);
        std::vector<Item> items(n);
        for (size_t i = 0; i < n; i++)
            keys[i] = (int)(1000 + i * 2654435761u % (n / 2 + 1));
        make_adversary(keys.data(), n);
        for (size_t i = 0; i < n; i++)
            items[i] = Item::make(keys[i], (unsigned)i);
        shape.seed = ADVERSARY_SEED;
        MUST(cudaMemcpy(a.in, items.data(), n * sizeof(Item), cudaMemcpyHostToDevice));
    }
    MUST(cudaMemcpyAsync(a.expected, a.in, n * sizeof(Item), cudaMemcpyDeviceToDevice));
    a.library(n);
    MUST(cudaMemsetAsync(a.space, PATTERN, a.space_bytes));
    MUST(cudaMemsetAsync(a.out, PATTERN, n * sizeof(Item) + GUARD));
    const sort_of_items<by_key, Item> sorting(a.in, a.out, n, Item::last(), NULL);
    size_t bytes = a.space_bytes;
    if (!strcmp(way, "distribution"))
        bytes = distribute(a, n, shape);
    else if (!strcmp(way, "merging"))
        MUST(sorting.merge(a.space, &bytes));
    else {
        const int error = sort_by<by_key>(a.space, &bytes, a.in, a.out, n, Item::last(), NULL);
        if (error) {
            fprintf(stderr, "sort_by.cu: %s\n", sort_error_text(error));
            exit(1);
        }
        MUST(sorting.sort(NULL, &bytes));
    }
    compare<<<512, 256>>>((unsigned *)a.out, (unsigned *)a.expected, n * sizeof(Item) / 4, a.wrong);
    look_behind<<<1, GUARD>>>((unsigned char *)(a.out + n), a.wrong);
    if (strcmp(way, "merging")) /* its size is not said */
        look_behind<<<1, GUARD>>>((unsigned char *)a.space + bytes, a.wrong);
    unsigned wrong = 0;
    MUST(cudaMemcpy(&wrong, a.wrong, sizeof wrong, cudaMemcpyDeviceToHost));
    if (!wrong)
        return;
    fprintf(stderr,
            "sort_by.cu: wrong: n %zu, %s, items of %s, by %s, levels of %d and %d bits, groups of "
            "2^%d\n",
            n, distribution_inputs[input], Item::name, way, shape.log_buckets, shape.log_children,
            shape.log_group);
    exit(1);
}

template <class Item> static int check_sizes(size_t most)
{
    arrays<Item> a(most);
    int sorts = 0;
    for (size_t n = 1; n <= most; n++, sorts += 2) {
        const int input = (int)(n % ADVERSARY);
        check(a, n, input, "distribution",
              {(int)(n % 5 ? 5 + n % 5 : 0), (int)(6 + n % 4), (int)(11 + n % 2), 0});
        check(a, n, input, "merging", {});
    }
    return sorts;
}

template <class Item> static int check_inputs(const std::vector<size_t> &sizes)
{
    arrays<Item> a(sizes.back());
    int sorts = 0;
    for (size_t n : sizes)
        for (int input = 0; input < DISTRIBUTION_INPUTS; input++)
            for (const char *way : {"distribution", "merging", "sort_by"})
                if (input != ADVERSARY || n < 1000000) {
                    check(a, n, input, way, shape_for<Item>(n));
                    sorts++;
                }
    return sorts;
}

template <class Item> static void sort_once()
{
    arrays<Item> a(1 << 24);
    fill<<<512, 256>>>(a.in, a.n, RANDOM, 1);
    distribute(a, a.n, shape_for<Item>(a.n));
    MUST(cudaDeviceSynchronize());
}

/* ---- times ------------------------------------------------------------------------------------- */

template <class Work> static double median(Work work)
{
    static cudaEvent_t begin, end;
    float times[TIMED];
    if (!begin) {
        MUST(cudaEventCreate(&begin));
        MUST(cudaEventCreate(&end));
    }
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

template <class Item> static void bench(int input, int log)
{
    const size_t n = (size_t)1 << log;
    arrays<Item> a(n);
    const sort_of_items<by_key, Item> sorting(a.in, a.out, n, Item::last(), NULL);
    const distribution_shape shape = shape_for<Item>(n);
    size_t bytes = 0;
    fill<<<512, 256>>>(a.in, n, input, 1);
    auto copy = [&] {
        MUST(cudaMemcpyAsync(a.expected, a.in, n * sizeof(Item), cudaMemcpyDeviceToDevice));
    };
    const double one = median(copy), merge = median([&] { MUST(sorting.merge(a.space, &bytes)); }),
                 distributed = median([&] { distribute(a, n, shape); }), library = median([&] {
                                                                             copy();
                                                                             a.library(n);
                                                                         });
    printf("%s\t%s\t%zu\t%.1f\t%.1f\t%.1f\t%.1f\n", Item::name, distribution_inputs[input], n,
           distributed, merge, library - one, one);
    fflush(stdout);
}

template <class Item> static void bench_all()
{
    for (int log = 14; log <= 28; log++)
        bench<Item>(RANDOM, log);
    for (int input : {SIXTEEN, ZIPF, SORTED, LUMPS})
        for (int log : {20, 26})
            bench<Item>(input, log);
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    const size_t most = argc > 2 ? strtoul(argv[2], NULL, 10) : 5000;
    if (!strcmp(what, "sizes")) {
        const int sorts =
            check_sizes<narrow>(most) + check_sizes<middle>(most) + check_sizes<wide>(most);
        printf("every n to %zu, items of 4, 8 and 16 bytes: %d sorts right and stable\n", most,
               sorts);
    } else if (!strcmp(what, "inputs") || !strcmp(what, "few")) {
        std::vector<size_t> sizes = {9001, 40003};
        if (!strcmp(what, "inputs"))
            sizes = {20001, 100003, 1000003, 6000001};
        const int sorts =
            check_inputs<narrow>(sizes) + check_inputs<middle>(sizes) + check_inputs<wide>(sizes);
        printf("%s: %d sorts right and stable\n", what, sorts);
    } else if (!strcmp(what, "once")) {
        sort_once<narrow>();
        sort_once<middle>();
        sort_once<wide>();
    } else if (!strcmp(what, "bench")) {
        printf("items\tinput\tn\tdistribution\tmerging\tlibrary\tcopy\n");
        bench_all<narrow>();
        bench_all<middle>();
        bench_all<wide>();
    } else {
        fprintf(stderr, "usage: sort_by sizes [MOST] | inputs | few | once | bench\n");
        return 2;
    }
    return 0;
}
