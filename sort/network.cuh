/* network.cuh - sorting in registers. All loops are unrolled and all indices known to the compiler:
 * an array that it cannot index at compile time would go to local memory. */
#ifndef BANKSCOPE_SORT_NETWORK_CUH
#define BANKSCOPE_SORT_NETWORK_CUH

#include "sort/item.cuh"

#include <type_traits>

namespace bankscope
{

/* Whether exchange number i is one of the BALANCED out of every 6 that use multiply-adds. */
__host__ __device__ constexpr bool balanced(int i, int of_six)
{
    return of_six > 0 && i * of_six % 6 < of_six;
}

/* Batcher's bitonic merge: sorts any rotation of an ascending sequence followed by a descending one.
 *     3 5 7 6 4 2 0 1  ->  0 1 2 3 4 5 6 7     E / 2 log E exchanges: 80 for 32 items
 * DOWN: descending. */
template <class Order, int BALANCED, bool DOWN, class Item, int E>
__device__ __forceinline__ void bitonic(Item (&r)[E])
{
#pragma unroll
    for (int s = E / 2; s > 0; s /= 2) {
#pragma unroll
        for (int i = 0; i < E; i++) {
            if (i & s)
                continue;
            Item &first = DOWN ? r[i + s] : r[i], &second = DOWN ? r[i] : r[i + s];
            const int number = (i & (s - 1)) + ((i & ~(2 * s - 1)) >> 1);
            if (balanced(number, BALANCED))
                exchange<Order, true>(first, second);
            else
                exchange<Order, false>(first, second);
        }
    }
}

/* One step of Batcher's odd-even merge sort: runs of P become runs of 2 P, distance K. */
template <class Order, int BALANCED, int P, int K, class Item, int E>
__device__ __forceinline__ void odd_even_step(Item (&r)[E])
{
#pragma unroll
    for (int i = 0; i + K < E; i++) {
        if (i < K % P || ((i - K % P) & K) || i / (2 * P) != (i + K) / (2 * P))
            continue;
        if (balanced(i, BALANCED))
            exchange<Order, true>(r[i], r[i + K]);
        else
            exchange<Order, false>(r[i], r[i + K]);
    }
    if constexpr (K > 1)
        odd_even_step<Order, BALANCED, P, K / 2>(r);
}

/* Sorts E items: 191 exchanges for 32, where a bitonic sort has 240. */
template <class Order, int BALANCED, int P = 1, class Item, int E>
__device__ __forceinline__ void sort_registers(Item (&r)[E])
{
    odd_even_step<Order, BALANCED, P, P>(r);
    if constexpr (2 * P < E)
        sort_registers<Order, BALANCED, 2 * P>(r);
}

/* Whether a lane takes its partner's item instead of its own. Of two that are equal, each keeps its
 * own: where equal items may differ (an order of the user's, without tags), that takes another comparison. */
template <class Order, class Item>
__device__ __forceinline__ bool takes(const Item &other, const Item &own, bool low)
{
    if constexpr (std::is_same<Order, natural_order>::value || is_tagged<Item>)
        return Order::less(other, own) == low;
    else
        return low ? Order::less(other, own) : Order::less(own, other);
}

/* Compare and exchange with the lane that differs in the bits of DISTANCE. */
template <class Order, int DISTANCE, class Item, int E>
__device__ __forceinline__ void exchange_lanes(Item (&r)[E], bool low)
{
#pragma unroll
    for (int i = 0; i < E; i++) {
        Item other = shuffle_xor(r[i], DISTANCE);
        r[i] = takes<Order>(other, r[i], low) ? other : r[i];
    }
}

/* Merges the sorted rows of LANES / 2 lanes with those of the next LANES / 2. Shuffles take as many
 * passes of shared memory as a store and a gather, without the search and the barriers. */
template <class Order, int BALANCED, int LANES, class Item, int E>
__device__ __forceinline__ void merge_lanes(Item (&r)[E], int lane)
{
    const bool low = !(lane & (LANES / 2));
#pragma unroll
    for (int i = 0; i < E / 2; i++) { /* the second half is read backwards: a bitonic sequence */
        Item u = shuffle_xor(r[E - 1 - i], LANES - 1), v = shuffle_xor(r[i], LANES - 1);
        r[i] = takes<Order>(u, r[i], low) ? u : r[i];
        r[E - 1 - i] = takes<Order>(v, r[E - 1 - i], low) ? v : r[E - 1 - i];
    }
    if constexpr (LANES >= 16)
        exchange_lanes<Order, 4>(r, !(lane & 4));
    if constexpr (LANES >= 8)
        exchange_lanes<Order, 2>(r, !(lane & 2));
    if constexpr (LANES >= 4)
        exchange_lanes<Order, 1>(r, !(lane & 1));
    bitonic<Order, BALANCED, false>(r);
}

} // namespace bankscope
#endif
