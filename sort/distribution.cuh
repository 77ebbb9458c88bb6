/* distribution.cuh - a stable sort by distribution over sampled splitters: what its kernels share.
 *
 *     sample       thresholds of the first level, from keys at random places        thresholds.cuh
 *     level 1      each tile is ordered by bucket, in shared memory                 level.cuh
 *     open         a block for each bucket: its windows, its own thresholds         thresholds.cuh
 *     level 2      tiles of a bucket, ordered by its children                       level.cuh
 *     plan         children that fit together are a group                          groups.cuh
 *     finish       each group is gathered, sorted and written    finish.cuh, finish_keys.cuh, split.cuh, order.cuh
 *     finish rest  what does not fit, by merging                                    rest.cuh
 *
 * A tile is TILE successive items of a level's input. A block makes of it TILE items ordered by bucket
 * (buckets.h), which it writes in one piece where the tile's number says, and notes where each bucket
 * begins in it. Nothing is scattered through memory, and no block waits for another: the
 * transposition is in the reading of the next kernel. Items of one bucket in one tile are a segment. A
 * bucket is its segments, in the order of tiles; a window of a bucket is TILE successive items of it:
 *
 *     tile 0  | 0 0 1 1 1 2 |      bucket 1   1 1 1 | 1 1 | 1 1 1 1
 *     tile 1  | 0 0 0 1 1 2 |                 tile 0   1      2
 *     tile 2  | 0 1 1 1 1 2 |      windows    1 1 1   1 1 1 | 1 1 1
 *
 * What a sample says is never relied on: it decides how many items a bucket has, not what the result is.
 * A splitter that a sample shows twice, v, gives two thresholds, v and v + 1, so that a bucket of keys equal
 * to v lies between, which is done. Samples are taken at places that depend on the clock, so no input can
 * be made against them. As the sort is stable, it has one result, whatever the sample.
 *
 * Keys are numbers, or items of the user's in an order of the user's (sort_by.cuh). These have no v + 1, so a
 * threshold of theirs says whether it is v or what comes behind v; no bits, so that groups of them are
 * sorted by comparing (split.cuh, order.cuh); and no greatest one, so the user gives it.
 */
#ifndef BANKSCOPE_SORT_DISTRIBUTION_CUH
#define BANKSCOPE_SORT_DISTRIBUTION_CUH

#include "sort/buckets.h"
#include "sort/item.cuh"

#include <limits>
#include <stdint.h>

namespace bankscope
{

enum {
    TILE_THREADS = 256,
    TILE_ITEMS = 16, /* of a thread */
    TILE = TILE_THREADS * TILE_ITEMS,
    MOST_BUCKETS = 512,
    COPIES = 32, /* of the sums that all blocks of level 1 add to: each copy has few to wait for */
};

/* ---- keys and values ------------------------------------------------------------------------- */

struct none { /* the value of a key alone */
    __host__ __device__ none(int = 0)
    {
    }
};
template <class Value> constexpr bool has_values = !std::is_same<Value, none>::value;
/* What lies in tiles: the code of a key (item.cuh) and its value. */
template <class Key, class Value> struct alignas(sizeof(Key) + sizeof(Value) <= 8 ? 8 : 16) keyed {
    Key key;
    Value value;
};
template <class Key> struct keyed<Key, none> {
    Key key;
};
template <class Key, class Value>
__device__ __forceinline__ keyed<Key, Value> make_keyed(const Key &key, const Value &value)
{
    return {key, value};
}
template <class Key>
__device__ __forceinline__ keyed<Key, none> make_keyed(const Key &key, const none &)
{
    return {key};
}
template <class Key, class Value>
__device__ __forceinline__ Value value_of(const keyed<Key, Value> &item)
{
    if constexpr (has_values<Value>)
        return item.value;
    else
        return none();
}

/* Where items are: in an array, or, if key and value differ in size and would be padded, in one of keys and one
 * of values. item_storage is room for N. */
template <class Key, class Value>
constexpr bool is_apart = has_values<Value> && sizeof(Key) != sizeof(Value);
template <class Key, class Value, bool APART = is_apart<Key, Value>> struct items_at {
    keyed<Key, Value> *items;
    __host__ __device__ __forceinline__ items_at from(size_t i) const
    {
        return {items + i};
    }
    __device__ __forceinline__ const Key &key(unsigned i) const
    {
        return items[i].key;
    }
    __device__ __forceinline__ const Value &value(unsigned i) const
    {
        return items[i].value;
    }
    __device__ __forceinline__ keyed<Key, Value> get(unsigned i) const
    {
        return items[i];
    }
    __device__ __forceinline__ void put(unsigned i, const keyed<Key, Value> &item) const
    {
        items[i] = item;
    }
};
template <class Key, class Value> struct items_at<Key, Value, true> {
    Key *keys;
    Value *values;
    __host__ __device__ __forceinline__ items_at from(size_t i) const
    {
        return {keys + i, values + i};
    }
    __device__ __forceinline__ const Key &key(unsigned i) const
    {
        return keys[i];
    }
    __device__ __forceinline__ const Value &value(unsigned i) const
    {
        return values[i];
    }
    __device__ __forceinline__ keyed<Key, Value> get(unsigned i) const
    {
        return {keys[i], values[i]};
    }
    __device__ __forceinline__ void put(unsigned i, const keyed<Key, Value> &item) const
    {
        keys[i] = item.key;
        values[i] = item.value;
    }
};
template <class Key, class Value, int N, bool APART = is_apart<Key, Value>>
struct alignas(16) item_storage {
    keyed<Key, Value> items[N];
    __device__ __forceinline__ items_at<Key, Value> at()
    {
        return {items};
    }
};
template <class Key, class Value, int N> struct alignas(16) item_storage<Key, Value, N, true> {
    Key keys[N];
    Value values[N];
    __device__ __forceinline__ items_at<Key, Value> at()
    {
        return {keys, values};
    }
};

/* An item of the user's, where Order is the user's: a key that comes alone. Such keys can be equal and differ. */
template <class Item, class Order> struct alignas(sizeof(Item)) ordered {
    Item item;
    friend __device__ __forceinline__ bool operator<(const ordered &a, const ordered &b)
    {
        return Order::less(a.item, b.item);
    }
};
struct order_of_items { /* their order, by name */
    template <class Key> static __device__ __forceinline__ bool less(const Key &a, const Key &b)
    {
        return a < b;
    }
};
template <class Key> constexpr bool is_number = std::is_integral<Key>::value;
template <class Key>
using order_of = typename std::conditional<is_number<Key>, natural_order, order_of_items>::type;
/* Whether equal keys are one and the same, so that none of them needs to be read. */
template <class Key, class Value>
constexpr bool equals_are_one = is_number<Key> && !has_values<Value>;

template <class Key> constexpr Key least_key = std::numeric_limits<Key>::min();
template <class Key> constexpr Key greatest_key = std::numeric_limits<Key>::max();
/* Whether the tiles of the first of two levels lie in the caller's output, which has the form of them, until the last
 * kernels write it. */
template <class Key, class Value>
constexpr bool borrows_output = !has_values<Value> || is_apart<Key, Value>;
template <class Key>
using unsigned_of = typename std::conditional<sizeof(Key) == 4, unsigned, uint64_t>::type;

/* ---- thresholds ------------------------------------------------------------------------------- */

/* The keys that are not before it begin a bucket: of numbers, those from v on; of items, also those behind v. */
template <class Key> struct item_threshold {
    Key key;
    int behind;
};
template <class Key>
using threshold_of = typename std::conditional<is_number<Key>, Key, item_threshold<Key>>::type;

/* The threshold v, or what is next to it. */
template <class Key>
__device__ __forceinline__ threshold_of<Key> make_threshold(const Key &v, bool behind)
{
    if constexpr (is_number<Key>)
        return behind && v < greatest_key<Key> ? (Key)(v + 1) : v;
    else
        return {v, behind};
}

/* ballot_less() of ptx.cuh: which lanes have a key before theirs of `at`. */
template <class Key>
__device__ __forceinline__ int ballot_less(const Key &key, const item_threshold<Key> &at,
                                           unsigned &lanes)
{
    const bool before = at.behind ? !(at.key < key) : key < at.key;
    lanes = __ballot_sync(~0u, before);
    return before ? -1 : 0;
}

/* ---- what the kernels work on -------------------------------------------------------------------- */

/* Where a window begins: in this tile of level 1, which is behind `before` items of the bucket. */
struct window {
    unsigned tile, before;
};

/* A group: children first .. behind - 1 of a bucket, from item `skip` of them on. */
struct alignas(16) group {
    unsigned tile, behind_tile; /* of the bucket: its tiles of the last level, */
    unsigned base;              /* and where the first one is in memory */
    unsigned skip, size;
    unsigned out; /* where it begins in the output */
    unsigned short first, behind;
    unsigned char kind, shift; /* how it is sorted (finish.cuh) */
    uint64_t low;              /* the least key that it can have */
};
enum group_kind {
    GROUP_OF_EQUALS, /* its keys are one key: it is in order already */
    GROUP_BY_BINS,   /* (key - low) >> shift is the bin of a key */
    GROUP_BY_VALUE,  /* key - low has `shift` bits, 8 or fewer */
    GROUP_BY_ORDER,  /* by comparing */
};
enum { LIST_FINISH, LIST_REST, LISTS };

/* Cleared before each sort. */
struct distribution_counts {
    unsigned groups[LISTS]; /* of each list */
    unsigned seed, unused;
};

template <class Key, class Value> struct distribution {
    const Key *keys_in;
    Key *keys_out;
    const Value *values_in;
    Value *values_out;
    encoding<Key> code;
    Key last;                /* of items: none comes behind it */
    int *negative_zero_seen; /* set if there is a -0; NULL: not wanted */

    unsigned n, tiles, stride; /* of level 1; row length of `begins`, a multiple of 8 */
    int log_buckets;           /* of level 1; 0: there is one level, the last */
    int log_children;          /* of the last level's parents, the buckets of level 1 */
    int log_group;             /* a group has up to 2^ items */
    int log_sampled;           /* one of 2^ items of a tile goes into its bucket's sample */
    int parents;               /* 1 << log_buckets */
    unsigned fixed_seed;       /* for tests; 0: the clock */

    items_at<Key, Value> one, two;    /* tiles of the first level; of the second: bucket_base() */
    threshold_of<Key> *tree, *bounds; /* [2^log_buckets] */
    threshold_of<Key> *child_tree, *child_bounds; /* [parents][2^log_children] */
    unsigned *totals;                             /* [COPIES][parents]: items */
    unsigned *child_totals;                       /* [parents][2^log_children] */
    unsigned *out,
        *first_tile;      /* [parents + 1]: where a bucket begins in the output; its windows */
    Key *low, *high;      /* [parents]: the least and the greatest key that it can have; numbers */
    unsigned char *equal; /* [parents]: whether that is one key */
    unsigned short *begins; /* [2^log_buckets + 1][stride]: where a bucket begins in each tile */
    window *windows;        /* [tiles of level 2] */
    Key *samples;           /* [tiles][samples of a tile] */
    unsigned short *child_begins; /* [tiles of the last level][2^log_children + 2] */
    group *groups[LISTS];
    distribution_counts *count;
};

/* A key behind all that are sorted, or equal to the last of them. */
template <class Key, class Value>
__device__ __forceinline__ Key padding(const distribution<Key, Value> &s)
{
    if constexpr (is_number<Key>)
        return greatest_key<Key>;
    else
        return s.last;
}

/* Writes item number i of the output. */
template <class Key, class Value>
__device__ __forceinline__ void put_item(const distribution<Key, Value> &s, unsigned i,
                                         const Key &key, const Value &value)
{
    s.keys_out[i] = s.code.decode(key);
    if constexpr (has_values<Value>)
        s.values_out[i] = value;
}

/* Of numbers: keys low .. high of bucket b; false if it can have none. bounds: the thresholds, in order. */
template <class Key>
__device__ __forceinline__ bool keys_of_bucket(const Key *bounds, int buckets, int b, Key least,
                                               Key greatest, Key &low, Key &high)
{
    low = b ? max(bounds[b], least) : least;
    high = greatest;
    if (b + 1 < buckets) {
        const Key behind = bounds[b + 1];
        if (behind <= low)
            return false;
        high = min(high, (Key)(behind - 1));
    }
    return low <= high;
}

/* Of items: whether all keys of bucket b are equal, from v up to what is behind v. */
template <class Key>
__device__ __forceinline__ bool has_one_key(const item_threshold<Key> *bounds, int buckets, int b)
{
    return b > 0 && b + 1 < buckets && !bounds[b].behind && bounds[b + 1].behind &&
           !(bounds[b].key < bounds[b + 1].key);
}

/* Where the tiles of bucket b are that level 2 makes, one behind the other, if the output has `out` items
 * before it. Aligned to 16 bytes, and there is room for as much behind the last. */
__host__ __device__ __forceinline__ unsigned bucket_base(unsigned out, unsigned b)
{
    return (out + 4 * b + 3) & ~3u;
}

/* ---- sums over a block ----------------------------------------------------------------------- */

__device__ __forceinline__ unsigned lanes_below()
{
    return (1u << (threadIdx.x & 31)) - 1;
}

/* The sum of x over this lane and those before it. */
template <int LANES = 32, class Number> __device__ __forceinline__ Number warp_scan(Number x)
{
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int d = 1; d < LANES; d *= 2) {
        const Number other = __shfl_up_sync(~0u, x, d);
        if (lane >= d)
            x += other;
    }
    return x;
}

/* The sum over the warps before this one, and over all. of_warp: each warp's own. */
template <int WARPS, class Number>
__device__ __forceinline__ Number scan_warps(const Number *of_warp, Number &total)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const Number mine = lane < WARPS ? of_warp[lane] : 0, sum = warp_scan<WARPS>(mine);
    total = __shfl_sync(~0u, sum, WARPS - 1);
    return __shfl_sync(~0u, sum - mine, warp);
}

/* The sum of x over the threads before this one, and over all. Two barriers.
 *     x = 3 1 2 2   ->   0 3 4 6, total 8 */
template <int THREADS, class Number>
__device__ __forceinline__ Number block_scan(Number x, Number *of_warp, Number &total)
{
    const Number sum = warp_scan(x);
    if ((threadIdx.x & 31) == 31)
        of_warp[threadIdx.x >> 5] = sum;
    __syncthreads();
    const Number before = scan_warps<THREADS / 32>(of_warp, total);
    __syncthreads();
    return before + sum - x;
}

/* A number that looks random. */
__device__ __forceinline__ unsigned hash(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Which of 2^log successive items of an ordered tile goes into the sample: another one in each tile. */
__device__ __forceinline__ unsigned sampled_place(unsigned seed, unsigned tile, int log)
{
    return hash(tile ^ seed) & ((1u << log) - 1);
}

/* ---- segments ---------------------------------------------------------------------------------- */

/* The segments of a window or of a group while it is gathered: a bit where each begins, and what to add
 * to a place in the window to have its source.
 *     segments of 3, 0, 2 and 4 items   heads  1 0 0 1 0 1 0 0 0   three deltas */
struct segments {
    unsigned *heads, *deltas; /* in shared memory; heads cleared before */
    unsigned count, items;    /* so far */
};

/* Adds the threads' segments, in the order of the threads: `size` items from `source` on. Of all their
 * items those numbered begin .. begin + window - 1 are wanted. Two barriers, or three. */
template <int THREADS>
__device__ __forceinline__ void add_segments(segments &s, unsigned size, unsigned source,
                                             unsigned begin, unsigned window, uint64_t *of_warp)
{
    const unsigned lanes = __ballot_sync(~0u, size > 0);
    unsigned at = 0;
    if (lanes) /* the same for all lanes */
        at = warp_scan(size);
    if ((threadIdx.x & 31) == 31)
        of_warp[threadIdx.x >> 5] = (uint64_t)at | (uint64_t)__popc(lanes) << 32;
    __syncthreads();
    uint64_t all;
    const uint64_t before = scan_warps<THREADS / 32>(of_warp, all);
    at += s.items + (unsigned)before - size;
    if (s.items < begin) /* the first one that is wanted is to be number 0 */
        s.count -= __syncthreads_count(size > 0 && at + size <= begin);
    const unsigned low = max(at, begin), high = min(at + size, begin + window);
    if (low < high) {
        const unsigned place = low - begin,
                       number = s.count + (unsigned)(before >> 32) + __popc(lanes & lanes_below());
        s.deltas[number] = source + (low - at) - place;
        atomicOr(&s.heads[place >> 5], 1u << (place & 31));
    }
    s.items += (unsigned)all;
    s.count += (unsigned)(all >> 32);
    __syncthreads();
}

/* The number of segments that begin before word `word` of heads: by a whole warp. */
__device__ __forceinline__ unsigned segments_before(const unsigned *heads, int word)
{
    unsigned sum = 0;
    for (int x = threadIdx.x & 31; x < word; x += 32)
        sum += __popc(heads[x]);
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    return sum;
}

} // namespace bankscope
#endif
