/* sort.cu - the interface in C: checks, and the sorter for each type. */
#include "sort/sort.h"

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

/* How many items a distribution sorts faster than merging, random ones and most other inputs that doc/sort.md
 * names, as measured on an H100: pairs, keys of 8 bytes, keys of 4. */
enum { LEAST_PAIRS = 1 << 16, LEAST_LONG = 1 << 18, LEAST_SHORT = 1 << 20 };

bool is_distributed(size_t key_bytes, size_t value_bytes, size_t n)
{
    const size_t least = value_bytes ? LEAST_PAIRS : key_bytes == 8 ? LEAST_LONG : LEAST_SHORT;
    return n >= least && n <= MOST_DISTRIBUTED;
}

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
        arrays.values_in = (const Value *)caller.values_in;
        arrays.values_out = (Value *)caller.values_out;
        arrays.code = caller.code;
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

/* Sorts so, or with scratch NULL only says how much scratch memory that takes. Returns false if merging is
 * faster, or if the device has too little shared memory. */
template <class Value, class Key, class Item>
bool distribute(const request &q, size_t *bytes, const caller_arrays<Key, Item> &caller,
                cudaError_t *status)
{
    distributed_sort<Value, Key, Item> sorting(caller);
    if (!is_distributed(q.key_bytes, q.value_bytes, q.n) || !sorting.possible())
        return false;
    *status = sorting.sort(scratch_memory(q.scratch), bytes, q.stream);
    return true;
}

/* Distributes pairs whose values have value_bytes. */
template <class Key, class Item>
bool distribute_any(const request &q, size_t *bytes, const caller_arrays<Key, Item> &caller,
                    cudaError_t *status)
{
    if constexpr (caller_arrays<Key, Item>::has_place)
        return distribute<long long>(q, bytes, caller, status);
    else if constexpr (!is_pair<Item>)
        return distribute<none>(q, bytes, caller, status);
    else if (q.value_bytes == sizeof(Key))
        return distribute<Key>(q, bytes, caller, status);
    else
        return distribute<int>(q, bytes, caller, status);
}

/* Sorts by the faster way, likewise. */
template <class Key, class Item>
cudaError_t sort_either_way(const request &q, size_t *bytes, const caller_arrays<Key, Item> &caller)
{
    cudaError_t status = cudaSuccess;
    if (!distribute_any(q, bytes, caller, &status))
        status = sorter<Key, Item, natural_order>::sort(q.scratch, bytes, caller, q.stream);
    return status;
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
    request size_only = q;
    size_only.scratch = NULL;
    cudaError_t status = sort_either_way(size_only, &bytes, caller);
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
    if (status == cudaSuccess)
        status = sort_either_way(q, &bytes, caller);
    return status == cudaSuccess ? 0 : SORT_CUDA + status;
}

/* Each kind of item has kernels of its own, a bit of SORT_KINDS: who compiles for a machine without a GPU, and
 * sorts little, has fewer of them made. */
#ifndef SORT_KINDS
#define SORT_KINDS 31
#endif
enum { KIND_KEYS, KIND_PAIRS, KIND_PLACES, KIND_WIDE_KEYS, KIND_WIDE_PAIRS };
template <int KIND, class Key, class Item> int run_kind(const request &q)
{
    if constexpr (SORT_KINDS >> KIND & 1)
        return run_sort<Key, Item>(q);
    else
        return SORT_BAD_TYPE;
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
        return value_bytes ? run_kind<KIND_WIDE_PAIRS, long long, pair_item<long long>>(q)
                           : run_kind<KIND_WIDE_KEYS, long long, long long>(q);
    return value_bytes == 8   ? run_kind<KIND_PLACES, int, long long>(q)
           : value_bytes == 4 ? run_kind<KIND_PAIRS, int, pair_item<int>>(q)
                              : run_kind<KIND_KEYS, int, int>(q);
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
