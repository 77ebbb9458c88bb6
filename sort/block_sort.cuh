/* block_sort.cuh - sorted runs of U rows: registers, then lanes, then shared memory.
 *
 *     E items of a thread        a network                                  5 levels of merging (E = 32)
 *     2, 4, 8 lanes              shuffles and a bitonic network             3
 *     16, 32, ... U lanes        search, gather, bitonic network, store     6 (U = 512)
 *
 * Odd runs are written descending, as the merge of the next pass wants them (merge.cuh). The last
 * item of each row goes into `samples`, which the partition reads instead of the runs.
 */
#ifndef BANKSCOPE_SORT_BLOCK_SORT_CUH
#define BANKSCOPE_SORT_BLOCK_SORT_CUH

#include "sort/tile.cuh"

namespace bankscope
{

/* Shared memory of a block: padded or staged rows, whichever is larger. */
template <class Item> __host__ __device__ constexpr int tile_bytes(int rows)
{
    return rows *
           (padded_row_bytes<Item> > STAGED_ROW_BYTES ? padded_row_bytes<Item> : STAGED_ROW_BYTES);
}

/* And behind them the values of pairs. */
template <class Item> __host__ __device__ constexpr int sort_bytes(int rows)
{
    using placed = typename block_form<Item>::placed;
    return tile_bytes<placed>(rows) +
           (is_pair<Item> ? rows * row_items<Item> * (int)sizeof(Item) / 2 : 0);
}

/* A barrier for the 2^log_lanes threads that merge together. (Named barriers for those of a block
 * that are more than a warp were no faster, and compute-sanitizer does not follow them.) */
__device__ __forceinline__ void sync_group(int log_lanes)
{
    if (log_lanes <= 5)
        __syncwarp();
    else
        __syncthreads();
}

/* A tile of items lies at `begin`, one behind the other: thread t gets row t of them, each with its place
 * in the tile as its tag. Eight lanes, which are served together, read eight different parts of a row. */
template <class Item, int E>
__device__ __forceinline__ void load_tagged(tagged<Item> (&r)[E], int begin)
{
    constexpr int quad = quad_items<Item>;
#pragma unroll
    for (int k = 0; k < E / quad; k++) {
        const int at = threadIdx.x * (E / quad) + ((threadIdx.x + k) & (E / quad - 1));
        const int4 words = load_shared<int4>(begin + 16 * at);
        Item items[quad];
        memcpy(items, &words, 16);
#pragma unroll
        for (int i = 0; i < quad; i++)
            r[k * quad + i] = {items[i], (unsigned)(at * quad + i)};
    }
}

/* Sorts the rows of a block's U threads: thread t gets row t of the result. Padded rows of shared memory
 * lie at `begin`. Tagged items, whose tags are places in the tile, are sorted stably. */
template <class Order, int U, int SHUFFLES, int BALANCED, class Sorted, int E>
__device__ __forceinline__ void sort_rows(Sorted (&r)[E], int begin, int *first_of_warp)
{
    using Item = decltype(item_of(r[0]));
    using InNetwork = typename std::conditional<is_tagged<Sorted>, by_tag<Order>, Order>::type;
    const int thread = threadIdx.x;
    sort_registers<InNetwork, BALANCED>(r);
    if constexpr (SHUFFLES >= 1)
        merge_lanes<InNetwork, BALANCED, 2>(r, thread);
    if constexpr (SHUFFLES >= 2)
        merge_lanes<InNetwork, BALANCED, 4>(r, thread);
    if constexpr (SHUFFLES >= 3)
        merge_lanes<InNetwork, BALANCED, 8>(r, thread);
    if constexpr (SHUFFLES >= 4)
        merge_lanes<InNetwork, BALANCED, 16>(r, thread);

        /* Each level merges the rows of 2^log lanes (A) with those of the next 2^log (B). */
#pragma unroll 1
    for (int log = SHUFFLES; (1 << log) < U; log++) {
        const int half = 1 << log, l = thread & (2 * half - 1), group = thread - l;
        const bool in_b = l >= half;
        const int row =
            in_b ? group + 3 * half - 1 - l : thread; /* B's rows from the group's end */
        Item items[E];
#pragma unroll
        for (int i = 0; i < E; i++)
            items[i] = item_of(r[i]);
        sync_group(log); /* what is overwritten was read by these threads only */
        if (half < 32)
            store_row(begin, row, in_b, items);
        else if (in_b)
            store_row<true>(begin, row, items);
        else
            store_row<false>(begin, row, items);
        sync_group(log + 1);
        int a = search_rows<Order, Item>(begin, group, half, group + 2 * half, half, l, log);
        int behind = split_behind(a, thread, first_of_warp, log > 4, [&] { sync_group(log + 1); });
        if (l == 2 * half - 1)
            behind = half * E;
        gather(r, begin, gather_rows(E, group, group + 2 * half, l, a, behind - a));
        bitonic<InNetwork, BALANCED, false>(r);
    }
}

/* Run first_run and the following ones, a block each. SHUFFLES: levels by shuffles. Without out, the
 * tile is the only one and goes to the caller. */
template <class Key, class Item, class Order, int U, int BLOCKS, int SHUFFLES, int BALANCED>
__global__ void __launch_bounds__(U, resident_blocks(U, BLOCKS))
    block_sort(const __grid_constant__ caller_arrays<Key, Item> caller, Item *__restrict__ out,
               Item *__restrict__ samples, int first_run)
{
    constexpr int E = row_items<Item>, quad = caller_arrays<Key, Item>::quad;
    static_assert(U * padded_row_bytes<typename block_form<Item>::placed> / 4 < 1 << 15,
                  "gather() has 16 bits for a jump");
    extern __shared__ __align__(128) char tile[];
    __shared__ int first_of_warp[U / 32 + 1];
    const int begin = shared_address(tile), thread = threadIdx.x;
    const int number = first_run + (int)blockIdx.x, first = number * U * E;
    using placed = typename block_form<Item>::placed;
    constexpr bool TAGS = !std::is_same<Order, natural_order>::value;
    typename network_form<placed, Order>::item r[E];

    constexpr int value_offset = tile_bytes<placed>(U);
    const int values = begin + value_offset;
    if constexpr (is_pair<Item>) {
#pragma unroll
        for (int k = 0; k < E; k++)
            store_shared(values + (thread + k * U) * (int)sizeof(Key),
                         caller.value(first + thread + k * U));
    }

    const bool whole = caller.aligned_in() && first + U * E <= caller.n;
    if constexpr (TAGS) { /* equal items are to keep their order: by way of the tile */
#pragma unroll
        for (int k = 0; k < E / quad; k++) {
            placed some[quad];
            int4 words;
            caller.load_quad(first + (thread + k * U) * quad, whole, some);
            memcpy(&words, some, 16);
            store_shared(begin + 16 * (thread + k * U), words);
        }
        __syncthreads();
        load_tagged(r, begin);
        __syncthreads();
    } else { /* any thread may begin with any items: the sort decides where they go */
        if (whole) {
#pragma unroll
            for (int k = 0; k < E / quad; k++)
                caller.load_quad(first + (thread + k * U) * quad, true, r + k * quad);
        } else {
#pragma unroll
            for (int k = 0; k < E / quad; k++)
                caller.load_quad(first + (thread + k * U) * quad, false, r + k * quad);
        }
        caller.encode(r);
    }
    if constexpr (std::is_integral<Key>::value && !TAGS && !caller_arrays<Key, Item>::has_place) {
        if (caller.negative_zero_seen) {
            const Key zero = caller.code.encode(caller.negative_zero());
#pragma unroll
            for (int i = 0; i < E; i++)
                if (code_of<Key>(r[i]) == zero)
                    *caller.negative_zero_seen = 1;
        }
    }
    sort_rows<Order, U, SHUFFLES, BALANCED>(r, begin, first_of_warp);

    Item row[E];
#pragma unroll
    for (int i = 0; i < E; i++) {
        if constexpr (is_pair<Item>) { /* what pads the last tile has no place */
            const int place = min(place_of(r[i]) - (unsigned)first, U * E - 1u);
            row[i].key = code_of<Key>(r[i]);
            row[i].value = load_shared<Key>(values + place * (int)sizeof(Key));
        } else {
            row[i] = item_of(r[i]);
        }
    }

    __syncthreads();
    if (!out) {
        stage_row<false>(begin, thread, row);
        __syncthreads();
        staged_to_caller<U>(begin, U, first, caller, thread);
        return;
    }
    samples[(size_t)number * U + thread] = row[E - 1];
    if (number & 1)
        stage_row<true>(begin, U - 1 - thread, row);
    else
        stage_row<false>(begin, thread, row);
    __syncthreads();
    staged_to_scratch<U>(begin, U, out + first, thread);
}

} // namespace bankscope
#endif
