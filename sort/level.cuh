/* level.cuh - a level: each block orders one tile by bucket (buckets.h has the picture).
 *
 * All lanes of a warp walk down the tree together, and the ballot of each comparison narrows the lanes that are still on
 * the same way, so that the search leaves each lane with the mask of its peers: of those below it, and those that earlier
 * items of the thread's warp left in the counters, it knows its rank. A counter has 16 bits, as a tile has fewer than 2^16
 * items, and two of them are scanned in a word.
 *
 * Of numbers alone, equal ones are one and the same, so no order needs to be kept: a number is counted by an atomic
 * addition to its bucket's counter, which is the block's, and that tells it its place.
 */
#ifndef BANKSCOPE_SORT_LEVEL_CUH
#define BANKSCOPE_SORT_LEVEL_CUH

#include "sort/distribution.cuh"
#include "sort/tile.cuh"

namespace bankscope
{

enum {
    TILE_WARPS = TILE_THREADS / 32,
    TOGETHER = 4 /* items of a thread that are searched at once */
};

/* A block's shared memory. While a window is gathered, its deltas lie where
 * items are staged later. */
template <class Key, class Value, int LOG> struct level_memory {
    item_storage<Key, Value, TILE> staged;
    unsigned counts[TILE_WARPS][1 << LOG >> 1]; /* two buckets each; then where they begin */
    threshold_of<Key> tree[1 << LOG];
    unsigned heads[TILE / 32];
    uint64_t of_warp[TILE_WARPS];
};

/* What a thread has of a value while its item is ranked: where it is, if values are apart. */
template <class Key, class Value>
using held_value = typename std::conditional<is_apart<Key, Value>, unsigned, Value>::type;

/* Blocks of a multiprocessor: 16 items of 8 bytes take some 80 registers. */
template <class Key, class Value>
constexpr int level_blocks = sizeof(keyed<Key, held_value<Key, Value>>) > 12    ? 2
                             : sizeof(keyed<Key, Value>) > 4 || !is_number<Key> ? 3
                                                                                : 4;

/* ---- search --------------------------------------------------------------------------------- */

/* The first if `mask` is -1, the second if it is 0. */
template <class Threshold>
__device__ __forceinline__ Threshold either(const Threshold &first, const Threshold &second,
                                            int mask)
{
    if constexpr (is_number<Threshold>)
        return (Threshold)(second ^ ((second ^ first) & (Threshold)mask));
    else
        return mask ? first : second;
}

/* The buckets of TOGETHER keys, and the lanes whose key is in the same one.
 *
 * `node` is less than the node by 2^level - 1, so that the mask that narrows
 * the peers also takes it to its child: 2 node + 1 for a greater one, 2 node
 * for a lesser. The first two levels are in registers. */
template <int LOG, class Key>
__device__ __forceinline__ void
search_tree(const Key (&key)[TOGETHER], const threshold_of<Key> *tree, unsigned (&bucket)[TOGETHER],
            unsigned (&peers)[TOGETHER])
{
    using threshold = threshold_of<Key>;
    const threshold root = tree[1], left = tree[2], right = tree[3];
    const int two =
        2 * (int)blockDim.z; /* not known to the compiler, which would not multiply (item.cuh) */
    int node[TOGETHER];
#pragma unroll
    for (int g = 0; g < TOGETHER; g++) {
        node[g] = 1;
        peers[g] = ~0u;
    }
#pragma unroll
    for (int level = 0; level < LOG; level++)
#pragma unroll
        for (int g = 0; g < TOGETHER; g++) {
            const threshold at = level == 0   ? root
                                 : level == 1 ? either(left, right, node[g] - 2)
                                              : tree[node[g] + ((1 << level) - 1)];
            unsigned lanes;
            const int down = ballot_less(key[g], at, lanes);
            peers[g] &= lanes ^ (unsigned)~down;
            node[g] = multiply_add(node[g], two, down);
        }
#pragma unroll
    for (int g = 0; g < TOGETHER; g++)
        bucket[g] = (unsigned)(node[g] - 1);
}

/* The same for numbers alone, which need no peers: a step is a load and two additions. `node` is the complement of the
 * node, so that the tree lies backwards, and a lesser key is to add 1 to 2 node; as thresholds and keys are moved to be
 * unsigned, that is the carry of threshold + ~key. */
template <int LOG, class Key>
__device__ __forceinline__ void search_numbers(const Key (&key)[TOGETHER],
                                               const unsigned_of<Key> *tree,
                                               unsigned (&bucket)[TOGETHER])
{
    using word = unsigned_of<Key>;
    constexpr int K = 1 << LOG;
    const word root = tree[K - 1 - 1], left = tree[K - 1 - 2], right = tree[K - 1 - 3];
    int node[TOGETHER];
    word not_key[TOGETHER];
#pragma unroll
    for (int g = 0; g < TOGETHER; g++) {
        node[g] = ~1;
        not_key[g] = (word)key[g] ^ (word)greatest_key<Key>;
    }
#pragma unroll
    for (int level = 0; level < LOG; level++)
#pragma unroll
        for (int g = 0; g < TOGETHER; g++) {
            const word at = level == 0   ? root
                            : level == 1 ? (node[g] & 1 ? left : right)
                                         : tree[node[g] + K];
            node[g] = double_and_carry(node[g], at, not_key[g]);
        }
#pragma unroll
    for (int g = 0; g < TOGETHER; g++)
        bucket[g] = (unsigned)(~node[g] - K);
}

/* ---- count ---------------------------------------------------------------------------------- */

/* The rank of an item among those of its warp in the same bucket, whose lanes
 * are `peers`: adds them to the warp's counts. By a whole warp. */
__device__ __forceinline__ unsigned count_item(unsigned short *counts, unsigned bucket,
                                               unsigned peers)
{
    const unsigned before = counts[bucket], below = __popc(peers & lanes_below());
    __syncwarp();
    if (below == 0)
        counts[bucket] = (unsigned short)(before + __popc(peers));
    __syncwarp();
    return before + below;
}

/* The sum of the warps' counts of two buckets, of 16 bits each. A warp has
 * `stride` words. */
template <int WARPS>
__device__ __forceinline__ unsigned sum_of_pair(const unsigned *counts, int stride, int pair)
{
    unsigned sum = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++)
        sum += counts[w * stride + pair];
    return sum;
}

/* Makes of them where each warp's items begin, if those of the two buckets
 * begin at `begin`. */
template <int WARPS>
__device__ __forceinline__ void begin_pair(unsigned *counts, int stride, int pair, unsigned begin)
{
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        const unsigned here = counts[w * stride + pair];
        counts[w * stride + pair] = begin;
        begin += here;
    }
}

/* Of each of the thread's items: rank << 16 | bucket. counts: this warp's. */
template <int LOG, class Key>
__device__ __forceinline__ void rank_items(const Key (&key)[TILE_ITEMS],
                                           const threshold_of<Key> *tree, unsigned short *counts,
                                           unsigned (&rank)[TILE_ITEMS])
{
#pragma unroll
    for (int k = 0; k < TILE_ITEMS; k += TOGETHER) {
        Key some[TOGETHER];
        unsigned bucket[TOGETHER], peers[TOGETHER];
#pragma unroll
        for (int g = 0; g < TOGETHER; g++)
            some[g] = key[k + g];
        search_tree<LOG>(some, tree, bucket, peers);
#pragma unroll
        for (int g = 0; g < TOGETHER; g++)
            rank[k + g] = count_item(counts, bucket[g], peers[g]) << 16 | bucket[g];
    }
}

/* ---- count numbers alone ------------------------------------------------------------------------ */

enum {
    MANY_ALIKE = 8 /* if more lanes have their neighbour's bucket, atomic additions would wait */
};

/* The number of an item in its bucket, for all lanes with the same bucket at once. By a whole warp. */
__device__ __forceinline__ unsigned number_alike(unsigned *counts, unsigned bucket)
{
    const unsigned peers = __match_any_sync(~0u, bucket), below = __popc(peers & lanes_below());
    unsigned before = 0;
    if (below == 0)
        before = atomicAdd(&counts[bucket], (unsigned)__popc(peers));
    return __shfl_sync(~0u, before, __ffs((int)peers) - 1) + below;
}

/* As rank_items(), where the order in a bucket is nobody's concern: rank is how many of any warp came before. counts:
 * the block's, a word for each bucket, and one for what is behind the `left` items that this lane and later ones have. */
template <int LOG, class Key>
__device__ __forceinline__ void number_items(const Key (&key)[TILE_ITEMS],
                                             const unsigned_of<Key> *tree, unsigned *counts,
                                             int left, unsigned (&rank)[TILE_ITEMS])
{
#pragma unroll
    for (int k = 0; k < TILE_ITEMS; k += TOGETHER) {
        Key some[TOGETHER];
        unsigned bucket[TOGETHER];
#pragma unroll
        for (int g = 0; g < TOGETHER; g++)
            some[g] = key[k + g];
        search_numbers<LOG>(some, tree, bucket);
#pragma unroll
        for (int g = 0; g < TOGETHER; g++)
            if (32 * (k + g) >= left)
                bucket[g] = 1 << LOG;
        const unsigned next = __shfl_down_sync(~0u, bucket[0], 1);
        if (__popc(__ballot_sync(~0u, next == bucket[0])) > MANY_ALIKE) {
#pragma unroll
            for (int g = 0; g < TOGETHER; g++)
                rank[k + g] = number_alike(counts, bucket[g]) << 16 | bucket[g];
        } else {
#pragma unroll
            for (int g = 0; g < TOGETHER; g++)
                rank[k + g] = atomicAdd(&counts[bucket[g]], 1u) << 16 | bucket[g];
        }
    }
}

/* Makes of the warps' counts where their items of each bucket begin in the
 * tile, and notes the buckets' beginnings and sums: of `count` items, without
 * those that pad the tile, which come last. */
template <int LOG, bool SECOND, class Key, class Value>
__device__ __forceinline__ void begin_buckets(const distribution<Key, Value> &s,
                                              level_memory<Key, Value, LOG> &memory, unsigned tile,
                                              unsigned parent, unsigned count)
{
    constexpr int K = 1 << LOG;
    static_assert(K / 2 <= TILE_THREADS, "a thread scans two buckets");
    const int pair = threadIdx.x;
    constexpr bool numbered = equals_are_one<Key, Value>; /* by number_items() */
    unsigned *const counts = memory.counts[0];
    unsigned all;
    uint2 two = {0, 0};
    if (pair < K / 2) {
        if (numbered) {
            two = ((const uint2 *)counts)[pair];
        } else {
            const unsigned both = sum_of_pair<TILE_WARPS>(counts, K / 2, pair);
            two = make_uint2(both & 0xffff, both >> 16);
        }
    }
    const unsigned even = two.x, odd = two.y;
    const unsigned first = block_scan<TILE_THREADS>(even + odd, (unsigned *)memory.of_warp, all);
    if (pair >= K / 2)
        return;
    const unsigned second = min(first + even, count), behind = min(first + even + odd, count);
    const unsigned begin = min(first, count);
    unsigned *totals;
    if (SECOND || s.log_buckets == 0) {
        unsigned short *const row = s.child_begins + (size_t)tile * (K + 2);
        *(unsigned *)(row + 2 * pair) = begin | second << 16;
        if (pair == 0)
            *(unsigned *)(row + K) = count;
        totals = s.child_totals + (size_t)parent * K;
    } else {
        unsigned short *const row = s.begins + (size_t)(2 * pair) * s.stride + tile;
        row[0] = (unsigned short)begin;
        row[s.stride] = (unsigned short)second;
        if (pair == K / 2 - 1)
            row[2 * s.stride] = (unsigned short)count;
        totals = s.totals + (size_t)(tile % COPIES) * K;
    }
    if (second > begin)
        atomicAdd(&totals[2 * pair], second - begin);
    if (behind > second)
        atomicAdd(&totals[2 * pair + 1], behind - second);

    if (numbered) {
        ((uint2 *)counts)[pair] = make_uint2(first, first + even);
        if (pair == 0)
            counts[K] = count;
    } else {
        begin_pair<TILE_WARPS>(counts, K / 2, pair, first | (first + even) << 16);
    }
}

/* ---- where a tile's items are ---------------------------------------------------------------- */

/* The window of a bucket that is tile number `tile` of level 2. */
struct bucket_window {
    unsigned parent, begin, count; /* items begin .. begin + count - 1 of the parent */
};

template <class Key, class Value>
__device__ __forceinline__ bucket_window window_of(const distribution<Key, Value> &s, unsigned tile)
{
    __shared__ unsigned found; /* one load for each thread, where a search takes nine in turn */
    for (int p = threadIdx.x; p < s.parents; p += TILE_THREADS)
        if (s.first_tile[p] <= tile && tile < s.first_tile[p + 1])
            found = p;
    __syncthreads();
    const unsigned parent = found, begin = (tile - s.first_tile[parent]) * TILE;
    return {parent, begin, min((unsigned)TILE, s.out[parent + 1] - s.out[parent] - begin)};
}

/* The segments of a window of a bucket: two tiles for each thread, until there
 * are enough. */
template <class Key, class Value>
__device__ __forceinline__ segments find_segments(const distribution<Key, Value> &s, unsigned tile,
                                                  const bucket_window &of, unsigned *heads,
                                                  unsigned *deltas, uint64_t *of_warp)
{
    const window from = s.windows[tile];
    const unsigned short *const row = s.begins + (size_t)of.parent * s.stride;
    const unsigned begin = of.begin - from.before;
    segments found = {heads, deltas, 0, 0};
    for (unsigned t0 = from.tile; t0 < s.tiles && found.items < begin + of.count;
         t0 += TILE_THREADS) {
        const unsigned t = t0 + threadIdx.x;
        unsigned first = 0, behind = 0;
        if (t < s.tiles) {
            first = row[t];
            behind = row[t + s.stride];
        }
        add_segments<TILE_THREADS>(found, behind - first, t * TILE + first, begin, of.count,
                                   of_warp);
    }
    return found;
}

/* ---- where they go to ------------------------------------------------------------------------- */

/* `count` elements of shared memory to memory, 16 bytes at a time: the last ones, too, if there is ROOM. If not, that is
 * the caller's array, and aligned to its elements alone. */
template <bool ROOM, class T>
__device__ __forceinline__ void write_tile(T *to, const T *staged, unsigned count)
{
    constexpr int quad = 16 / (int)sizeof(T);
    if (!ROOM && (count < TILE || (size_t)to % 16)) {
#pragma unroll 1
        for (unsigned at = threadIdx.x; at < count; at += TILE_THREADS)
            to[at] = staged[at];
        return;
    }
#pragma unroll
    for (int i = 0; i < TILE_ITEMS / quad; i++) {
        const unsigned at = threadIdx.x + i * TILE_THREADS;
        if (at * quad < count)
            ((int4 *)to)[at] = ((const int4 *)staged)[at];
    }
}

/* ---- the kernel ----------------------------------------------------------------------------- */

/* SECOND: the input is the segments of level 1, else the caller's arrays. */
template <class Key, class Value, int LOG, bool SECOND>
__global__ void __launch_bounds__(TILE_THREADS,
                                  resident_blocks(TILE_THREADS, level_blocks<Key, Value>))
    order_by_bucket(const __grid_constant__ distribution<Key, Value> s)
{
    constexpr int K = 1 << LOG, E = TILE_ITEMS;
    constexpr bool VALUES = has_values<Value>, NUMBERS = equals_are_one<Key, Value>;
    extern __shared__ __align__(128) char dynamic[];
    level_memory<Key, Value, LOG> &memory = *(level_memory<Key, Value, LOG> *)dynamic;
    const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    const unsigned tile = blockIdx.x;
    bucket_window mine = {0, tile * TILE, min((unsigned)TILE, s.n - tile * TILE)};
    bool equal = false;
    if constexpr (SECOND) {
        if (tile >= s.first_tile[s.parents])
            return;
        mine = window_of(s, tile);
        equal = s.equal[mine.parent];
    }
    if (NUMBERS && equal)
        return; /* the last kernel writes them, without reading any */

    constexpr int counters = NUMBERS ? K + 1 : TILE_WARPS * K / 2;
    for (int i = thread; i < counters; i += TILE_THREADS)
        memory.counts[0][i] = 0;
    if (!equal) {
        const threshold_of<Key> *const from =
            SECOND || s.log_buckets == 0 ? s.child_tree + (size_t)mine.parent * K : s.tree;
        for (int i = thread; i < K; i += TILE_THREADS)
            if constexpr (NUMBERS)
                memory.tree[K - 1 - i] = from[i] ^ least_key<Key>; /* for search_numbers() */
            else
                memory.tree[i] = from[i];
    }

    /* A warp has 32 E successive items, a lane every 32nd of them. */
    const unsigned place = warp * (32 * E) + lane;
    Key key[E];
    using held = held_value<Key, Value>;
    held value[E];
#pragma unroll
    for (int k = 0; k < E; k++) { /* what pads the last tile comes last of all */
        key[k] = padding(s);
        value[k] = held(0);
    }
    if constexpr (SECOND) {
        for (int i = thread; i < TILE / 32; i += TILE_THREADS)
            memory.heads[i] = 0;
        __syncthreads();
        unsigned *const deltas = (unsigned *)&memory.staged;
        find_segments(s, tile, mine, memory.heads, deltas, memory.of_warp);
        __syncthreads();
        unsigned before = segments_before(memory.heads, warp * E) - 1;
        auto segment_of = [&](int k) { /* of item number k, in turn */
                                       const unsigned word = memory.heads[warp * E + k];
                                       const unsigned segment =
                                           before + __popc(word & (2 * lanes_below() + 1));
                                       before += __popc(word);
                                       return segment;
        };
        if constexpr (is_apart<Key, Value>)
            if (equal) { /* in order already: their values go on, as child 0 */
                Value *const values =
                    s.two.values + bucket_base(s.out[mine.parent], mine.parent) + mine.begin;
#pragma unroll 4
                for (int k = 0; k < E; k++) {
                    const unsigned segment = segment_of(k), at = place + 32 * k;
                    if (at < mine.count)
                        values[at] = s.one.values[deltas[segment] + at];
                }
                if (thread == 0) /* where child 0 begins and ends */
                    *(unsigned *)(s.child_begins + (size_t)tile * (K + 2)) = mine.count << 16;
                return;
            }
#pragma unroll
        for (int k = 0; k < E; k++) {
            const unsigned segment = segment_of(k);
            if (place + 32 * k < mine.count) {
                const unsigned source = deltas[segment] + place + 32 * k;
                if constexpr (is_apart<Key, Value>) {
                    key[k] = s.one.key(source);
                    value[k] = source;
                } else {
                    const keyed<Key, Value> item = s.one.get(source);
                    key[k] = item.key;
                    value[k] = value_of(item);
                }
            }
        }
        if constexpr (!is_apart<Key, Value>)
            if (equal) { /* likewise: all of a thread's items are under way together */
                const unsigned base = bucket_base(s.out[mine.parent], mine.parent) + mine.begin;
#pragma unroll
                for (int k = 0; k < E; k++) {
                    const unsigned at = place + 32 * k;
                    if (at >= mine.count)
                        continue;
                    if constexpr (borrows_output<Key, Value>) /* others' items are still there */
                        s.two.put(base + at, make_keyed(key[k], value[k]));
                    else
                        put_item(s, s.out[mine.parent] + mine.begin + at, key[k], value[k]);
                }
                if (borrows_output<Key, Value> && thread == 0)
                    *(unsigned *)(s.child_begins + (size_t)tile * (K + 2)) = mine.count << 16;
                return;
            }
    } else {
        const Key *const from = s.keys_in + mine.begin + place;
        if (mine.count == TILE) {
#pragma unroll
            for (int k = 0; k < E; k++)
                key[k] = from[32 * k];
        } else {
#pragma unroll
            for (int k = 0; k < E; k++)
                key[k] = place + 32 * k < mine.count ? from[32 * k] : s.code.decode(key[k]);
        }
        if (!s.code.none()) {
#pragma unroll
            for (int k = 0; k < E; k++)
                key[k] = s.code.encode(key[k]);
        }
        if constexpr (is_number<Key>) {
            if (s.negative_zero_seen) {
                const Key zero = s.code.encode(least_key<Key>); /* the sign bit alone */
#pragma unroll
                for (int k = 0; k < E; k++)
                    if (key[k] == zero && place + 32 * k < mine.count)
                        *s.negative_zero_seen = 1;
            }
        }
    }
    __syncthreads();

    unsigned short *const counts = (unsigned short *)memory.counts[warp];
    unsigned rank[E];
    if constexpr (NUMBERS)
        number_items<LOG>(key, (const unsigned_of<Key> *)memory.tree, memory.counts[0],
                          (int)(mine.count - place), rank);
    else
        rank_items<LOG>(key, memory.tree, counts, rank);
    if constexpr (!SECOND && is_apart<Key, Value>) {
#pragma unroll
        for (int k = 0; k < E; k++)
            value[k] = min(mine.begin + place + 32 * k, s.n - 1);
    } else if constexpr (!SECOND && VALUES) { /* only now: registers */
        const Value *const from = s.values_in + mine.begin + place;
        if (mine.count == TILE) {
#pragma unroll
            for (int k = 0; k < E; k++)
                value[k] = from[32 * k];
        } else {
#pragma unroll
            for (int k = 0; k < E; k++)
                if (place + 32 * k < mine.count)
                    value[k] = from[32 * k];
        }
    }
    __syncthreads();
    begin_buckets<LOG, SECOND>(s, memory, tile, mine.parent, mine.count);
    __syncthreads();
    constexpr bool room = SECOND || !borrows_output<Key, Value>;
    const items_at<Key, Value> staged = memory.staged.at();
    const items_at<Key, Value> to =
        SECOND ? s.two.from(bucket_base(s.out[mine.parent], mine.parent) + mine.begin)
               : s.one.from((size_t)tile * TILE);
    if constexpr (is_apart<Key, Value>) { /* only now are the values loaded: registers */
        const Value *const from = SECOND ? s.one.values : s.values_in;
#pragma unroll
        for (int k = 0; k < E; k++) {
            rank[k] = counts[rank[k] & 0xffff] + (rank[k] >> 16);
            staged.keys[rank[k]] = key[k];
        }
#pragma unroll
        for (int k = 0; k < E; k += E / 2) {
            Value some[E / 2];
#pragma unroll
            for (int i = 0; i < E / 2; i++) {
                compute_here(value[k + i]);
                some[i] = from[value[k + i]];
            }
#pragma unroll
            for (int i = 0; i < E / 2; i++)
                staged.values[rank[k + i]] = some[i];
        }
        __syncthreads();
        write_tile<room>(to.keys, staged.keys, mine.count);
        write_tile<room>(to.values, staged.values, mine.count);
    } else {
#pragma unroll
        for (int k = 0; k < E; k++) {
            const unsigned bucket = rank[k] & 0xffff;
            const unsigned begin = NUMBERS ? memory.counts[0][bucket] : counts[bucket];
            staged.put(begin + (rank[k] >> 16), make_keyed(key[k], value[k]));
        }
        __syncthreads();
        write_tile<room>(to.items, staged.items, mine.count);
    }
    if (!SECOND && s.log_buckets > 0) {
        const unsigned samples = TILE >> s.log_sampled,
                       first = sampled_place(s.count->seed, tile, s.log_sampled);
        for (unsigned i = thread; i < samples; i += TILE_THREADS)
            s.samples[tile * samples + i] = staged.key((i << s.log_sampled) + first);
    }
}

} // namespace bankscope
#endif
