/* merge.cuh - one pass: groups of four or eight sorted runs become one run each.
 *
 *     runs in memory   A ascending, B descending, C ascending, D descending, ...
 *     bulk copies      a tile's windows of the runs, as they lie, into the linear tile
 *     level 1          threads merge A with B, C with D, ..., and store rows
 *     level 2          threads merge AB with CD, and EF with GH
 *     level 3          of eight runs: ABCD with EFGH; the tile goes to memory, 16 bytes a thread
 *
 * Runs in odd places lie descending, so that B and D arrive reversed as layout.h wants them, by a
 * plain copy; a pass writes its own odd runs descending, too. The windows of A and B add up to whole
 * rows (partition.cuh), so their ends are congruent modulo E in memory as in the tile, and a bulk
 * copy, which needs 16-byte alignment on both sides, can bring them without moving an item.
 *
 * Between the levels there are rows: the merges of even number from row 0 up, one behind the other,
 * those of odd number from row U - 1 down, reversed:
 *
 *     row 0     AB EF ->   ...   <- GH CD     row U - 1
 *
 * so that ABCD and EFGH have two windows each, and where a warp's threads are of both, the second
 * circle of banks goes on where the first one ends.
 *
 * The copies may fetch an extra row of each pair but one at each end of the tile. As many rows at the
 * beginning (the end) of the merge are then not the tile's and are dropped: tile_rows().
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

/* Copies the windows of the runs to the tile that begins at `begin`, and waits for them. */
template <int U, int WAYS, class Item>
__device__ __forceinline__ void bring_windows(int begin, const tile_copy<Item> (&copies)[WAYS])
{
    const int thread = threadIdx.x;
#if SORT_BULK_COPIES
    __shared__ __align__(8) unsigned long long barrier_word;
    const int barrier = shared_address(&barrier_word);
    if (thread == 0) {
        int bytes = 0;
#pragma unroll
        for (int k = 0; k < WAYS; k++)
            bytes += copies[k].bytes;
        barrier_init(barrier);
        barrier_expect(barrier, bytes);
#pragma unroll
        for (int k = 0; k < WAYS; k++)
            if (copies[k].bytes > 0)
                bulk_copy(begin + copies[k].to, copies[k].from, copies[k].bytes, barrier);
    }
    __syncthreads();
    barrier_wait(barrier);
#else
#pragma unroll
    for (int k = 0; k < WAYS; k++)
        for (int at = 16 * thread; at < copies[k].bytes; at += 16 * U)
            store_shared(begin + copies[k].to + at,
                         *(const int4 *)((const char *)copies[k].from + at));
    __syncthreads();
#endif
}

/* The rows that a tile's merge by so many threads leaves. */
__host__ __device__ constexpr int tile_rows(int threads, int ways)
{
    return threads - (ways - 2);
}

/* Tiles from number `first` on, counted over all groups, in order or in reverse. LAST: the result goes
 * to the caller. */
template <class Key, class Item, class Order, int WAYS, int U, int BLOCKS, int BALANCED, bool LAST>
__global__ void __launch_bounds__(U, resident_blocks(U, BLOCKS))
    merge_runs(const Item *__restrict__ in, Item *__restrict__ out, Item *__restrict__ samples,
               const tile_split<WAYS> *__restrict__ splits, pass_shape<WAYS> shape, int first,
               bool backwards, const __grid_constant__ caller_arrays<Key, Item> caller)
{
    constexpr int E = row_items<Item>, T = tile_rows(U, WAYS) * E, PAIRS = WAYS / 2;
    constexpr int LOG_REACH = U >= 512 ? 8 : U >= 256 ? 7 : U >= 128 ? 6 : 5; /* rows: U / 2 */
    static_assert(U * padded_row_bytes<Item> / 4 < 1 << 15, "gather() has 16 bits for a jump");
    extern __shared__ __align__(128) char tile[];
    __shared__ int first_of_warp[U / 32 + 1];
    const int begin = shared_address(tile), thread = threadIdx.x, lane = thread & 31;
    const int number = first + (int)(backwards ? gridDim.x - 1 - blockIdx.x : blockIdx.x);
    const int group = number / shape.tiles, i = number - group * shape.tiles;
    const int group_begin = shape.group_begin(group), group_length = shape.group_length(group);
    if ((long long)i * T >= group_length)
        return;
    const int rows = min(T, group_length - i * T) / E;

    const tile_split<WAYS> from = splits[(size_t)group * (shape.tiles + 1) + i];
    const tile_split<WAYS> to = splits[(size_t)group * (shape.tiles + 1) + i + 1];
    constexpr int quad = quad_items<Item>;
    tile_pair pairs[PAIRS];
    int skipped = i * T, reach = 0, at = 0;
#pragma unroll
    for (int p = 0; p < PAIRS; p++) {
        const auto &a_from = from.run[2 * p], &b_from = from.run[2 * p + 1];
        pairs[p].a_count = to.run[2 * p].up - a_from.down;
        pairs[p].b_count = to.run[2 * p + 1].up - b_from.down;
        pairs[p].a_begin = at + (a_from.down & (quad - 1));
        pairs[p].b_end = pairs[p].a_begin + pairs[p].a_count + pairs[p].b_count + E;
        at = (pairs[p].b_end + quad - 1 + E - 1) & ~(E - 1);
        skipped -= a_from.down + b_from.down;
        reach = max(reach, min(pairs[p].a_count, pairs[p].b_count));
    }
    skipped /= E; /* rows */

    { /* the windows of the runs */
        tile_copy<Item> copies[WAYS];
#pragma unroll
        for (int k = 0; k < WAYS; k++) {
            const tile_pair &pair = pairs[k / 2];
            const long long at = group_begin + (long long)k * shape.length;
            copies[k] = k & 1 ? copy_of(in + at, shape.run_length(at) - to.run[k].up, pair.b_count,
                                        pair.b_end - pair.b_count)
                              : copy_of(in + at, from.run[k].down, pair.a_count, pair.a_begin);
        }
        bring_windows<U>(begin, copies);
    }

    /* A merge has a row for each of its threads; the threads behind the last row repeat it. */
    using network = network_form<Item, Order>;
    typename network::item r[E];
    Item merged[E];
    auto sorted = [&] {
#pragma unroll
        for (int k = 0; k < E; k++)
            merged[k] = item_of(r[k]);
    };
    int rows_of[PAIRS], all_rows = 0;
#pragma unroll
    for (int p = 0; p < PAIRS; p++) {
        rows_of[p] = (pairs[p].a_count + pairs[p].b_count) / E;
        all_rows += rows_of[p]; /* <= U */
    }
    const bool have_row = thread < all_rows;
    const int row = min(thread, all_rows - 1);
    { /* level 1: in the linear tile */
        tile_pair pair = pairs[0];
        int l = row, count = rows_of[0];
#pragma unroll
        for (int p = 1, before = rows_of[0]; p < PAIRS; before += rows_of[p++])
            if (row >= before) {
                pair = pairs[p];
                l = row - before;
                count = rows_of[p];
            }
        int a = search_linear<Order, Item>(begin, pair.a_begin, pair.a_count, pair.b_end,
                                           pair.b_count, E * l, lane, reach);
        int behind = split_behind(a, thread, first_of_warp, true, [] { __syncthreads(); });
        if (l == count - 1)
            behind = pair.a_count;
        gather(r, begin, gather_linear(E, lane, pair.a_begin, pair.b_end, l, a, behind - a));
        bitonic<typename network::order, BALANCED, false>(r);
        sorted();
        __syncthreads();
    }
    const bool reversed = !LAST && (group & 1);
#pragma unroll
    for (int merges = PAIRS; merges > 1; merges /= 2) { /* the other levels: in rows */
        int up = 0, down = 0, before = 0; /* rows of the merges before m: even, odd, all */
        int to = 0;
        bool turned = false;
#pragma unroll
        for (int m = 0; m < merges; m++) {
            if (row >= before) {
                turned = m & 1;
                to = turned ? U - 1 - down - (row - before) : up + (row - before);
            }
            before += rows_of[m];
            (m & 1 ? down : up) += rows_of[m];
        }
        if (have_row && turned)
            store_row<true>(begin, to, merged);
        else if (have_row)
            store_row<false>(begin, to, merged);
        __syncthreads();

        int l = row, row_begin = 0, row_end = U, a_rows = rows_of[0], b_rows = rows_of[1];
        up = down = before = 0;
#pragma unroll
        for (int m = 0; m < merges / 2; m++) {
            if (m > 0 && row >= before) {
                l = row - before;
                row_begin = up;
                row_end = U - down;
                a_rows = rows_of[2 * m];
                b_rows = rows_of[2 * m + 1];
            }
            up += rows_of[2 * m];
            down += rows_of[2 * m + 1];
            before += rows_of[2 * m] + rows_of[2 * m + 1];
            rows_of[m] = rows_of[2 * m] + rows_of[2 * m + 1];
        }
        int a = search_rows<Order, Item>(begin, row_begin, a_rows, row_end, b_rows, l, LOG_REACH);
        int behind = split_behind(a, thread, first_of_warp, true, [] { __syncthreads(); });
        if (l == a_rows + b_rows - 1)
            behind = a_rows * E;
        gather(r, begin, gather_rows(E, row_begin, row_end, l, a, behind - a));
        if (merges == 2 && reversed)
            bitonic<typename network::order, BALANCED, true>(r);
        else
            bitonic<typename network::order, BALANCED, false>(r);
        sorted();
        __syncthreads();
    }

    const int kept = thread - skipped;
    const bool have = kept >= 0 && kept < rows;
    if (have)
        stage_row<false>(begin, reversed ? rows - 1 - kept : kept, merged);
    if constexpr (LAST) {
        __syncthreads();
        staged_to_caller<U>(begin, rows, group_begin + i * T, caller, thread);
    } else {
        if (have)
            samples[group_begin / E + i * (T / E) + kept] = reversed ? merged[0] : merged[E - 1];
        __syncthreads();
        const int at = reversed ? group_length - i * T - rows * E : i * T;
        staged_to_scratch<U>(begin, rows, out + group_begin + at, thread);
    }
}

} // namespace bankscope
#endif
