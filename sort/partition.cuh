/* partition.cuh - where each tile of a pass begins and ends in its four runs.
 *
 * A pass merges groups of four runs A, B, C, D of `length` items each (the last group may have fewer
 * and a shorter one). A tile is T successive items of a group's output. Splitting the four runs at
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
 * The last items of blocks of E and more are the samples, one for each row: 1 / E of the memory that
 * the runs have. Four lanes search together, each in its own run.
 *
 * A tile is merged as (A, B) with (C, D), and each of the two must have whole rows. A split of the
 * tile is therefore recorded twice: with A + B and C + D rounded down to rows for the tile that begins
 * there, and rounded up for the one that ends there.
 */
#ifndef BANKSCOPE_SORT_PARTITION_CUH
#define BANKSCOPE_SORT_PARTITION_CUH

#include "sort/tile.cuh"

namespace bankscope
{

/* A split, rounded down and up: of A, of B, of C, of D. */
struct alignas(16) tile_split {
    int a_down, a_up, b_down, b_up, c_down, c_up, d_down, d_up;
};

/* One pass over n items: groups of four runs of `length`, each of `tiles` tiles. */
struct pass_shape {
    int n, length, tiles;
    __device__ __forceinline__ int group_begin(int group) const
    {
        return group * 4 * length; /* group * 4 * length < n: no overflow */
    }
    /* Items of the run that begins at `begin`. n - begin may be negative: no run. */
    __device__ __forceinline__ int run_length(long long begin) const
    {
        long long rest = n - begin;
        return rest < 0 ? 0 : rest < length ? (int)rest : length;
    }
    __device__ __forceinline__ int group_length(int group) const
    {
        long long rest = n - (long long)group * 4 * length;
        return rest < 4ll * length ? (int)rest : 4 * length;
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

/* One of four lanes that select together, each in its own run: returns its run's split at d.
 * Samples are those of the run. */
template <class Order, class Item>
__device__ __forceinline__ int select_four(const run<Item> &mine, const Item *samples, int d,
                                           int log_top)
{
    constexpr int E = row_items<Item>;
    const int lane = threadIdx.x & 3, quad = threadIdx.x & 28;
    int position = 0, missing = d;
    Item next[4]; /* last items of this run's next blocks; the first `known` were looked at */
    int known = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
        next[i] = Item();
#pragma unroll 1
    for (int s = 1 << log_top, log = log_top; log >= 0; log--, s /= 2) {
        const int excess = missing - 3 * (s - 1);
        const int wanted = excess < 0 ? 0 : excess >> log; /* at most 4 */
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
        for (int i = 0; i < 4; i++) {
            /* Of equal items the one of the earlier run is smaller; no item is greater than all. */
            const bool have = position + s <= mine.length;
            const unsigned all_have = __ballot_sync(~0u, have) >> quad;
            bool least = have;
#pragma unroll
            for (int distance = 1; distance < 4; distance++) {
                const Item other = shuffle_xor(next[0], distance);
                const int number = lane ^ distance;
                const bool before =
                    number < lane ? Order::less(next[0], other) : !Order::less(other, next[0]);
                least = least && (before || !(all_have >> number & 1));
            }
            if (i < wanted && least) {
                position += s;
                next[0] = next[1];
                next[1] = next[2];
                next[2] = next[3];
                next[3] = Item();
                known--;
            }
        }
        missing -= wanted * s;
    }
    return position;
}

enum { PARTITION_THREADS = 128, PARTITION_SPLITS = PARTITION_THREADS / 4 };

/* splits[group * (tiles + 1) + i] for i = 0 .. tiles, numbered from first to behind - 1 over all
 * groups. T: items of a tile. */
template <class Item, class Order, int T>
__global__ void __launch_bounds__(PARTITION_THREADS)
    partition(const Item *__restrict__ in, const Item *__restrict__ samples,
              tile_split *__restrict__ splits, pass_shape shape, int first, int behind)
{
    constexpr int E = row_items<Item>;
    const int lane = threadIdx.x & 3;
    const int mine = first + (int)blockIdx.x * PARTITION_SPLITS + (int)threadIdx.x / 4;
    const int number = min(mine, behind - 1); /* all lanes shuffle */
    const int group = number / (shape.tiles + 1), i = number - group * (shape.tiles + 1);
    const int group_begin = shape.group_begin(group);
    const int d = (int)min((long long)i * T, (long long)shape.group_length(group));
    const long long run_begin = group_begin + (long long)lane * shape.length;
    const run<Item> one = {in + run_begin, shape.run_length(run_begin), (lane & 1) != 0};
    const int position =
        select_four<Order>(one, samples + run_begin / E, d, 31 - __clz(2 * shape.length - 1));

    /* Lanes 0 and 1 round A + B down and up, lanes 2 and 3 C + D. */
    const int base = lane & 2;
    const int pa = __shfl_sync(~0u, position, base, 4);
    const int pb = __shfl_sync(~0u, position, base + 1, 4);
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
        to[2 * base + (lane & 1)] = low;               /* a or c, down or up */
        to[2 * base + 2 + (lane & 1)] = rounded - low; /* b or d */
    }
}

} // namespace bankscope
#endif
