/* thresholds.cuh - samples, and the thresholds made of them: of the input for level 1, and of each bucket
 * for level 2. A block sorts a sample as block_sort.cuh does.
 *
 * A splitter that comes again gives v and then v + 1 (here with K = 8, splitters at every second key):
 *
 *     sample       1 1 2 3 3 3 3 3 3 3 3 5 6 7 7 9
 *     splitters      . 2   3   3   3   3   6   7
 *     thresholds       2   3   4   4   4   6   7
 *
 * so that keys equal to 3 have a bucket of their own, from 3 up to 4, and the next two have none.
 */
#ifndef BANKSCOPE_SORT_THRESHOLDS_CUH
#define BANKSCOPE_SORT_THRESHOLDS_CUH

#include "sort/block_sort.cuh"
#include "sort/distribution.cuh"

namespace bankscope
{

/* How a block sorts rows of items (block_sort.cuh): levels by shuffles, exchanges by multiply-adds. */
template <class Item> struct row_sort {
    static constexpr int shuffles = 2, balanced = 6;
};
template <> struct row_sort<int> {
    static constexpr int shuffles = 3, balanced = 2;
};
template <> struct row_sort<wide_item> {
    static constexpr int shuffles = 3, balanced = 0;
};

/* Thresholds of splitters 1 .. 2^log - 1, where splitter(i) is number i: in order, and as a tree. */
template <int U, class Key, class Splitter>
__device__ __forceinline__ void write_thresholds(Splitter splitter, threshold_of<Key> *bounds,
                                                 threshold_of<Key> *tree, int log)
{
    auto threshold = [&](int i) {
        const Key v = splitter(i);
        return make_threshold(v, i > 1 && !(splitter(i - 1) < v));
    };
    for (int j = threadIdx.x; j < 1 << log; j += U) {
        const threshold_of<Key> in_order = threshold(j),
                                in_tree = threshold(tree_threshold(max(j, 1), log));
        bounds[j] = in_order; /* numbers 0 are not looked at */
        tree[j] = in_tree;
    }
}

/* Sorts the keys of a block, `count` of them and then greatest ones, and makes thresholds of every
 * (count / K)th: in order, and as a tree. memory: of tile_bytes<Key>(U). */
template <int U, class Key, int E>
__device__ __forceinline__ void make_thresholds(Key (&r)[E], unsigned count, char *memory,
                                                int *first_of_warp, threshold_of<Key> *bounds,
                                                threshold_of<Key> *tree, int log)
{
    static_assert(E == row_items<Key>, "a row of keys for each thread");
    Key *const sample = (Key *)memory; /* rows of E + 1 */
    __syncthreads();
    sort_rows<order_of<Key>, U, row_sort<Key>::shuffles, row_sort<Key>::balanced>(
        r, shared_address(memory), first_of_warp);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < E; k++)
        sample[threadIdx.x * (E + 1) + k] = r[k];
    __syncthreads();
    write_thresholds<U, Key>(
        [&](int i) {
            const unsigned x = (unsigned)i * count >> log;
            return sample[x + x / E];
        },
        bounds, tree, log);
}

/* ---- of the input ------------------------------------------------------------------------------ */

/* What a sort begins with: no groups, no items; if there is one level, its only parent. */
template <class Key, class Value, int U>
__device__ __forceinline__ unsigned start_sort(const distribution<Key, Value> &s)
{
    __shared__ unsigned seed;
    const bool one_level = s.log_buckets == 0;
    if (threadIdx.x == 0) {
        distribution_counts count = {};
        count.seed = seed = s.fixed_seed ? s.fixed_seed : hash((unsigned)clock64());
        *s.count = count;
        if (one_level) {
            s.first_tile[0] = s.out[0] = 0;
            s.first_tile[1] = s.tiles;
            s.out[1] = s.n;
            s.equal[0] = 0;
            if constexpr (is_number<Key>) {
                s.low[0] = least_key<Key>;
                s.high[0] = greatest_key<Key>;
            }
        }
    }
    unsigned *const totals = one_level ? s.child_totals : s.totals;
    for (int i = threadIdx.x; i < (one_level ? 1 << s.log_children : COPIES * s.parents); i += U)
        totals[i] = 0;
    __syncthreads();
    return seed;
}

/* One block: a key of each of as many successive parts of the input as the sample has keys. */
template <class Key, class Value, int U>
__global__ void __launch_bounds__(U)
    sample_input(const __grid_constant__ distribution<Key, Value> s)
{
    constexpr int E = row_items<Key>, SAMPLE = U * E;
    extern __shared__ __align__(128) char dynamic[];
    __shared__ int first_of_warp[U / 32 + 1];
    const unsigned seed = start_sort<Key, Value, U>(s);
    Key r[E];
#pragma unroll
    for (int k = 0; k < E; k++) {
        const unsigned i = threadIdx.x + k * U;
        const uint64_t at = (uint64_t)i * s.n + ((uint64_t)hash(i ^ seed) * s.n >> 32);
        r[k] = s.code.encode(s.keys_in[at / SAMPLE]);
    }
    const bool one_level = s.log_buckets == 0;
    make_thresholds<U>(r, SAMPLE, dynamic, first_of_warp, one_level ? s.child_bounds : s.bounds,
                       one_level ? s.child_tree : s.tree,
                       one_level ? s.log_children : s.log_buckets);
}

/* ---- of a bucket --------------------------------------------------------------------------------- */

/* How many items and how many windows the buckets before this one have. Returns its own items. */
template <class Key, class Value, int U>
__device__ __forceinline__ unsigned place_bucket(const distribution<Key, Value> &s, int b,
                                                 unsigned *totals, uint64_t *of_warp,
                                                 unsigned &first_tile)
{
    auto windows = [](unsigned items) { return (items + TILE - 1) / TILE; };
    uint64_t sum = 0, all;
    for (int p = threadIdx.x; p < s.parents; p += U) {
        unsigned total = 0;
#pragma unroll 8
        for (int c = 0; c < COPIES; c++)
            total += s.totals[c * s.parents + p];
        totals[p] = total;
        if (p < b)
            sum += total | (uint64_t)windows(total) << 32;
    }
    block_scan<U>(sum, of_warp, all);
    first_tile = (unsigned)(all >> 32);
    if (threadIdx.x == 0) {
        s.out[b] = (unsigned)all;
        s.first_tile[b] = first_tile;
        if (b == s.parents - 1) {
            s.out[b + 1] = (unsigned)all + totals[b];
            s.first_tile[b + 1] = first_tile + windows(totals[b]);
        }
    }
    return totals[b];
}

/* The sample of a bucket while it is collected: the numbers of its keys in s.samples, in any order. */
struct bucket_sample {
    unsigned *numbers, *taken; /* in shared memory */
    unsigned most, seed;
    unsigned part; /* of 2^16: so many of the keys that could be taken are */
    int log;       /* one of 2^ items could be */
};

/* The samples of a tile that are among its items begin .. end - 1: first .. behind - 1. */
__device__ __forceinline__ void samples_between(const bucket_sample &sample, unsigned tile,
                                                unsigned begin, unsigned end, unsigned &first,
                                                unsigned &behind)
{
    const unsigned round = (1u << sample.log) - 1 - sampled_place(sample.seed, tile, sample.log),
                   number = tile * (TILE >> sample.log);
    first = number + ((begin + round) >> sample.log);
    behind = number + ((end + round) >> sample.log);
}

/* Takes samples first, first + step, ... */
__device__ __forceinline__ void take_samples(const bucket_sample &sample, unsigned first,
                                             unsigned behind, unsigned step)
{
    for (unsigned number = first; number < behind; number += step)
        if (sample.part == 1 << 16 || (hash(number + sample.seed) & 0xffff) < sample.part) {
            const unsigned to = atomicAdd(sample.taken, 1u);
            if (to < sample.most)
                sample.numbers[to] = number;
        }
}

/* Those of the segments of a warp's lanes: one that has many is every lane's work. */
__device__ __forceinline__ void take_samples_of_warp(const bucket_sample &sample, unsigned tile,
                                                     unsigned begin, unsigned end)
{
    unsigned first, behind;
    samples_between(sample, tile, begin, end, first, behind);
    const bool many = behind - first > 4;
    if (!many)
        take_samples(sample, first, behind, 1);
    for (unsigned lanes = __ballot_sync(~0u, many); lanes; lanes &= lanes - 1) {
        const int owner = __ffs((int)lanes) - 1;
        const unsigned from = __shfl_sync(~0u, first, owner), to = __shfl_sync(~0u, behind, owner);
        take_samples(sample, from + (threadIdx.x & 31), to, 32);
    }
}

enum { ROW_PART = 8 /* tiles of a thread at a time: 16 bytes of a row of begins */ };

/* Goes over a bucket's segments: notes its windows, and takes its sample if it is to have one. */
template <int U, class Key, class Value>
__device__ __forceinline__ void read_segments(const distribution<Key, Value> &s, int b,
                                              unsigned first_tile, const bucket_sample *sample,
                                              unsigned *of_warp)
{
    const unsigned short *const row = s.begins + (size_t)b * s.stride;
    unsigned items = 0;
    for (unsigned t0 = 0; t0 < s.tiles; t0 += U * ROW_PART) {
        const unsigned t = t0 + threadIdx.x * ROW_PART;
        unsigned short begin[ROW_PART] = {0}, end[ROW_PART] = {0};
        if (t + ROW_PART <= s.tiles) {
            const uint4 begins = *(const uint4 *)(row + t);
            const uint4 ends = *(const uint4 *)(row + s.stride + t);
            memcpy(begin, &begins, sizeof begin);
            memcpy(end, &ends, sizeof end);
        } else {
#pragma unroll
            for (int i = 0; i < ROW_PART; i++)
                if (t + i < s.tiles) {
                    begin[i] = row[t + i];
                    end[i] = row[s.stride + t + i];
                }
        }
        unsigned mine = 0, all;
#pragma unroll
        for (int i = 0; i < ROW_PART; i++)
            mine += end[i] - begin[i];
        unsigned at = items + block_scan<U>(mine, of_warp, all);
        items += all;
#pragma unroll
        for (int i = 0; i < ROW_PART; i++) {
            const unsigned count = end[i] - begin[i], next = (at + TILE - 1) / TILE;
            if (next * TILE < at + count)
                s.windows[first_tile + next] = {t + i, at};
            at += count;
            if (sample)
                take_samples_of_warp(*sample, t + i, begin[i], end[i]);
        }
    }
}

/* Notes what keys a bucket can have. Returns whether they are all equal. */
template <class Key, class Value>
__device__ __forceinline__ bool note_keys(const distribution<Key, Value> &s, int b)
{
    if constexpr (is_number<Key>) {
        Key low = 0, high = 0;
        const bool any =
            keys_of_bucket(s.bounds, s.parents, b, least_key<Key>, greatest_key<Key>, low, high);
        if (threadIdx.x == 0) {
            s.low[b] = low;
            s.high[b] = high;
        }
        return any && low == high;
    } else {
        return has_one_key(s.bounds, s.parents, b);
    }
}

/* A block for each bucket of level 1. */
template <class Key, class Value, int U>
__global__ void __launch_bounds__(U) open_bucket(const __grid_constant__ distribution<Key, Value> s)
{
    constexpr int E = row_items<Key>, SAMPLE = U * E;
    extern __shared__ __align__(128) char dynamic[];
    __shared__ int first_of_warp[U / 32 + 1];
    __shared__ uint64_t of_warp[U / 32];
    __shared__ unsigned taken, totals[MOST_BUCKETS];
    const int b = blockIdx.x, K = 1 << s.log_children;
    unsigned first_tile;
    const unsigned total = place_bucket<Key, Value, U>(s, b, totals, of_warp, first_tile);
    const bool equal = note_keys(s, b);
    for (int j = threadIdx.x; j < K; j += U)
        s.child_totals[(size_t)b * K + j] = 0;
    if (threadIdx.x == 0) {
        s.equal[b] = equal;
        taken = 0;
    }
    __syncthreads();
    if (total == 0 || (equal && equals_are_one<Key, Value>))
        return;

    const bool sampled = !equal && total > 1u << s.log_group; /* else it is a group */
    bucket_sample sample = {(unsigned *)dynamic, &taken,  SAMPLE,
                            s.count->seed,       1 << 16, s.log_sampled};
    const unsigned expected = total >> s.log_sampled;
    if (expected > SAMPLE / 8 * 7) /* room for chance */
        sample.part = (unsigned)(((uint64_t)SAMPLE / 8 * 7 << 16) / expected);
    read_segments<U>(s, b, first_tile, sampled ? &sample : NULL, (unsigned *)of_warp);
    if (equal)
        return;
    threshold_of<Key> *const bounds = s.child_bounds + (size_t)b * K, *const tree = s.child_tree +
                                                                                    (size_t)b * K;
    if (!sampled) { /* all in child 0, but for greatest numbers */
        for (int j = threadIdx.x; j < K; j += U)
            bounds[j] = tree[j] = make_threshold(padding(s), true);
        return;
    }
    __syncthreads();
    const unsigned count = min(taken, (unsigned)SAMPLE);
    Key r[E];
#pragma unroll
    for (int k = 0; k < E; k++) {
        const unsigned x = threadIdx.x + k * U;
        r[k] = x < count ? s.samples[sample.numbers[x]] : padding(s);
    }
    make_thresholds<U>(r, count, dynamic, first_of_warp, bounds, tree, s.log_children);
}

} // namespace bankscope
#endif
