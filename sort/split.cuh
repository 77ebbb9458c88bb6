/* split.cuh - the last kernel for items in an order of the user's: a group is ordered by bucket once more, by
 * splitters from itself, and each item then compares itself with those in its bucket.
 *
 *     group      31  7 22 12 25  9 35 21      sample 9 22 31
 *     staged      7 | 12 9 21 | 22 25 | 31 35     by bucket, and stable
 *     output      7    9 12 21   22 25   31 35
 *
 * One of 16 items is a splitter. Each thread of a block has one of them, and finds its place by comparing it with
 * all. As in thresholds.cuh, splitters that are equal have a bucket for the items equal to them, which is in order
 * already. Where chance makes another bucket too large to compare all with all, order.cuh sorts the group.
 */
#ifndef BANKSCOPE_SORT_SPLIT_CUH
#define BANKSCOPE_SORT_SPLIT_CUH

#include "sort/order.cuh"

namespace bankscope
{

#ifndef SORT_MOST_COMPARED
#define SORT_MOST_COMPARED 256 /* items of a bucket */
#endif
enum {
    LOG_SPLITTERS = 8,
    SPLITTERS = 1 << LOG_SPLITTERS,
    IN_ORDER = 0x8000 /* a bucket's beginning: its items are equal */
};
static_assert(SPLITTERS == int(TILE_THREADS), "each thread has a splitter");

/* Whether items are sorted so: those of 16 bytes take longer than by the network. */
template <class Key> constexpr bool splits = sizeof(Key) <= 8;

/* A block's shared memory. */
template <class Key> struct split_memory {
    keyed<Key, none> items[TILE]; /* as they come, then by bucket */
    union {
        piece pieces[TILE_THREADS]; /* first */
        struct {
            Key sample[SPLITTERS], sorted[SPLITTERS];
        };
        unsigned char bucket[TILE]; /* of each item, last */
    };
    unsigned counts[TILE_WARPS][SPLITTERS / 2];
    threshold_of<Key> tree[SPLITTERS], bounds[SPLITTERS];
    unsigned short begin[SPLITTERS + 1]; /* of a bucket */
    unsigned of_warp[TILE_WARPS];
};

/* Makes thresholds of SPLITTERS of the group's items. Three barriers. */
template <class Key>
__device__ __forceinline__ void find_splitters(split_memory<Key> &memory, unsigned size,
                                               unsigned seed)
{
    const unsigned thread = threadIdx.x, own = thread & ~31u;
    const unsigned at = (thread * 256 + (hash(thread ^ seed) & 255)) * size >> 16;
    const Key mine = memory.items[at].key;
    memory.sample[thread] = mine;
    __syncthreads();
    unsigned before = 0;
#pragma unroll 4
    for (unsigned j = 0; j < own; j++)
        before += !(mine < memory.sample[j]);
#pragma unroll 4
    for (unsigned j = own; j < own + 32; j++)
        before += j < thread ? !(mine < memory.sample[j]) : memory.sample[j] < mine;
#pragma unroll 4
    for (unsigned j = own + 32; j < SPLITTERS; j++)
        before += memory.sample[j] < mine;
    memory.sorted[before] = mine;
    __syncthreads();
    write_thresholds<TILE_THREADS, Key>([&](int i) { return memory.sorted[i]; }, memory.bounds,
                                        memory.tree, LOG_SPLITTERS);
    __syncthreads();
}

/* Makes of the warps' counts where their items of each bucket begin, and notes where the bucket does. Returns
 * false if one is too large. Three barriers. */
template <class Key>
__device__ __forceinline__ bool begin_splitters(split_memory<Key> &memory, unsigned size)
{
    constexpr int PAIRS = SPLITTERS / 2;
    const int pair = threadIdx.x;
    unsigned both = 0, all;
    if (pair < PAIRS)
        both = sum_of_pair<TILE_WARPS>(memory.counts[0], PAIRS, pair);
    const unsigned even = both & 0xffff, odd = both >> 16;
    const unsigned first = block_scan<TILE_THREADS>(even + odd, memory.of_warp, all);
    bool too_large = false;
    if (pair < PAIRS) {
        const bool even_equal = has_one_key(memory.bounds, SPLITTERS, 2 * pair);
        const bool odd_equal = has_one_key(memory.bounds, SPLITTERS, 2 * pair + 1);
        const unsigned second = min(first + even, size), behind = min(first + even + odd, size);
        const unsigned begin = min(first, size);
        too_large = (second - begin > SORT_MOST_COMPARED && !even_equal) ||
                    (behind - second > SORT_MOST_COMPARED && !odd_equal);
        memory.begin[2 * pair] = (unsigned short)(begin | (even_equal ? IN_ORDER : 0));
        memory.begin[2 * pair + 1] = (unsigned short)(second | (odd_equal ? IN_ORDER : 0));
        if (pair == PAIRS - 1)
            memory.begin[SPLITTERS] = (unsigned short)size;
        begin_pair<TILE_WARPS>(memory.counts[0], PAIRS, pair, first | (first + even) << 16);
    }
    return !__syncthreads_or(too_large);
}

/* Where item number i of those staged belongs: behind those of its bucket that are less, or equal and before. */
template <class Key>
__device__ __forceinline__ unsigned place_in_bucket(const split_memory<Key> &memory, unsigned i,
                                                    const Key &item)
{
    const unsigned bucket = memory.bucket[i], begin = memory.begin[bucket];
    if (begin & IN_ORDER)
        return i;
    const unsigned behind = memory.begin[bucket + 1] & (IN_ORDER - 1);
    unsigned to = begin;
    for (unsigned j = begin; j < i; j++)
        to += !(item < memory.items[j].key);
    for (unsigned j = i + 1; j < behind; j++)
        to += memory.items[j].key < item;
    return to;
}

/* Sorts a group that lies in shared memory, and writes it. Returns false if it cannot. */
template <class Key>
__device__ __forceinline__ bool split_group(const distribution<Key, none> &s,
                                            split_memory<Key> &memory, const group &g)
{
    constexpr int E = TILE_ITEMS, U = TILE_THREADS;
    const unsigned thread = threadIdx.x, warp = thread / 32;
    const unsigned place = warp * (32 * E) + (thread & 31);
    for (int i = thread; i < TILE_WARPS * SPLITTERS / 2; i += U)
        memory.counts[0][i] = 0;
    find_splitters(memory, g.size, s.count->seed ^ g.out);
    Key key[E];
#pragma unroll
    for (int k = 0; k < E; k++) {
        key[k] = s.last; /* what pads the group comes last of all */
        if (place + 32 * k < g.size)
            key[k] = memory.items[place + 32 * k].key;
    }
    unsigned short *const counts = (unsigned short *)memory.counts[warp];
    unsigned rank[E];
    rank_items<LOG_SPLITTERS>(key, memory.tree, counts, rank);
    __syncthreads();
    if (!begin_splitters(memory, g.size))
        return false;
#pragma unroll
    for (int k = 0; k < E; k++) {
        const unsigned bucket = rank[k] & 0xffff, to = counts[bucket] + (rank[k] >> 16);
        memory.items[to] = make_keyed(key[k], none());
        memory.bucket[to] = (unsigned char)bucket;
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned i = thread; i < g.size; i += U) {
        const Key item = memory.items[i].key;
        put_item(s, g.out + place_in_bucket(memory, i, item), item, none());
    }
    return true;
}

/* The groups to finish; those that cannot be split so go to the list of the rest. */
template <class Key>
__global__ void __launch_bounds__(TILE_THREADS,
                                  resident_blocks(TILE_THREADS, level_blocks<Key, none>))
    finish_by_splitters(const __grid_constant__ distribution<Key, none> s)
{
    extern __shared__ __align__(128) char dynamic[];
    split_memory<Key> &memory = *(split_memory<Key> *)dynamic;
    const unsigned groups = s.count->groups[LIST_FINISH];
    for (unsigned number = blockIdx.x; number < groups; number += gridDim.x) {
        const group g = s.groups[LIST_FINISH][number];
        fetch_group<TILE_THREADS>(s, g, items_at<Key, none>{memory.items}, memory.pieces,
                                  memory.of_warp);
        wait_for_copies();
        __syncthreads();
        if (g.kind == GROUP_OF_EQUALS) {
            for (unsigned i = threadIdx.x; i < g.size; i += TILE_THREADS)
                put_item(s, g.out + i, memory.items[i].key, none());
        } else if (!split_group(s, memory, g) && threadIdx.x == 0) {
            s.groups[LIST_REST][atomicAdd(&s.count->groups[LIST_REST], 1u)] = g;
        }
        __syncthreads();
    }
}

} // namespace bankscope
#endif
