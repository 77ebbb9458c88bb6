/* merge.cuh - one pass: groups of four sorted runs become one run each.
 *
 *     runs in memory   A ascending, B descending, C ascending, D descending
 *     bulk copies      a tile's windows of the four, as they lie, into the linear tile
 *     level 1          threads merge A with B, and C with D, and store rows
 *     level 2          threads merge AB with CD; the tile goes to memory, 16 bytes a thread
 *
 * Runs in odd places lie descending, so that B and D arrive reversed as layout.h wants them, by a
 * plain copy; a pass writes its own odd runs descending, too. The windows of A and B add up to whole
 * rows (partition.cuh), so their ends are congruent modulo E in memory as in the tile, and a bulk
 * copy, which needs 16-byte alignment on both sides, can bring them without moving an item.
 *
 * The copies may fetch one extra row at each end of the tile. The first two (last two) items of the
 * merge are then in its first (last) row, which is dropped: hence T = (U - 2) E.
 */
#ifndef BANKSCOPE_SORT_MERGE_CUH
#define BANKSCOPE_SORT_MERGE_CUH

#include "sort/block_sort.cuh"
#include "sort/partition.cuh"

namespace bankscope
{

/* Where a pair of runs lies in the linear tile, in items, and in the rows of level 1. */
struct tile_pair {
    int a_begin, a_count, b_end, b_count;
};

/* A copy of whole 16-byte pieces from global memory into the tile: in bytes. */
template <class Item> struct tile_copy {
    const Item *from;
    int to, bytes;
};

/* Items first .. first + count - 1 of a run, rounded out to 16 bytes, to address `to`, which is
 * congruent to first. */
template <class Item>
__device__ __forceinline__ tile_copy<Item> copy_of(const Item *items, int first, int count, int to)
{
    constexpr int quad = quad_items<Item>;
    const int from = first & ~(quad - 1);
    const int behind = (first + count + quad - 1) & ~(quad - 1);
    return {items + from, (to & ~(quad - 1)) * (int)sizeof(Item),
            count > 0 ? (behind - from) * (int)sizeof(Item) : 0};
}

/* Tiles from number `first` on, counted over all groups, in order or in reverse: what the pass before wrote last is still in the L2
 * cache, so every other pass begins at the end. LAST: the result goes to the caller. */
template <class Key, class Item, class Order, int U, int BLOCKS, int BALANCED, bool LAST>
__global__ void __launch_bounds__(U, resident_blocks(U, BLOCKS))
    merge_runs(const Item *__restrict__ in, Item *__restrict__ out, Item *__restrict__ samples,
               const tile_split *__restrict__ splits, pass_shape shape, int first, bool backwards,
               const __grid_constant__ caller_arrays<Key, Item> caller)
{
    constexpr int E = row_items<Item>, T = (U - 2) * E;
    constexpr int LOG_REACH = U >= 512 ? 8 : U >= 256 ? 7 : U >= 128 ? 6 : 5; /* rows: U / 2 */
    extern __shared__ __align__(128) char tile[];
    __shared__ int first_of_warp[U / 32 + 1];
    const int begin = shared_address(tile), thread = threadIdx.x, lane = thread & 31;
    const int number = first + (int)(backwards ? gridDim.x - 1 - blockIdx.x : blockIdx.x);
    const int group = number / shape.tiles, i = number - group * shape.tiles;
    const int group_begin = shape.group_begin(group), group_length = shape.group_length(group);
    if ((long long)i * T >= group_length)
        return;
    const int rows = min(T, group_length - i * T) / E;

    const tile_split from = splits[(size_t)group * (shape.tiles + 1) + i];
    const tile_split to = splits[(size_t)group * (shape.tiles + 1) + i + 1];
    tile_pair ab, cd;
    ab.a_count = to.a_up - from.a_down;
    ab.b_count = to.b_up - from.b_down;
    cd.a_count = to.c_up - from.c_down;
    cd.b_count = to.d_up - from.d_down;
    constexpr int quad = quad_items<Item>;
    ab.a_begin = from.a_down & (quad - 1);
    ab.b_end = ab.a_begin + ab.a_count + ab.b_count + E;
    cd.a_begin = ((ab.b_end + quad - 1 + E - 1) & ~(E - 1)) + (from.c_down & (quad - 1));
    cd.b_end = cd.a_begin + cd.a_count + cd.b_count + E;
    const int skipped = from.a_down + from.b_down != from.a_up + from.b_up;

    { /* the four windows */
        const Item *a = in + group_begin, *b = a + shape.length, *c = b + shape.length,
                   *d = c + shape.length;
        const long long b_at = group_begin + (long long)shape.length;
        const int b_length = shape.run_length(b_at);
        const int d_length = shape.run_length(b_at + 2ll * shape.length);
        const tile_copy<Item> copies[4] = {
            copy_of(a, from.a_down, ab.a_count, ab.a_begin),
            copy_of(b, b_length - to.b_up, ab.b_count, ab.b_end - ab.b_count),
            copy_of(c, from.c_down, cd.a_count, cd.a_begin),
            copy_of(d, d_length - to.d_up, cd.b_count, cd.b_end - cd.b_count)};
#if SORT_BULK_COPIES
        __shared__ __align__(8) unsigned long long barrier_word;
        const int barrier = shared_address(&barrier_word);
        if (thread == 0) {
            barrier_init(barrier);
            barrier_expect(barrier,
                           copies[0].bytes + copies[1].bytes + copies[2].bytes + copies[3].bytes);
#pragma unroll
            for (int k = 0; k < 4; k++)
                if (copies[k].bytes > 0)
                    bulk_copy(begin + copies[k].to, copies[k].from, copies[k].bytes, barrier);
        }
        __syncthreads();
        barrier_wait(barrier);
#else
#pragma unroll
        for (int k = 0; k < 4; k++)
            for (int at = 16 * thread; at < copies[k].bytes; at += 16 * U)
                store_shared(begin + copies[k].to + at,
                             *(const int4 *)((const char *)copies[k].from + at));
        __syncthreads();
#endif
    }

    const int ab_rows = (ab.a_count + ab.b_count) / E, cd_rows = (cd.a_count + cd.b_count) / E;
    const int all_rows = ab_rows + cd_rows; /* <= U */
    using network = network_form<Item, Order>;
    typename network::item r[E];
    Item merged[E];
    auto sorted = [&] {
#pragma unroll
        for (int k = 0; k < E; k++)
            merged[k] = item_of(r[k]);
    };
    { /* level 1: a row a thread; those without a row repeat the last */
        const int row = min(thread, all_rows - 1);
        const bool in_cd = row >= ab_rows;
        const int l = in_cd ? row - ab_rows : row;
        const tile_pair pair = in_cd ? cd : ab;
        const int reach = max(min(ab.a_count, ab.b_count), min(cd.a_count, cd.b_count));
        int a = search_linear<Order, Item>(begin, pair.a_begin, pair.a_count, pair.b_end,
                                           pair.b_count, E * l, lane, reach);
        int behind = split_behind(a, thread, first_of_warp, true, [] { __syncthreads(); });
        if (thread == ab_rows - 1 || thread >= all_rows - 1)
            behind = pair.a_count;
        gather(r, begin, gather_linear(E, lane, pair.a_begin, pair.b_end, l, a, behind - a));
        bitonic<typename network::order, BALANCED, false>(r);
        sorted();
        __syncthreads();
        if (thread < ab_rows)
            store_row<false>(begin, thread, merged);
        else if (thread < all_rows)
            store_row<true>(begin, U - 1 - l, merged);
    }
    __syncthreads();
    { /* level 2 */
        const int l = min(thread, all_rows - 1);
        int a = search_rows<Order, Item>(begin, 0, ab_rows, U, cd_rows, l, LOG_REACH);
        int behind = split_behind(a, thread, first_of_warp, true, [] { __syncthreads(); });
        if (thread >= all_rows - 1)
            behind = ab_rows * E;
        gather(r, begin, gather_rows(E, 0, U, l, a, behind - a));
    }
    const bool reversed = !LAST && (group & 1);
    if (reversed)
        bitonic<typename network::order, BALANCED, true>(r);
    else
        bitonic<typename network::order, BALANCED, false>(r);
    sorted();
    __syncthreads();

    const int row = thread - skipped;
    const bool have = row >= 0 && row < rows;
    if (have)
        stage_row<false>(begin, reversed ? rows - 1 - row : row, merged);
    if constexpr (LAST) {
        __syncthreads();
        staged_to_caller<U>(begin, rows, group_begin + i * T, caller, thread);
    } else {
        if (have)
            samples[group_begin / E + i * (T / E) + row] = reversed ? merged[0] : merged[E - 1];
        __syncthreads();
        const int at = reversed ? group_length - i * T - rows * E : i * T;
        staged_to_scratch<U>(begin, rows, out + group_begin + at, thread);
    }
}

} // namespace bankscope
#endif
