/* rest.cuh - groups that finish.cuh cannot sort: those with a bin that is too full are sorted by a
 * network, as block_sort.cuh does it; those that are too large for that, which a sample allows once in a
 * thousand sorts or so, in pieces, and then across their borders.
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

/* Reads items of the output. */
template <class Key, class Value>
__device__ __forceinline__ void take_output(const distribution<Key, Value> &s, const group &g,
                                            const items_at<Key, Value> &items)
{
    for (unsigned i = threadIdx.x; i < g.size; i += blockDim.x) {
        const Key key = s.code.encode(s.keys_out[g.out + i]);
        if constexpr (has_values<Value>)
            items.put(i, make_keyed(key, s.values_out[g.out + i]));
        else
            items.put(i, make_keyed(key, none()));
    }
}

/* Items g.skip .. g.skip + g.size - 1 of the children, at most REST of them, in order, to the output; or again
 * those that are there. */
template <class Key, class Value>
__device__ __forceinline__ void sort_piece(const distribution<Key, Value> &s, const group &g,
                                           rest_memory<Key, Value> &memory, int *first_of_warp,
                                           bool again)
{
    using item_type = rest_item<Key, Value>;
    constexpr int U = rest_threads<Key, Value>, E = row_items<item_type>;
    const items_at<Key, Value> items = memory.items.at();
    if (again) {
        take_output(s, g, items);
    } else {
        fetch_group<U>(s, g, items, (piece *)memory.rows, memory.of_warp);
        wait_for_copies();
    }
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
            put_item(s, g.out + i, items.key(place_of(item)), items.value(place_of(item)));
        else
            put_item(s, g.out + i, item, none());
    }
    __syncthreads();
}

/* Sorts a group of any size: sort_piece(piece, again) sorts up to REST items of the group, or again of the output. First
 * each piece, and then, in turn, what lies across the borders of pieces and each piece again, half a piece at a time, until
 * the last half could have come to the front. */
template <class SortPiece>
__device__ __forceinline__ void sort_pieces(const group &g, SortPiece sort_piece)
{
    const unsigned half = REST / 2, halves = (g.size + half - 1) / half;
    for (unsigned turn = 0; turn == 0 || (turn < halves && halves > 2); turn++)
        for (unsigned done = turn % 2 * half; done < g.size; done += REST) {
            group piece = g;
            piece.skip = g.skip + done;
            piece.size = min(g.size - done, (unsigned)REST);
            piece.out = g.out + done;
            if (turn == 0 || piece.size > half)
                sort_piece(piece, turn > 0);
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
        sort_pieces(s.groups[LIST_REST][number], [&](const group &piece, bool again) {
            sort_piece(s, piece, memory, first_of_warp, again);
        });
}

} // namespace bankscope
#endif
