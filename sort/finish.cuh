/* finish.cuh - the last kernel: each group is gathered from its segments, sorted, and written.
 *
 * A group has some thousand items, and twice as many bins in shared memory: the bin of a key is
 * (key - low) >> shift, so that keys of later bins are greater. An atomic add gives an item a number in its
 * bin, a scan says where bins begin, and each item goes to its bin. There it compares itself with the few
 * others, key first and then place, and so knows where it belongs:
 *
 *     keys     31  7 22 12 25  9 35 21      bin: key / 8
 *     bins      3  0  2  1  3  1  4  2
 *     by bin    7 | 12 9 | 22 21 | 31 25 | 35
 *     output    7    9 12  21 22   25 31   35
 *
 * What is compared is one word: the bits of the key below the bin's, and the place. If a bin has too many
 * items for that, the group goes to rest.cuh. If a group can have 256 different keys at most, each is a
 * bucket, and the group is ordered by bucket as a tile is (buckets.h).
 *
 * While a group is sorted, the items of the next one are on their way to the other buffer.
 */
#ifndef BANKSCOPE_SORT_FINISH_CUH
#define BANKSCOPE_SORT_FINISH_CUH

#include "sort/finish_keys.cuh"
#include "sort/level.cuh"

namespace bankscope
{

enum {
    LOOK = 3,       /* items of a bin that are compared before there is a loop */
    LOG_VALUES = 8, /* a group has so many bits of keys, or bins */
};

/* Items of a group that lie together: `size` of them from `source` on are its items place, place + 1, ... */
struct alignas(16) piece {
    unsigned place, source, size, unused;
};

/* A block's shared memory. LOG: a group has up to 2^LOG items. */
template <class Key, class Value, int LOG, int BUFFERS, int U> struct finish_memory {
    static constexpr int most = 1 << LOG, bins = 2 * most, log = LOG, threads = U,
                         items_of_thread = most / U;
    item_storage<Key, Value, most> items[BUFFERS];
    union {
        unsigned_of<Key> by_bin[most + 4]; /* words */
        piece pieces[U];                   /* before that */
    };
    union {
        unsigned short begin[bins + 8];   /* of a bin: first a count, then where it begins */
        unsigned begin_of_keys[most + 4]; /* the same for finish_keys.cuh, which has half as many */
        unsigned counts[U / 32][1 << LOG_VALUES >> 1];
    };
    Key least[U / 32], greatest[U / 32];
    unsigned of_warp[U / 32];
    group queue[2]; /* this one, the next one */
};

/* Copies an item, and goes on before it is there. with_key: else only its value, where that is apart. */
template <class Key, class Value>
__device__ __forceinline__ void copy_item(const items_at<Key, Value> &to,
                                          const items_at<Key, Value> &from, bool with_key)
{
    if constexpr (is_apart<Key, Value>) {
        if (with_key)
            copy_async(to.keys, from.keys);
        copy_async(to.values, from.values);
    } else {
        copy_async(to.items, from.items);
    }
}

/* Sends for the items of a group, a warp for each piece: of equal keys, only for values that are apart. pieces: U of
 * them. Three barriers or more. */
template <int U, class Key, class Value>
__device__ __forceinline__ void fetch_group(const distribution<Key, Value> &s, const group &g,
                                            const items_at<Key, Value> &items, piece *pieces,
                                            unsigned *of_warp)
{
    const items_at<Key, Value> from = s.log_buckets ? s.two : s.one;
    const unsigned children = 1u << s.log_children, lane = threadIdx.x & 31;
    const unsigned begin = g.skip, end = g.skip + g.size, behind_tile = g.behind_tile;
    const bool with_keys = g.kind != GROUP_OF_EQUALS;
    unsigned seen = 0;
    for (unsigned t0 = g.tile; t0 < behind_tile && seen < end; t0 += U) {
        const unsigned t = t0 + threadIdx.x;
        unsigned first = 0, count = 0, all;
        if (t < behind_tile) {
            const unsigned short *const row = s.child_begins + (size_t)t * (children + 2);
            first = row[g.first];
            count = row[g.behind] - first;
        }
        const unsigned at = seen + block_scan<U>(count, of_warp, all);
        const unsigned low = max(at, begin), high = min(at + count, end);
        pieces[threadIdx.x] = {low - begin, g.base + (t - g.tile) * TILE + first + (low - at),
                               low < high ? high - low : 0, 0};
        seen += all;
        __syncthreads();
        const unsigned tiles = min(behind_tile - t0, (unsigned)U);
        for (unsigned p = threadIdx.x / 32; p < tiles; p += U / 32) {
            const piece one = pieces[p];
            items_at<Key, Value> to = items.from(one.place + lane);
            items_at<Key, Value> at = from.from(one.source + lane);
#pragma unroll 1 /* a piece has some 60 items */
            for (int left = (int)(one.size - lane); left > 0; left -= 32) {
                copy_item(to, at, with_keys);
                to = to.from(32);
                at = at.from(32);
            }
        }
        __syncthreads();
    }
}

/* ---- by bins ----------------------------------------------------------------------------------- */

/* The word that stands for an item in its bin: pairs have their place in it, so that all are different. */
template <class Key, class Value, int LOG>
__device__ __forceinline__ unsigned_of<Key> word_of(unsigned_of<Key> distance, unsigned place)
{
    if constexpr (has_values<Value>)
        return distance << LOG | place; /* what that shifts out is the bin's */
    else
        return distance;
}

/* Makes of the counts of the bins where they begin, two bins to a word. Returns false if one has too many
 * items, and that matters. Three barriers; all counts must be there. */
template <class Memory>
__device__ __forceinline__ bool begin_bins(Memory &memory, unsigned size, bool any_number)
{
    constexpr int PIECES = Memory::bins / 8 / Memory::threads; /* of 8 bins, 16 bytes */
    static_assert(PIECES * 8 * Memory::threads == Memory::bins, "bins for each thread");
    uint4 *const mine = (uint4 *)memory.begin + threadIdx.x * PIECES;
    unsigned count[PIECES][4], sum = 0, bits = 0, all;
#pragma unroll
    for (int p = 0; p < PIECES; p++) {
        const uint4 eight = mine[p];
        memcpy(count[p], &eight, 16);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            sum = add_halves(count[p][i], sum);
            bits |= count[p][i];
        }
    }
    constexpr unsigned full = (0xffffu & ~(FULL_BIN - 1u)) * 0x10001u;
    if (__syncthreads_or((bits & full) && !any_number))
        return false;
    unsigned at = block_scan<Memory::threads>(sum, memory.of_warp, all);
#pragma unroll
    for (int p = 0; p < PIECES; p++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const unsigned two = count[p][i];
            count[p][i] = at * 0x10001u + (two << 16);
            at = add_halves(two, at);
        }
        uint4 eight;
        memcpy(&eight, count[p], 16);
        mine[p] = eight;
    }
    if (threadIdx.x == 0)
        memory.begin[Memory::bins] = (unsigned short)size;
    if (threadIdx.x < LOOK)
        memory.by_bin[size + threadIdx.x] = 0; /* is looked at, and does not count */
    __syncthreads();
    return true;
}

/* How many of the words first .. behind - 1 come before word number i, w. Without values words may be
 * equal, and any order of them does. */
template <bool VALUES, class Word>
__device__ __forceinline__ unsigned words_before(const Word *words, unsigned first, unsigned behind,
                                                 unsigned i, Word w)
{
    unsigned before = 0;
#pragma unroll
    for (int d = 0; d < LOOK; d++) {
        const Word other = words[first + d];
        const bool less = other < w || (!VALUES && other == w && first + d < i);
        before += less & (first + d < behind);
    }
#pragma unroll 1
    for (unsigned j = first + LOOK; j < behind; j++) {
        const Word other = words[j];
        before += other < w || (!VALUES && other == w && j < i);
    }
    return before;
}

/* Returns false if it cannot. */
template <class Key, class Value, class Memory>
__device__ __forceinline__ bool finish_by_bins(const distribution<Key, Value> &s, Memory &memory,
                                               const group &g, const items_at<Key, Value> &items)
{
    using word = unsigned_of<Key>;
    constexpr int U = Memory::threads, E = Memory::items_of_thread, LOG = Memory::log;
    constexpr bool VALUES = has_values<Value>;
    const unsigned size = g.size;
    const word low = (word)g.low;
    const int shift = g.shift;
    word distance[E];
    unsigned number[E]; /* in the bin */
#pragma unroll
    for (int k = 0; k < E; k++) {
        const unsigned i = threadIdx.x + k * U;
        if (k * U >= size)
            break;
        if (i < size) {
            distance[k] = (word)items.key(i) - low;
            const unsigned bin = (unsigned)(distance[k] >> shift), half = bin << 4 & 16;
            const unsigned old = atomicAdd((unsigned *)memory.begin + bin / 2, 1u << half);
            number[k] = old >> half & 0xffff;
        }
    }
    __syncthreads();
    const bool same = !VALUES && shift == 0; /* keys of a bin are equal: nothing to compare */
    if (!begin_bins(memory, size, same))
        return false;
#pragma unroll
    for (int k = 0; k < E; k++) {
        const unsigned i = threadIdx.x + k * U;
        if (k * U >= size)
            break;
        if (i < size) {
            const unsigned bin = (unsigned)(distance[k] >> shift);
            memory.by_bin[memory.begin[bin] + number[k]] = word_of<Key, Value, LOG>(distance[k], i);
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < E; k++) {
        const unsigned i = threadIdx.x + k * U;
        if (k * U >= size)
            break;
        if (i < size) {
            const word w = memory.by_bin[i];
            keyed<Key, Value> item;
            if constexpr (VALUES)
                item = items.get((unsigned)w & ((1 << LOG) - 1));
            else
                item.key = (Key)(w + low);
            unsigned to = i;
            if (!same) {
                const unsigned bin = (unsigned)(((word)item.key - low) >> shift);
                const unsigned first = memory.begin[bin], behind = memory.begin[bin + 1];
                to = first + words_before<VALUES>(memory.by_bin, first, behind, i, w);
            }
            put_item(s, g.out + to, item.key, value_of(item));
        }
    }
    return true;
}

/* ---- by value ---------------------------------------------------------------------------------- */

template <class Key, class Value, class Memory>
__device__ __forceinline__ void finish_by_value(const distribution<Key, Value> &s, Memory &memory,
                                                const group &g, const items_at<Key, Value> &items)
{
    constexpr int U = Memory::threads, E = Memory::items_of_thread, WARPS = U / 32;
    constexpr int PAIRS = 1 << LOG_VALUES >> 1;
    const int warp = threadIdx.x >> 5;
    unsigned short *const counts = (unsigned short *)memory.counts[warp];
    const unsigned place = warp * (32 * E) + (threadIdx.x & 31);
    const unsigned_of<Key> low = (unsigned_of<Key>)g.low;
    unsigned rank[E]; /* rank << 16 | value */
#pragma unroll
    for (int k = 0; k < E; k++) {
        const unsigned i = place + 32 * k;
        unsigned value = (1u << g.shift) - 1, peers = ~0u; /* what is behind the last comes last */
        if (i < g.size)
            value = (unsigned)((unsigned_of<Key>)items.key(i) - low);
        for (int b = 0; b < g.shift; b++) {
            const unsigned bit = value >> b & 1;
            peers &= __ballot_sync(~0u, bit) ^ (bit - 1);
        }
        rank[k] = count_item(counts, value, peers) << 16 | value;
    }
    __syncthreads();
    unsigned both = 0, all;
    if (threadIdx.x < PAIRS)
        both = sum_of_pair<WARPS>(memory.counts[0], PAIRS, threadIdx.x);
    const unsigned even = both & 0xffff, odd = both >> 16;
    const unsigned begin = block_scan<U>(even + odd, memory.of_warp, all);
    if (threadIdx.x < PAIRS)
        begin_pair<WARPS>(memory.counts[0], PAIRS, threadIdx.x, begin | (begin + even) << 16);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < E; k++)
        memory.by_bin[counts[rank[k] & 0xffff] + (rank[k] >> 16)] = place + 32 * k;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < E; k++) {
        const unsigned i = threadIdx.x + k * U;
        if (i < g.size) {
            const keyed<Key, Value> item = items.get((unsigned)memory.by_bin[i]);
            put_item(s, g.out + i, item.key, value_of(item));
        }
    }
}

/* ---- the kernel -------------------------------------------------------------------------------- */

/* Sorts a group that lies in `items`, and writes it. The counts are zero. Returns false if it cannot. */
template <class Key, class Value, class Memory>
__device__ __forceinline__ bool finish_group(const distribution<Key, Value> &s, Memory &memory,
                                             const group &g, const items_at<Key, Value> &items)
{
    if (g.kind == GROUP_BY_BINS) {
        if constexpr (sorts_keys<Key, Value>)
            return finish_keys_by_bins(s, memory, g, items);
        else
            return finish_by_bins(s, memory, g, items);
    }
    if (g.kind == GROUP_BY_VALUE) {
        if constexpr (has_values<Value>)
            finish_by_value(s, memory, g, items);
        return true;
    }
    for (unsigned i = threadIdx.x; i < g.size; i += Memory::threads) {
        if constexpr (has_values<Value>)
            put_item(s, g.out + i, (Key)g.low, items.value(i));
        else
            put_item(s, g.out + i, (Key)g.low, none());
    }
    return true;
}

/* How a group is sorted whose keys lie between low and low + range. */
template <class Key, class Value>
__device__ __forceinline__ void set_keys(group &g, Key low, unsigned_of<Key> range, int log_bins)
{
    const int bits = range ? 64 - __clzll((long long)range) : 0;
    g.low = (uint64_t)(unsigned_of<Key>)low;
    g.kind = range == 0                                ? GROUP_OF_EQUALS
             : has_values<Value> && bits <= LOG_VALUES ? GROUP_BY_VALUE
                                                       : GROUP_BY_BINS;
    g.shift = (unsigned char)(g.kind == GROUP_BY_VALUE ? bits : max(0, bits - log_bins));
}

/* Looks what the keys of a group are, where what they could be has filled a bin: the first bucket of all
 * begins with the least key that there is. Clears the counts. Returns whether it pays to try again. */
template <class Key, class Value, class Memory>
__device__ __forceinline__ bool measure_group(Memory &memory, group &g,
                                              const items_at<Key, Value> &items)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int kind = g.kind, shift = g.shift;
    Key least = greatest_key<Key>, greatest = least_key<Key>;
    for (unsigned i = threadIdx.x; i < g.size; i += Memory::threads) {
        least = min(least, items.key(i));
        greatest = max(greatest, items.key(i));
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        least = min(least, __shfl_xor_sync(~0u, least, d));
        greatest = max(greatest, __shfl_xor_sync(~0u, greatest, d));
    }
    if (lane == 0) {
        memory.least[warp] = least;
        memory.greatest[warp] = greatest;
    }
    __syncthreads();
    for (int w = 0; w < Memory::threads / 32; w++) {
        least = min(least, memory.least[w]);
        greatest = max(greatest, memory.greatest[w]);
    }
    for (int i = threadIdx.x; i < Memory::bins / 8; i += Memory::threads)
        ((uint4 *)memory.begin)[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    set_keys<Key, Value>(g, least, (unsigned_of<Key>)greatest - (unsigned_of<Key>)least,
                         log_bins_for<Key, Value>(Memory::log));
    return g.kind != kind || g.shift < shift;
}

/* Groups blockIdx.x, blockIdx.x + gridDim.x, ... */
template <class Key, class Value, int LOG, int BUFFERS, int U, int BLOCKS>
__global__ void __launch_bounds__(U, resident_blocks(U, BLOCKS))
    finish_groups(const __grid_constant__ distribution<Key, Value> s)
{
    using memory_type = finish_memory<Key, Value, LOG, BUFFERS, U>;
    extern __shared__ __align__(128) char dynamic[];
    memory_type &memory = *(memory_type *)dynamic;
    const group *const list = s.groups[LIST_FINISH];
    const unsigned groups = s.count->groups[LIST_FINISH];
    /* Sends for the description of a group. */
    auto send_for_group = [&](unsigned number, int to) {
        const int4 *const from = (const int4 *)(list + number);
        if (number < groups && threadIdx.x < sizeof(group) / 16)
            copy_async((int4 *)&memory.queue[to] + threadIdx.x, from + threadIdx.x);
    };
    /* Sends for the items of a group, unless bins have failed three times in a row: then it is only put on the list
     * of the rest, but for one in eight. Returns whether it sent. */
    int failed = 0;
    auto fetch = [&](int turn) {
        const group &g = memory.queue[turn & 1];
        if (g.kind == GROUP_BY_BINS && failed > 2 && turn % 8)
            return false;
        if (has_values<Value> || g.kind != GROUP_OF_EQUALS) /* else there is nothing to read */
            fetch_group<U>(s, g, memory.items[turn % BUFFERS].at(), memory.pieces, memory.of_warp);
        return true;
    };
    auto sort = [&](group &g, const items_at<Key, Value> &items) {
        for (bool again = false; !finish_group(s, memory, g, items); again = true)
            if (again || !measure_group<Key, Value>(memory, g, items))
                return false;
        return true;
    };

    unsigned number = blockIdx.x;
    if (number >= groups)
        return;
    send_for_group(number, 0);
    wait_for_copies();
    __syncthreads();
    bool fetched = false, next_fetched = BUFFERS == 2 && fetch(0);
    send_for_group(number + gridDim.x, 1);
    for (int turn = 0; number < groups; number += gridDim.x, turn++) {
        fetched = BUFFERS == 1 ? fetch(turn) : next_fetched;
        wait_for_copies();
        group g = memory.queue[turn & 1];
        for (int i = threadIdx.x; i < memory_type::bins / 8; i += U)
            ((uint4 *)memory.begin)[i] = make_uint4(0, 0, 0, 0);
        __syncthreads();
        if (BUFFERS == 2 && number + gridDim.x < groups)
            next_fetched = fetch(turn + 1);
        send_for_group(number + 2 * gridDim.x, turn & 1);
        if (fetched && sort(g, memory.items[turn % BUFFERS].at())) {
            failed = 0;
        } else {
            failed += fetched;
            if (threadIdx.x == 0)
                s.groups[LIST_REST][atomicAdd(&s.count->groups[LIST_REST], 1u)] = list[number];
        }
        __syncthreads();
    }
}

} // namespace bankscope
#endif
