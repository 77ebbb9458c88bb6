/* tile.cuh - a merge in shared memory: searches for where each thread begins, gathers, stores of
 * rows. Addresses are bytes in the shared window; `begin` is the tile's. layout.h says where items
 * lie and why only the searches can have bank conflicts. */
#ifndef BANKSCOPE_SORT_TILE_CUH
#define BANKSCOPE_SORT_TILE_CUH

#include "sort/layout.h"
#include "sort/network.cuh"

namespace bankscope
{

/* The blocks of `threads` threads, `wanted` or fewer, that a multiprocessor has room for. */
constexpr int resident_blocks(int threads, int wanted)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    const int most = 1024 / threads;
#elif defined(__CUDA_ARCH__) &&                                                                    \
    ((__CUDA_ARCH__ >= 860 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1100)
    const int most = 1536 / threads;
#else
    const int most = 2048 / threads;
#endif
    return wanted < most ? wanted : most;
}

template <class Item> constexpr int padded_row_bytes = (row_items<Item> + 1) * (int)sizeof(Item);

/* ---- gather ---------------------------------------------------------------------------------- */

/* An integer of less than 24 bits as a denormal float: sums and products by 0 and 1 are exact. */
__device__ __forceinline__ float denormal(int i)
{
    return __int_as_float(i < 0 ? (int)(0x80000000u | (unsigned)-i) : i);
}

/* Reads item gather_address(plan, j) for every j. The two steps of the address, [j >= round], are bits
 * of two masks. Shifted and masked, a word of them has the steps of two rounds, and a dot product of
 * 16-bit numbers with bytes, an instruction of its own, adds what they stand for:
 *
 *     byte        3              2             1            0
 *     bits        wrapped 8..15  jumped 8..15  wrapped 0..7  jumped 0..7
 *     & 4         round t + 8                  round t
 *
 * Tagged items get gather_tag(plan, j), times 4, in the same way. */
template <class Gathered, int E>
__device__ __forceinline__ void gather(Gathered (&r)[E], int begin, const struct gather_plan &plan)
{
    using Item = decltype(item_of(r[0]));
    constexpr int size = sizeof(Item);
    constexpr bool tags = !std::is_same<Gathered, Item>::value;
    const unsigned jumped = shift_left(~0u, plan.jump_round),
                   wrapped = shift_left(~0u, plan.wrap_round);
    const int start = begin + plan.start * size;
    const unsigned steps = halves(plan.jump * (size / 4), -(plan.jump + plan.wrap) * (size / 4));
    const unsigned tag_steps = halves(plan.in_b ? 5 * E : 3 * E, -4 * E);
    const int first_tag = plan.in_b ? 16 * E : 4 * E, tag_step = plan.in_b ? -4 : 4;
#pragma unroll
    for (int k = 0; k < E; k += 16) {
        const unsigned masks =
            k ? interleave_high(jumped, wrapped) : interleave_low(jumped, wrapped);
#pragma unroll
        for (int i = 0; i < 16 && i < E; i++) {
            const int t = E > 8 ? i >> 1 : i;
            const bool high = E > 8 && (i & 1);
            const int j = k + t + (high ? 8 : 0);
            const unsigned bits = (t < 2 ? masks << (2 - t) : masks >> (t - 2)) & 0x04040404u;
            const Item item = load_shared<Item>(dot(steps, bits, high, start) + size * j);
            if constexpr (tags) {
                r[j].tag = (unsigned)dot(tag_steps + 0xffffu * 2 * j, bits, high,
                                         multiply_add(tag_step, j, first_tag));
                r[j].item = item;
            } else {
                r[j] = item;
            }
        }
    }
}

/* ---- searches -------------------------------------------------------------------------------- */

/* The cursors of a search: a points at the item of A before the split, b at the item of B that the
 * next one of A is compared with, so that a step of s items looks at a + s and b + s (B lies
 * reversed). STEP bytes are the step, AT bytes where to look. */
struct cursors {
    int a, b;
};

template <class Order, class Item>
__device__ __forceinline__ void search_step(struct cursors &at, int step, int look)
{
    Item a = load_shared<Item>(at.a + look), b = load_shared<Item>(at.b + look);
    if (!Order::less(b, a)) {
        at.a += step;
        at.b += step;
    }
}

/* The same if it does not leave A's part of the diagonal, which ends at `last`. */
template <class Order, class Item>
__device__ __forceinline__ void search_step(struct cursors &at, int step, int look, int last)
{
    if (at.a + step <= last)
        search_step<Order, Item>(at, step, look);
}

/* E - 1 items at most, by steps of E / 2, ..., 1. */
template <class Order, class Item> __device__ __forceinline__ void search_row(struct cursors &at)
{
#pragma unroll
    for (int s = row_items<Item> / 2; s > 0; s /= 2)
        search_step<Order, Item>(at, s * (int)sizeof(Item), s * (int)sizeof(Item));
}

/* How many of the first d items are A's, in a linear tile: A's a_count items from item a_begin on,
 * B's b_count before item b_end. reach: no split of this tile is further from its first
 * possibility (any upper bound of min(a_count, b_count), the same for the whole block). */
template <class Order, class Item>
__device__ __forceinline__ int search_linear(int begin, int a_begin, int a_count, int b_end,
                                             int b_count, int d, int lane, int reach)
{
    constexpr int E = row_items<Item>, size = sizeof(Item);
    const int low = max(0, d - b_count), high = min(d, a_count);
    const int origin = begin + size * (a_begin - 1);
    const int first = origin + size * low, last = origin + size * high;
    const int to_b = size * (b_end - d - a_begin);
    /* Begun some items early, another number in each lane, the coarse steps of a warp fall into
     * different banks. */
    struct cursors at = {first - size * (lane & (E - 1)), 0};
    at.b = at.a + to_b;
    reach += E - 1;
#pragma unroll
    for (int s = 4096; s >= E; s /= 2)
        if (s <= 8 * E || reach >= s)
            search_step<Order, Item>(at, s * size, s * size, last);
    if (at.a < first) {
        at.a = first;
        at.b = first + to_b;
    }
    if (at.a + size * (E - 1) <= last) {
        search_row<Order, Item>(at);
    } else {
#pragma unroll
        for (int s = E / 2; s > 0; s /= 2)
            search_step<Order, Item>(at, s * size, s * size, last);
    }
    return (at.a - origin) / size;
}

/* How many of the first l rows' items are A's, where A has a_rows rows from row_begin on and B has
 * b_rows before row_end: first by whole rows, in steps of 2^log_reach .. 1, then within a row.
 * min(a_rows, b_rows) < 2^(log_reach + 1). */
template <class Order, class Item>
__device__ __forceinline__ int search_rows(int begin, int row_begin, int a_rows, int row_end,
                                           int b_rows, int l, int log_reach)
{
    constexpr int E = row_items<Item>, size = sizeof(Item), stride = padded_row_bytes<Item>;
    const int origin = begin + stride * row_begin - 2 * size; /* the last item of the row before */
    const int last = origin + stride * min(l, a_rows);
    struct cursors at = {origin + stride * max(0, l - b_rows), 0};
    at.b = at.a + stride * (row_end - row_begin - l);
    auto step = [&](int rows) { search_step<Order, Item>(at, stride * rows, stride * rows, last); };
    switch (log_reach) { /* a jump into the steps */
    case 9:
        step(512);
    case 8:
        step(256);
    case 7:
        step(128);
    case 6:
        step(64);
    case 5:
        step(32);
    case 4:
        step(16);
    case 3:
        step(8);
    case 2:
        step(4);
    case 1:
        step(2);
    default:
        step(1);
    }
    int a = (int)((unsigned)(at.a - origin) / (unsigned)stride) * E;
    if (at.a < last) {
        at.a += size; /* before column 0 of the next row */
        at.b += size;
        const int row = at.a;
        search_row<Order, Item>(at);
        a += (at.a - row) / size;
    }
    return a;
}

/* The next thread's split: from the next lane, or for a warp's last lane from the next warp, which
 * has left it in first_of_warp. sync is called in between where the merge spans warps. */
template <class Sync>
__device__ __forceinline__ int split_behind(int a, int thread, int *first_of_warp, bool spans_warps,
                                            Sync sync)
{
    int behind = __shfl_down_sync(~0u, a, 1);
    if (spans_warps) {
        if ((thread & 31) == 0)
            first_of_warp[thread >> 5] = a;
        sync();
        if ((thread & 31) == 31 && thread + 1 < (int)blockDim.x)
            behind = first_of_warp[(thread >> 5) + 1];
    }
    return behind;
}

/* ---- rows ------------------------------------------------------------------------------------ */

template <bool REVERSED, class Item, int E>
__device__ __forceinline__ void store_row(int begin, int row, const Item (&r)[E])
{
    const int address = begin + padded_row_bytes<Item> * row;
#pragma unroll
    for (int i = 0; i < E; i++)
        store_shared(address + (int)sizeof(Item) * (REVERSED ? E - 1 - i : i), r[i]);
}

/* The same where lanes of a warp differ in the direction. */
template <class Item, int E>
__device__ __forceinline__ void store_row(int begin, int row, bool reversed, const Item (&r)[E])
{
    const int address = begin + padded_row_bytes<Item> * row;
    const float first = __int_as_float(address + (reversed ? (int)sizeof(Item) * (E - 1) : 0));
    const float step = denormal(reversed ? -(int)sizeof(Item) : (int)sizeof(Item));
#pragma unroll
    for (int i = 0; i < E; i++)
        store_shared((int)__float_as_uint(__fmaf_rn((float)i, step, first)), r[i]);
}

/* Rows at a stride of 144 bytes: the quarters of a warp that a 16-byte access is served in find
 * their rows in different banks, and the rows can be read on in 16-byte pieces. */
template <bool REVERSED, class Item, int E>
__device__ __forceinline__ void stage_row(int begin, int row, const Item (&r)[E])
{
    constexpr int count = quad_items<Item>;
#pragma unroll
    for (int i = 0; i < E; i += count) {
        Item piece[count];
        int4 words;
#pragma unroll
        for (int k = 0; k < count; k++)
            piece[k] = REVERSED ? r[E - 1 - i - k] : r[i + k];
        memcpy(&words, piece, 16);
        store_shared(begin + row * STAGED_ROW_BYTES + i * (int)sizeof(Item), words);
    }
}

/* Piece number i of the staged rows. */
__device__ __forceinline__ int4 staged_piece(int begin, int i)
{
    return load_shared<int4>(begin + (i >> 3) * STAGED_ROW_BYTES + (i & 7) * 16);
}

/* rows staged rows into memory at out, which is 16-byte aligned. */
template <int U, class Item>
__device__ __forceinline__ void staged_to_scratch(int begin, int rows, Item *out, int thread)
{
#pragma unroll
    for (int k = 0; k < 8; k++) {
        int i = thread + k * U;
        if (i < 8 * rows)
            ((int4 *)out)[i] = staged_piece(begin, i);
    }
}

/* rows staged rows to the caller, as items first, first + 1, ... of the output. */
template <int U, class Key, class Item>
__device__ __forceinline__ void staged_to_caller(int begin, int rows, int first,
                                                 const caller_arrays<Key, Item> &caller, int thread)
{
    const bool whole = caller.aligned_out() && caller.n - first >= rows * row_items<Item>;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        int i = thread + k * U;
        if (i < 8 * rows) {
            int4 words = staged_piece(begin, i);
            Item items[quad_items<Item>];
            memcpy(items, &words, 16);
            caller.put_quad(first + i * quad_items<Item>, whole, items);
        }
    }
}

} // namespace bankscope
#endif
