/* rest.cuh - groups that finish.cuh cannot sort: those with a bin that is too full are sorted by a
 * network, as block_sort.cuh does it; those that are too large for that, which a sample allows once in a
 * thousand sorts or so, in pieces, which then are merged.
 *
 * A block works on a group alone, so that a group may have any number of items: it takes longer, no more.
 */
#ifndef BANKSCOPE_SORT_REST_CUH
#define BANKSCOPE_SORT_REST_CUH

#include "sort/finish.cuh"
#include "sort/thresholds.cuh"

namespace bankscope
{

enum { REST = 4096 /* items that are sorted at a time */ };

/* What is sorted: key and place, or a key alone. */
template <class Key, class Value>
using rest_item = typename std::conditional<
    !has_values<Value>, Key,
    typename std::conditional<sizeof(Key) == 4, long long, wide_item>::type>::type;
template <class Key, class Value>
constexpr int rest_threads = REST / row_items<rest_item<Key, Value>>;

template <class Key, class Value> struct rest_memory {
    static constexpr int threads = rest_threads<Key, Value>;
    char rows[tile_bytes<rest_item<Key, Value>>(threads)]; /* and before that, pieces */
    item_storage<Key, Value, REST> items;
    unsigned of_warp[threads / 32];
};

/* Blocks of a multiprocessor: as many as there is shared memory for. */
template <class Key, class Value>
constexpr int rest_blocks = 200 * 1024 / (int)sizeof(rest_memory<Key, Value>) < 6
                                ? 200 * 1024 / (int)sizeof(rest_memory<Key, Value>)
                                : 6;

/* Where the items of a group are between two merges: in the output, or in the level's memory that is
 * free by then. */
template <class Key, class Value> struct rest_place {
    const distribution<Key, Value> &s;
    items_at<Key, Value> free;
    bool in_output;
    __device__ __forceinline__ keyed<Key, Value> get(unsigned i) const
    {
        if (!in_output)
            return free.get(i);
        if constexpr (has_values<Value>)
            return make_keyed(s.code.encode(s.keys_out[i]), s.values_out[i]);
        else
            return make_keyed(s.code.encode(s.keys_out[i]), none());
    }
    __device__ __forceinline__ void put(unsigned i, const keyed<Key, Value> &item) const
    {
        if (in_output)
            put_item(s, i, item.key, value_of(item));
        else
            free.put(i, item);
    }
};

/* Items g.skip .. g.skip + g.size - 1 of the children, at most REST of them, in order, to `to`. */
template <class Key, class Value>
__device__ __forceinline__ void sort_piece(const distribution<Key, Value> &s, const group &g,
                                           rest_memory<Key, Value> &memory, int *first_of_warp,
                                           const rest_place<Key, Value> &to)
{
    using item_type = rest_item<Key, Value>;
    constexpr int U = rest_threads<Key, Value>, E = row_items<item_type>;
    const items_at<Key, Value> items = memory.items.at();
    fetch_group<U>(s, g, items, (piece *)memory.rows, memory.of_warp);
    wait_for_copies();
    __syncthreads();
    const Key greatest = greatest_key<Key>;
    item_type r[E];
#pragma unroll
    for (int k = 0; k < E; k++) {
        const unsigned i = threadIdx.x + k * U;
        make_item(r[k], greatest, ~0u);
        if (i < g.size)
            make_item(r[k], items.key(i), i);
    }
    const int begin = shared_address(memory.rows);
    sort_rows<natural_order, U, row_sort<item_type>::shuffles, row_sort<item_type>::balanced>(
        r, begin, first_of_warp);
    __syncthreads();
    stage_row<false>(begin, threadIdx.x, r);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < g.size; i += U) {
        const item_type item = load_shared<item_type>(begin + (int)(i / E) * STAGED_ROW_BYTES +
                                                      (int)(i % E) * (int)sizeof(item_type));
        if constexpr (has_values<Value>)
            to.put(g.out + i, items.get(place_of(item)));
        else
            to.put(g.out + i, make_keyed(item, none()));
    }
    __syncthreads();
}

/* Merges runs of `length` of the `size` items from `out` on, two by two: each item looks for its place in
 * the other run, behind equal ones if that run is the earlier one. */
template <class Key, class Value>
__device__ __forceinline__ void merge_pieces(const rest_place<Key, Value> &from,
                                             const rest_place<Key, Value> &to, unsigned out,
                                             unsigned size, unsigned length)
{
    for (unsigned i = threadIdx.x; i < size; i += blockDim.x) {
        const unsigned pair = i / length & ~1u, a = pair * length;
        const unsigned b = min(a + length, size), end = min(b + length, size);
        const bool in_b = i >= b;
        const keyed<Key, Value> item = from.get(out + i);
        unsigned low = in_b ? a : b, high = in_b ? b : end;
        const unsigned first = low;
        while (low < high) {
            const unsigned middle = low + (high - low) / 2;
            const Key other = from.get(out + middle).key;
            if (in_b ? !(item.key < other) : other < item.key)
                low = middle + 1;
            else
                high = middle;
        }
        to.put(out + a + (i - (in_b ? b : a)) + (low - first), item);
    }
    __syncthreads();
}

/* Sorts a group of any size: sort_piece(piece, where it goes) sorts up to REST items. */
template <class Key, class Value, class SortPiece>
__device__ __forceinline__ void sort_pieces(const distribution<Key, Value> &s, const group &g,
                                            SortPiece sort_piece)
{
    const items_at<Key, Value> free = s.log_buckets ? s.one : s.two;
    int merges = 0;
    while ((uint64_t)REST << merges < g.size)
        merges++;
    for (unsigned done = 0; done < g.size; done += REST) {
        group piece = g;
        piece.skip = g.skip + done;
        piece.size = min(g.size - done, (unsigned)REST);
        piece.out = g.out + done;
        sort_piece(piece, rest_place<Key, Value>{s, free, merges % 2 == 0});
    }
    for (int m = 0; m < merges; m++) {
        const bool in_output = (merges - m) % 2 == 0;
        merge_pieces(rest_place<Key, Value>{s, free, in_output},
                     rest_place<Key, Value>{s, free, !in_output}, g.out, g.size, REST << m);
    }
}

template <class Key, class Value>
__global__ void __launch_bounds__(rest_threads<Key, Value>,
                                  resident_blocks(rest_threads<Key, Value>,
                                                  rest_blocks<Key, Value>))
    finish_rest(const __grid_constant__ distribution<Key, Value> s)
{
    extern __shared__ __align__(128) char dynamic[];
    __shared__ int first_of_warp[rest_threads<Key, Value> / 32 + 1];
    rest_memory<Key, Value> &memory = *(rest_memory<Key, Value> *)dynamic;
    const unsigned groups = s.count->groups[LIST_REST];
    for (unsigned number = blockIdx.x; number < groups; number += gridDim.x)
        sort_pieces(s, s.groups[LIST_REST][number],
                    [&](const group &piece, const rest_place<Key, Value> &to) {
                        sort_piece(s, piece, memory, first_of_warp, to);
                    });
}

} // namespace bankscope
#endif
