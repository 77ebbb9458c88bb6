/* finish_keys.cuh - how a group of keys alone, of 4 bytes, is sorted by bins (finish.cuh): nothing belongs to a key, so
 * all of them go to their bins, and then change places with their neighbours until they are in order.
 *
 *     keys     31  7 22 12 25  9 35 21      bin: key / 8
 *     by bin    7 | 12 9 | 22 21 | 31 25 | 35
 *     turn 1    7 | 9 12 | 21 22 | 25 31 | 35      of places 0 and 1, 2 and 3, ..., then of 1 and 2, 3 and 4, ...
 *
 * A warp has 128 successive keys in registers, four to a lane. As most bins have one key or two, two turns will mostly
 * do. A bin that two warps share is one thread's work.
 */
#ifndef BANKSCOPE_SORT_FINISH_KEYS_CUH
#define BANKSCOPE_SORT_FINISH_KEYS_CUH

#include "sort/distribution.cuh"

namespace bankscope
{

enum {
    FULL_BIN = 32, /* so many items of a bin are too many: a power of two */
    SPAN = 128     /* keys of a warp */
};

/* Whether a group is sorted so. Keys of 8 bytes take longer to change places. */
template <class Key, class Value>
constexpr bool sorts_keys = !has_values<Value> && sizeof(Key) == 4;

/* A group of up to 2^log_group items has 2^ bins, each with a counter of 32 bits, or else with one of 16. */
template <class Key, class Value> __host__ __device__ constexpr int log_bins_for(int log_group)
{
    return sorts_keys<Key, Value> ? log_group : log_group + 1;
}

/* Makes of the counts of the bins where they begin. Returns false if one has too many keys, and that matters. Three
 * barriers; all counts must be there. */
template <class Memory>
__device__ __forceinline__ bool begin_key_bins(Memory &memory, unsigned size, bool any_number)
{
    constexpr int QUADS = Memory::most / 4 / Memory::threads;
    uint4 *const mine = (uint4 *)memory.begin_of_keys + threadIdx.x * QUADS;
    uint4 count[QUADS];
    unsigned sum = 0, bits = 0, all;
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        count[q] = mine[q];
        sum += count[q].x + count[q].y + count[q].z + count[q].w;
        bits |= count[q].x | count[q].y | count[q].z | count[q].w;
    }
    if (__syncthreads_or(bits >= FULL_BIN && !any_number))
        return false;
    unsigned at = block_scan<Memory::threads>(sum, memory.of_warp, all);
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        const unsigned y = at + count[q].x, z = y + count[q].y, w = z + count[q].z;
        mine[q] = make_uint4(at, y, z, w);
        at = w + count[q].w;
    }
    if (threadIdx.x == 0)
        memory.begin_of_keys[Memory::most] = size;
    __syncthreads();
    return true;
}

/* The lesser one to a, the greater one to b. */
template <class Word> __device__ __forceinline__ void put_in_order(Word &a, Word &b)
{
    const Word least = min(a, b);
    b = max(a, b);
    a = least;
}

/* Puts a warp's words in order, four to a lane. */
template <class Word> __device__ __forceinline__ void sort_span(Word (&w)[4])
{
    const unsigned lane = threadIdx.x & 31;
    bool sorted;
    do {
#pragma unroll
        for (int turn = 0; turn < 2; turn++) {
            put_in_order(w[0], w[1]);
            put_in_order(w[2], w[3]);
            put_in_order(w[1], w[2]);
            const Word before = __shfl_up_sync(~0u, w[3], 1);
            const Word behind = __shfl_down_sync(~0u, w[0], 1);
            if (lane > 0)
                w[0] = max(w[0], before);
            if (lane < 31)
                w[3] = min(w[3], behind);
        }
        const Word behind = __shfl_down_sync(~0u, w[0], 1);
        sorted = w[0] <= w[1] && w[1] <= w[2] && w[2] <= w[3] && (lane == 31 || w[3] <= behind);
    } while (!__all_sync(~0u, sorted));
}

/* Puts in order the words of the bin that has words on both sides of `border`, if there is one. */
template <class Memory>
__device__ __forceinline__ void sort_across(Memory &memory, unsigned border, int shift)
{
    auto *const words = memory.by_bin;
    const unsigned bin = (unsigned)(words[border] >> shift);
    if ((unsigned)(words[border - 1] >> shift) != bin)
        return;
    const unsigned first = memory.begin_of_keys[bin], behind = memory.begin_of_keys[bin + 1];
    for (unsigned i = border; i < behind; i++) {
        const auto w = words[i];
        unsigned to = i;
        for (; to > first && w < words[to - 1]; to--)
            words[to] = words[to - 1];
        words[to] = w;
    }
}

/* Sorts words that are in order but within bins of less than FULL_BIN. Two barriers. */
template <class Memory>
__device__ __forceinline__ void sort_bins(Memory &memory, unsigned size, int shift)
{
    using word = typename std::remove_reference<decltype(memory.by_bin[0])>::type;
    static_assert(FULL_BIN < SPAN, "a bin has keys of two warps at most");
    word *const words = memory.by_bin;
#pragma unroll 1 /* registers */
    for (unsigned at = 4 * threadIdx.x; at - (4 * threadIdx.x & (SPAN - 1)) < size;
         at += 4 * Memory::threads) {
        word w[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            w[i] = at + i < size ? words[at + i] : (word) ~(word)0;
        sort_span(w);
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (at + i < size)
                words[at + i] = w[i];
    }
    __syncthreads();
    if (SPAN * (threadIdx.x + 1) < size)
        sort_across(memory, SPAN * (threadIdx.x + 1), shift);
    __syncthreads();
}

/* Sorts a group, and writes it. The counts are zero. Returns false if it cannot. */
template <class Key, class Memory>
__device__ __forceinline__ bool finish_keys_by_bins(const distribution<Key, none> &s,
                                                    Memory &memory, const group &g,
                                                    const items_at<Key, none> &items)
{
    using word = unsigned_of<Key>;
    constexpr int U = Memory::threads, E = Memory::items_of_thread;
    const word low = (word)g.low;
    const unsigned size = g.size, thread = threadIdx.x;
    const int shift = g.shift;
    unsigned number[E]; /* in the bin */
#pragma unroll
    for (int k = 0; k < E; k++)
        if (thread + k * U < size) {
            const word distance = (word)items.key(thread + k * U) - low;
            number[k] = atomicAdd(&memory.begin_of_keys[distance >> shift], 1u);
        }
    __syncthreads();
    const bool same = shift == 0; /* keys of a bin are equal */
    if (!begin_key_bins(memory, size, same))
        return false;
#pragma unroll
    for (int k = 0; k < E; k++)
        if (thread + k * U < size) { /* read once more: registers */
            const word distance = (word)items.key(thread + k * U) - low;
            memory.by_bin[memory.begin_of_keys[distance >> shift] + number[k]] = distance;
        }
    __syncthreads();
    if (!same)
        sort_bins(memory, size, shift);
    Key *const out = s.keys_out + g.out + thread;
#pragma unroll
    for (int k = 0; k < E; k++)
        if (thread + k * U < size)
            out[k * U] = s.code.decode((Key)(memory.by_bin[thread + k * U] + low));
    return true;
}

} // namespace bankscope
#endif
