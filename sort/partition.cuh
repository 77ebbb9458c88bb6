/* partition.cuh - where each tile of a pass begins and ends in its runs.
 *
 * A pass merges groups of four runs A, B, C, D (or of eight) of `length` items each (the last group may
 * have fewer and a shorter one). A tile is T successive items of a group's output. Splitting the runs at
 * output item d means selecting the d smallest items. The search is greedy, by blocks of s items: it
 * takes the block whose last item is the smallest of the four until fewer than s + 3 (s - 1) items
 * are missing. All items taken are among the d smallest, because at most 3 (s - 1) items that were not
 * taken precede the last item taken. Then s is halved, down to 1:
 *
 *     A = 1 2 3 4   B = 5 6 7 8   C = 2 3 9 9   D = 7 7 7 7   d = 9
 *     s = 2: 3 blocks, as 3 x 2 + 3 x 1 <= 9:   A to 2, C to 3, A to 4;   3 items are missing
 *     s = 1: 3 items:                           B to 5, B to 6, B to 7
 *     4 of A, 3 of B, 2 of C, none of D
 *
 * With eight runs, 7 takes the place of 3. The last items of blocks of E and more are the samples, one
 * for each row: 1 / E of the memory that the runs have. As many lanes as there are runs search
 * together, each in its own run.
 *
 * A tile is merged as (A, B) with (C, D), and each of the two must have whole rows. A split of the
 * tile is therefore recorded twice: with A + B and C + D rounded down to rows for the tile that begins
 * there, and rounded up for the one that ends there.
 */
#ifndef BANKSCOPE_SORT_PARTITION_CUH
#define BANKSCOPE_SORT_PARTITION_CUH

#include "sort/tile.cuh"

#include <limits.h>

namespace bankscope
{

/* A split: how many items of each run are before it, rounded down and up. */
template <int WAYS> struct alignas(16) tile_split {
    struct {
        int down, up;
    } run[WAYS];
};

/* One pass over n items: groups of WAYS runs of `length`, each of `tiles` tiles. */
template <int WAYS> struct pass_shape {
    int n, length, tiles;
    __device__ __forceinline__ int group_begin(int group) const
    {
        return group * WAYS * length; /* < n: no overflow */
    }
    /* Items of the run that begins at `begin`. n - begin may be negative: no run. */
    __device__ __forceinline__ int run_length(long long begin) const
    {
        long long rest = n - begin;
        return rest < 0 ? 0 : rest < length ? (int)rest : length;
    }
    __device__ __forceinline__ int group_length(int group) const
    {
        const long long whole = (long long)WAYS * length, rest = n - group * whole;
        return (int)(rest < whole ? rest : whole);
    }
};

/* A run in memory: odd ones lie descending. */
template <class Item> struct run {
    const Item *items;
    int length;
    bool reversed;
    __device__ __forceinline__ Item at(int i) const
    {
        return items[reversed ? length - 1 - i : i];
    }
};

/* Whether this lane's item is the least of WAYS lanes' that have one; of equal ones that of the earlier
 * run is smaller. */
template <class Order, int WAYS, class Item>
__device__ __forceinline__ bool least_of(const Item &item, bool have)
{
    const int lane = (int)threadIdx.x & (WAYS - 1), group = (int)threadIdx.x & 31 & -WAYS;
    if constexpr (std::is_same<Item, int>::value && std::is_same<Order, natural_order>::value) {
        int least = have ? item : INT_MAX;
#pragma unroll
        for (int distance = 1; distance < WAYS; distance *= 2)
            least = min(least, __shfl_xor_sync(~0u, least, distance));
        const unsigned lanes = __ballot_sync(~0u, have && item == least) >> group;
        return have && item == least && !(lanes & ((1u << lane) - 1));
    } else {
        const unsigned lanes = __ballot_sync(~0u, have) >> group;
        bool least = have;
#pragma unroll
        for (int distance = 1; distance < WAYS; distance++) {
            const Item other = shuffle_xor(item, distance);
            const int number = lane ^ distance;
            const bool before =
                number < lane ? Order::less(item, other) : !Order::less(other, item);
            least = least && (before || !(lanes >> number & 1));
        }
        return least;
    }
}

/* One of WAYS lanes that select together, each in its own run: returns its run's split at d.
 * Samples are those of the run. */
template <class Order, int WAYS, class Item>
__device__ __forceinline__ int select(const run<Item> &mine, const Item *samples, int d,
                                      int log_top)
{
    constexpr int E = row_items<Item>;
    int position = 0, missing = d;
    Item next[4]; /* last items of this run's next blocks; the first `known` were looked at */
    int known = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
        next[i] = Item();
#pragma unroll 1
    for (int s = 1 << log_top, log = log_top; log >= 0; log--, s /= 2) {
        const int excess = missing - (WAYS - 1) * (s - 1);
        const int wanted = excess < 0 ? 0 : excess >> log; /* at most WAYS */
        auto look = [&](int i) {
            const int at = position + i * s - 1;
            return at >= mine.length ? Item() : s >= E ? samples[at / E] : mine.at(at);
        };
        if (wanted) { /* every second one is known from the step before */
            Item second = next[0], fourth = next[1];
            next[0] = look(1);
            next[2] = look(3);
            next[1] = known > 0 ? second : look(2);
            next[3] = known > 1 ? fourth : look(4);
            known = 4;
        } else {
            known = 0;
        }
#pragma unroll
        for (int i = 0; i < WAYS; i++) {
            if (i >= 4 && i < wanted && known == 0) { /* all four were taken */
                next[0] = look(1);
                known = 1;
            }
            const bool have = position + s <= mine.length;
            const bool least = least_of<Order, WAYS>(next[0], have);
            if (i < wanted && least) {
                position += s;
                next[0] = next[1];
                next[1] = next[2];
                next[2] = next[3];
                known--;
            }
        }
        missing -= wanted * s;
    }
    return position;
}

enum { PARTITION_THREADS = 128 };

/* splits[group * (tiles + 1) + i] for i = 0 .. tiles, numbered from first to behind - 1 over all
 * groups. T: items of a tile. */
template <class Item, class Order, int WAYS, int T>
__global__ void __launch_bounds__(PARTITION_THREADS)
    partition(const Item *__restrict__ in, const Item *__restrict__ samples,
              tile_split<WAYS> *__restrict__ splits, pass_shape<WAYS> shape, int first, int behind)
{
    constexpr int E = row_items<Item>;
    const int lane = threadIdx.x & (WAYS - 1);
    const int mine = first + (int)(blockIdx.x * PARTITION_THREADS + threadIdx.x) / WAYS;
    const int number = min(mine, behind - 1); /* all lanes shuffle */
    const int group = number / (shape.tiles + 1), i = number - group * (shape.tiles + 1);
    const int group_begin = shape.group_begin(group);
    const int d = (int)min((long long)i * T, (long long)shape.group_length(group));
    const long long run_begin = group_begin + (long long)lane * shape.length;
    const run<Item> one = {in + run_begin, shape.run_length(run_begin), (lane & 1) != 0};
    const int position =
        select<Order, WAYS>(one, samples + run_begin / E, d, 31 - __clz(2 * shape.length - 1));

    /* Lanes 0 and 1 round A + B down and up, lanes 2 and 3 C + D, ... */
    const int base = lane & ~1;
    const int pa = __shfl_sync(~0u, position, base, WAYS);
    const int pb = __shfl_sync(~0u, position, base + 1, WAYS);
    const long long a_begin = group_begin + (long long)base * shape.length;
    const run<Item> a = {in + a_begin, shape.run_length(a_begin), false};
    const run<Item> b = {in + a_begin + shape.length, shape.run_length(a_begin + shape.length),
                         true};
    const int x = pa + pb, rounded = ((lane & 1) ? x + E - 1 : x) & ~(E - 1);
    int low =
        lane & 1 ? max(pa, rounded - b.length) : max(max(pa - (x - rounded), 0), rounded - pb);
    int high = lane & 1 ? min(pa + (rounded - x), a.length) : min(pa, rounded);
    while (low < high) {
        int middle = (low + high) >> 1;
        if (!Order::less(b.at(rounded - 1 - middle), a.at(middle)))
            low = middle + 1;
        else
            high = middle;
    }
    if (mine < behind) {
        int *to = (int *)(splits + number);
        to[2 * base + (lane & 1)] = low;               /* of the pair's first run, down or up */
        to[2 * base + 2 + (lane & 1)] = rounded - low; /* of its second */
    }
}

} // namespace bankscope
#endif
