/* order.cuh - groups of items in an order of the user's that split.cuh does not sort: those of 16 bytes, and what
 * does not fit. Nothing but comparisons is known of their keys, so a group is sorted stably by the network of
 * block_sort.cuh, in pieces if it is too large for that (rest.cuh).
 *
 * As many blocks as fit on a multiprocessor hide from each other that they wait for their items: tile and rows
 * have the same memory.
 */
#ifndef BANKSCOPE_SORT_ORDER_CUH
#define BANKSCOPE_SORT_ORDER_CUH

#include "sort/rest.cuh"

namespace bankscope
{

/* A block's shared memory. */
template <class Key> struct order_memory {
    static constexpr int threads = REST / row_items<Key>;
    char tile[tile_bytes<Key>(threads)]; /* items as they come, then rows */
    piece pieces[threads];
    unsigned of_warp[threads / 32];
};

/* Blocks of a multiprocessor, as registers and shared memory allow: of 128, 256 and 512 threads. */
template <class Key> constexpr int order_blocks = sizeof(Key) == 4 ? 4 : sizeof(Key) == 8 ? 3 : 2;

/* Fetches up to REST items of a group, or again of the output, and puts them in order. */
template <class Key>
__device__ __forceinline__ void order_piece(const distribution<Key, none> &s, const group &g,
                                            order_memory<Key> &memory, int *first_of_warp,
                                            bool again)
{
    constexpr int U = order_memory<Key>::threads, E = row_items<Key>;
    const int begin = shared_address(memory.tile), thread = threadIdx.x;
    keyed<Key, none> *const items = (keyed<Key, none> *)memory.tile;
    if (again) {
        take_output(s, g, items_at<Key, none>{items});
    } else {
        fetch_group<U>(s, g, items_at<Key, none>{items}, memory.pieces, memory.of_warp);
        wait_for_copies();
    }
    __syncthreads();
    if (g.kind == GROUP_OF_EQUALS) {
        for (unsigned i = thread; i < g.size; i += U)
            put_item(s, g.out + i, items[i].key, none());
        __syncthreads();
        return;
    }
    for (unsigned i = g.size + thread; i < REST; i += U)
        items[i].key = s.last;
    __syncthreads();
    tagged<Key> r[E];
    load_tagged(r, begin);
    __syncthreads();
    sort_rows<order_of_items, U, row_sort<Key>::shuffles, 0>(r, begin, first_of_warp);
    Key row[E];
#pragma unroll
    for (int i = 0; i < E; i++)
        row[i] = r[i].item;
    __syncthreads();
    stage_row<false>(begin, thread, row);
    __syncthreads();
    for (unsigned i = thread; i < g.size; i += U)
        put_item(s, g.out + i,
                 load_shared<Key>(begin + (int)(i / E) * STAGED_ROW_BYTES +
                                  (int)(i % E) * (int)sizeof(Key)),
                 none());
    __syncthreads();
}

/* The groups of a list. */
template <class Key>
__global__ void __launch_bounds__(order_memory<Key>::threads,
                                  resident_blocks(order_memory<Key>::threads, order_blocks<Key>))
    finish_by_order(const __grid_constant__ distribution<Key, none> s, int list)
{
    extern __shared__ __align__(128) char dynamic[];
    __shared__ int first_of_warp[order_memory<Key>::threads / 32 + 1];
    order_memory<Key> &memory = *(order_memory<Key> *)dynamic;
    const unsigned groups = s.count->groups[list];
    for (unsigned number = blockIdx.x; number < groups; number += gridDim.x)
        sort_pieces(s.groups[list][number], [&](const group &piece, bool again) {
            order_piece(s, piece, memory, first_of_warp, again);
        });
}

} // namespace bankscope
#endif
