/* sort.cu - the interface in C: checks, and the sorter for each type. */
#include "sort/sort.h"

#include "sort/choice.cuh"
#include "sort/distributor.cuh"
#include "sort/sorter.cuh"

#include <stdint.h>

using namespace bankscope;

namespace
{

struct request {
    void *scratch;
    size_t *scratch_bytes;
    const void *keys_in;
    void *keys_out;
    const void *values_in;
    void *values_out;
    size_t key_bytes, value_bytes, n;
    sort_type type;
    sort_order order;
    cudaStream_t stream;
};

/* ---- by distribution ----------------------------------------------------------------------------- */

/* From how many items on a distribution sorts items of this kind faster than merging, for random keys and
 * for all other inputs that doc/sort.md names, as measured on an H200. 0: never. */
template <class Key, class Item> constexpr int least_distributed = 0;
template <> constexpr int least_distributed<int, pair_item<int>> = 1 << 16;
template <> constexpr int least_distributed<long long, pair_item<long long>> = 1 << 16;
template <> constexpr int least_distributed<long long, long long> = 1 << 18;
template <> constexpr int least_distributed<int, long long> = 1 << 16; /* with values of 8 bytes */

/* A sort by distribution of the caller's arrays. */
template <class Value, class Key, class Item> class distributed_sort
{
    const caller_arrays<Key, Item> &caller;
    const bool mends; /* -0 and 0 */

  public:
    explicit distributed_sort(const caller_arrays<Key, Item> &caller)
        : caller(caller), mends(caller.floating)
    {
    }
    static bool possible()
    {
        return distributor<Key, Value>::possible();
    }
    /* Takes its scratch memory, and sorts unless it is only counted. */
    cudaError_t sort(scratch_memory memory, size_t *bytes, cudaStream_t stream)
    {
        distribution<Key, Value> arrays = {};
        arrays.keys_in = caller.keys_in;
        arrays.keys_out = caller.keys_out;
        arrays.values_in = (const callers_value<Value> *)caller.values_in;
        arrays.values_out = (callers_value<Value> *)caller.values_out;
        arrays.code = caller.code;
        arrays.chosen = caller.chosen;
        arrays.negative_zero_seen = caller.negative_zero_seen;
        zero_counts *const zeros = memory.take<zero_counts>(mends ? 1 : 0);
        if (mends && zeros)
            arrays.negative_zero_seen = &zeros->negative_seen;
        distributor<Key, Value> sorting(arrays, caller.n, distribution_shape_for<Key>(caller.n),
                                        stream);
        sorting.lay_out(memory);
        *bytes = memory.bytes();
        if (memory.counts_only())
            return cudaSuccess;
        cudaError_t status = mends ? cudaMemsetAsync(zeros, 0, sizeof *zeros, stream) : cudaSuccess;
        if (status == cudaSuccess)
            status = sorting.sort();
        if (status == cudaSuccess && mends)
            mend_zeros(caller, zeros, stream);
        return status == cudaSuccess ? cudaGetLastError() : status;
    }
};

/* Whether it sorted: if that is the faster way, if `bytes` of scratch memory are enough, and if the device
 * has enough shared memory. */
template <class Value, class Key, class Item>
bool distribute(void *scratch, size_t bytes, const caller_arrays<Key, Item> &caller,
                cudaStream_t stream, cudaError_t *status)
{
    distributed_sort<Value, Key, Item> sorting(caller);
    size_t needed = 0;
    if (caller.n < least_distributed<Key, Item> || caller.n > MOST_DISTRIBUTED)
        return false;
    sorting.sort(scratch_memory(NULL), &needed, stream);
    if (needed > bytes || !sorting.possible())
        return false;
    *status = sorting.sort(scratch_memory(scratch), &needed, stream);
    return true;
}

/* The same for values of value_bytes. */
template <class Key, class Item>
bool distribute_any(const request &q, size_t bytes, const caller_arrays<Key, Item> &caller,
                    cudaError_t *status)
{
    if constexpr (least_distributed<Key, Item> == 0)
        return false;
    else if constexpr (caller_arrays<Key, Item>::has_place)
        return distribute<far_value>(q.scratch, bytes, caller, q.stream, status);
    else if constexpr (!is_pair<Item>)
        return distribute<none>(q.scratch, bytes, caller, q.stream, status);
    else if (q.value_bytes == sizeof(Key))
        return distribute<Key>(q.scratch, bytes, caller, q.stream, status);
    else
        return distribute<int>(q.scratch, bytes, caller, q.stream, status);
}

/* ---- by what the device chooses ------------------------------------------------------------------ */

/* So many items are sorted so (choice.cuh). With fewer, the launches of both ways take too long; with more,
 * distribution takes more scratch memory than merging. */
#ifndef SORT_LEAST_CHOSEN
#define SORT_LEAST_CHOSEN (1 << 25)
#endif
enum { MOST_CHOSEN = 1 << 26 };
template <class Item> bool is_choice(size_t n)
{
    return std::is_same<Item, int>::value && n >= SORT_LEAST_CHOSEN && n <= MOST_CHOSEN;
}

/* At the beginning of the scratch memory; the two ways share the rest. */
struct choice_memory {
    sort_way way;
    zero_counts zeros;
};
enum { CHOICE_BYTES = (sizeof(choice_memory) + 255) / 256 * 256 };

/* Whether it sorted, as distribute(). */
template <class Key, class Item>
bool choose(const request &q, size_t bytes, const caller_arrays<Key, Item> &caller,
            cudaError_t *status)
{
    choice_memory *const own = (choice_memory *)q.scratch;
    struct both {
        caller_arrays<Key, Item> caller;
        void *scratch;
    } ways = {caller, (char *)q.scratch + CHOICE_BYTES};
    ways.caller.chosen = &own->way;
    ways.caller.floating = false; /* zeros are mended here, behind both */
    if (caller.floating)
        ways.caller.negative_zero_seen = &own->zeros.negative_seen;
    distributed_sort<none, Key, Item> distributed(ways.caller);
    size_t needed = 0;
    distributed.sort(scratch_memory(NULL), &needed, q.stream);
    if (CHOICE_BYTES + needed > bytes || !distributed.possible())
        return false;
    const other_way other = {[](void *context, cudaStream_t stream) {
                                 const both &ways = *(both *)context;
                                 size_t needed;
                                 return distributed_sort<none, Key, Item>(ways.caller)
                                     .sort(scratch_memory(ways.scratch), &needed, stream);
                             },
                             &ways};
    *status = cudaSuccess;
    if (caller.floating)
        *status = cudaMemsetAsync(&own->zeros, 0, sizeof own->zeros, q.stream);
    choose_way<<<1, CHOICE_THREADS, 0, q.stream>>>(caller.keys_in, (unsigned)caller.n, &own->way);
    if (*status == cudaSuccess)
        *status = sorter<Key, Item, natural_order>::sort(ways.scratch, &bytes, ways.caller,
                                                         q.stream, NULL, NULL, &other);
    if (*status == cudaSuccess && caller.floating)
        mend_zeros(caller, &own->zeros, q.stream);
    if (*status == cudaSuccess)
        *status = cudaGetLastError();
    return true;
}

/* ---- any sort ---------------------------------------------------------------------------------- */

template <class Key, class Item> int run_sort(const request &q)
{
    const Key sign = (Key)((uint64_t)1 << (8 * sizeof(Key) - 1));
    caller_arrays<Key, Item> caller = {};
    caller.keys_in = (const Key *)q.keys_in;
    caller.keys_out = (Key *)q.keys_out;
    caller.values_in = q.values_in;
    caller.values_out = q.values_out;
    caller.value_bytes = (int)q.value_bytes;
    caller.n = (int)q.n;
    caller.floating = q.type == SORT_FLOAT || q.type == SORT_DOUBLE;
    caller.code.flip_negative = caller.floating ? (Key)~sign : 0;
    caller.code.flip = q.type == SORT_UINT32 || q.type == SORT_UINT64 ? sign : 0;
    if (q.order == SORT_DESCENDING)
        caller.code.flip = (Key)~caller.code.flip;
    make_item(caller.pad, (Key)~sign, ~0u); /* the greatest code, behind every place */

    size_t bytes = 0;
    cudaError_t status = sorter<Key, Item, natural_order>::sort(NULL, &bytes, caller, q.stream);
    if (is_choice<Item>(q.n))
        bytes += CHOICE_BYTES;
    if (status == cudaSuccess && !q.scratch) {
        *q.scratch_bytes = bytes;
        return 0;
    }
    if (*q.scratch_bytes < bytes)
        return SORT_SCRATCH_TOO_SMALL;
    int error = sort_check({q.scratch, *q.scratch_bytes, q.keys_in, q.keys_out, q.values_in,
                            q.values_out, q.key_bytes, q.value_bytes, q.n});
    if (error)
        return error;
    if constexpr (std::is_same<Item, int>::value)
        if (is_choice<Item>(q.n) && choose(q, bytes, caller, &status))
            return status == cudaSuccess ? 0 : SORT_CUDA + status;
    if (!distribute_any(q, bytes, caller, &status))
        status = sorter<Key, Item, natural_order>::sort(q.scratch, &bytes, caller, q.stream);
    return status == cudaSuccess ? 0 : SORT_CUDA + status;
}

/* value_bytes is 0 where there are no values. */
int sort_any(void *scratch, size_t *scratch_bytes, const void *keys_in, void *keys_out,
             const void *values_in, void *values_out, size_t value_bytes, size_t n, sort_type type,
             sort_order order, cudaStream_t stream)
{
    if (!scratch_bytes)
        return SORT_NULL_POINTER;
    if ((unsigned)type > SORT_DOUBLE || (unsigned)order > SORT_DESCENDING)
        return SORT_BAD_TYPE;
    if (n > SORT_MOST_ITEMS)
        return SORT_TOO_MANY_ITEMS;
    const bool wide = type >= SORT_INT64;
    const request q = {scratch,        scratch_bytes, keys_in, keys_out, values_in, values_out,
                       wide ? 8u : 4u, value_bytes,   n,       type,     order,     stream};
    if (wide)
        return value_bytes ? run_sort<long long, pair_item<long long>>(q)
                           : run_sort<long long, long long>(q);
    return value_bytes == 8   ? run_sort<int, long long>(q)
           : value_bytes == 4 ? run_sort<int, pair_item<int>>(q)
                              : run_sort<int, int>(q);
}

} // namespace

extern "C" int sort_keys(void *scratch, size_t *scratch_bytes, const void *keys_in, void *keys_out,
                         size_t n, enum sort_type type, enum sort_order order,
                         struct CUstream_st *stream)
{
    return sort_any(scratch, scratch_bytes, keys_in, keys_out, NULL, NULL, 0, n, type, order,
                    stream);
}

extern "C" int sort_pairs(void *scratch, size_t *scratch_bytes, const void *keys_in, void *keys_out,
                          const void *values_in, void *values_out, size_t value_bytes, size_t n,
                          enum sort_type type, enum sort_order order, struct CUstream_st *stream)
{
    if (value_bytes != 4 && value_bytes != 8)
        return SORT_BAD_VALUE_BYTES;
    return sort_any(scratch, scratch_bytes, keys_in, keys_out, values_in, values_out, value_bytes,
                    n, type, order, stream);
}

extern "C" const char *sort_error_text(int error)
{
    static const char *const texts[] = {
        "no error",
        "a pointer is NULL: give the arrays, the scratch memory and its size",
        "no such type of keys or order: see enum sort_type and enum sort_order",
        "values have 4 or 8 bytes",
        "more than 2^30 items: sort parts and merge them",
        "the scratch memory is too small: ask for its size with the same n, type and values",
        "a pointer is not aligned to its elements (scratch: to 256 bytes)",
        "arrays overlap: input, output and scratch memory must be apart",
        "the GPU is too old: compute capability 8.0 or newer is needed",
    };
    if (error >= SORT_CUDA)
        return cudaGetErrorString((cudaError_t)(error - SORT_CUDA));
    if (error < 0 || error >= (int)(sizeof texts / sizeof texts[0]))
        return "no such error";
    return texts[error];
}
