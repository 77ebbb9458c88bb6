/* sort_by.cuh - a sort of a program's own items, by an order of its own: sort_by(). sort.h is the interface in
 * C for the types of C.
 *
 *     struct heaviest {
 *         static __device__ bool less(const parcel &a, const parcel &b)
 *         {
 *             return a.weight > b.weight;
 *         }
 *     };
 *     error = bankscope::sort_by<heaviest>(scratch, &bytes, in, out, n, lightest, stream);
 */
#ifndef BANKSCOPE_SORT_SORT_BY_CUH
#define BANKSCOPE_SORT_SORT_BY_CUH

#include "sort/distributor.cuh"
#include "sort/sorter.cuh"

namespace bankscope
{

/* From how many items on a distribution is faster than merging, of 4, 8 and 16 bytes, as measured on an H200. */
enum { LEAST_DISTRIBUTED_ITEMS = 1 << 16 };

/* Sorts the items by one of the two ways, or with scratch NULL only says how much memory that takes. */
template <class Order, class Item> class sort_of_items
{
    using key = ordered<Item, Order>;
    caller_arrays<Item, Item> merged = {};
    distribution<key, none> distributed = {};
    const size_t n;
    const cudaStream_t stream;

  public:
    sort_of_items(const Item *in, Item *out, size_t n, const Item &last, cudaStream_t stream)
        : n(n), stream(stream)
    {
        merged.keys_in = in;
        merged.keys_out = out;
        merged.n = (int)n;
        merged.pad = last;
        distributed.keys_in = (const key *)in;
        distributed.keys_out = (key *)out;
        distributed.last = {last};
    }
    bool is_distributed() const
    {
        return n >= LEAST_DISTRIBUTED_ITEMS && n <= MOST_DISTRIBUTED &&
               distributor<key, none>::possible();
    }
    cudaError_t merge(void *scratch, size_t *bytes) const
    {
        return sorter<Item, Item, Order>::sort(scratch, bytes, merged, stream);
    }
    cudaError_t distribute(void *scratch, size_t *bytes) const
    {
        scratch_memory memory(scratch);
        distributor<key, none> sorting(distributed, n, distribution_shape_for<key>(n), stream);
        sorting.lay_out(memory);
        *bytes = memory.bytes();
        return memory.counts_only() ? cudaSuccess : sorting.sort();
    }
    cudaError_t sort(void *scratch, size_t *bytes) const
    {
        return is_distributed() ? distribute(scratch, bytes) : merge(scratch, bytes);
    }
};

/* Sorts n items of 4, 8 or 16 bytes, trivially copyable, by an order of the user's, a class with
 *
 *     static __device__ bool less(const Item &a, const Item &b)     a strict weak order
 *
 * Stable: items of which neither is less keep their order. `last` fills the last tile: no item may be ordered
 * after it; items may be equal to it. Everything else is as with sort_keys(): the size query, the memory, the
 * stream, the errors; in and out are aligned to the items' size. Slower than sort_keys(), which knows more of
 * numbers than their order: doc/sort.md. */
template <class Order, class Item>
int sort_by(void *scratch, size_t *scratch_bytes, const Item *in, Item *out, size_t n,
            const Item &last, cudaStream_t stream)
{
    static_assert(sizeof(Item) == 4 || sizeof(Item) == 8 || sizeof(Item) == 16,
                  "items have 4, 8 or 16 bytes: pad yours");
    static_assert(std::is_trivially_copyable<Item>::value, "items are copied as bytes");
    static_assert(!std::is_same<Order, natural_order>::value, "numbers are sort_keys()'s");
    size_t needed = 0;
    if (!scratch_bytes)
        return SORT_NULL_POINTER;
    if (n > SORT_MOST_ITEMS)
        return SORT_TOO_MANY_ITEMS;
    const sort_of_items<Order, Item> sorting(in, out, n, last, stream);
    sorting.sort(NULL, &needed);
    if (!scratch) {
        *scratch_bytes = needed;
        return 0;
    }
    if (*scratch_bytes < needed)
        return SORT_SCRATCH_TOO_SMALL;
    const int error =
        sort_check({scratch, *scratch_bytes, in, out, NULL, NULL, sizeof(Item), 0, n});
    if (error)
        return error;
    const cudaError_t status = sorting.sort(scratch, &needed);
    return status == cudaSuccess ? 0 : SORT_CUDA + status;
}

} // namespace bankscope
#endif
