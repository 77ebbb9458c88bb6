/* zeros.cuh - floating keys: -0 and 0 are equal, and equal keys keep their order, as in the library.
 *
 * Where merges carry an item's place, it tells equal keys apart and finds the sign again (item.cuh). All
 * others are sorted by their bits, -0 before 0, and if both occur their part of the output is written
 * again, in the order of the input. The first kernel notes whether there is a -0 at all; without one these
 * two kernels read nothing.
 */
#ifndef BANKSCOPE_SORT_ZEROS_CUH
#define BANKSCOPE_SORT_ZEROS_CUH

#include "sort/item.cuh"

#include <cuda_runtime.h>

namespace bankscope
{

enum { ZERO_BLOCKS = 1024, ZERO_THREADS = 256 };

/* In the scratch memory. */
struct zero_counts {
    int negative_seen;
    int begin;                 /* of the zeros in the sorted keys */
    int of_block[ZERO_BLOCKS]; /* zeros of either sign in this block's part of the input */
};

template <class Key, class Item> bool zeros_matter(const caller_arrays<Key, Item> &caller)
{
    return caller.floating && !caller.has_place;
}

template <class Key, class Item>
__device__ __forceinline__ bool is_zero(const caller_arrays<Key, Item> &caller, int i)
{
    return (Key)(caller.keys_in[i] & ~caller.negative_zero()) == 0;
}

/* Block b reads keys begin .. end - 1. */
template <class Key, class Item>
__device__ __forceinline__ int part_begin(const caller_arrays<Key, Item> &caller, int b)
{
    return (int)((long long)caller.n * b / ZERO_BLOCKS);
}

template <class Key, class Item>
__global__ void count_zeros(const __grid_constant__ caller_arrays<Key, Item> caller,
                            zero_counts *zeros)
{
    if (!zeros->negative_seen)
        return;
    const int end = part_begin(caller, blockIdx.x + 1);
    int count = 0;
    for (int i = part_begin(caller, blockIdx.x); i < end; i += ZERO_THREADS)
        count +=
            __syncthreads_count(i + (int)threadIdx.x < end && is_zero(caller, i + threadIdx.x));
    if (threadIdx.x == 0)
        zeros->of_block[blockIdx.x] = count;
    if (blockIdx.x == 0 && threadIdx.x == 0) { /* nothing before the zeros is as great */
        const Key one = caller.code.encode(0), other = caller.code.encode(caller.negative_zero());
        const Key zero = one < other ? one : other;
        int low = 0, high = caller.n;
        while (low < high) {
            int middle = low + (high - low) / 2;
            if (caller.code.encode(caller.keys_out[middle]) < zero)
                low = middle + 1;
            else
                high = middle;
        }
        zeros->begin = low;
    }
}

template <class Key, class Item>
__global__ void place_zeros(const __grid_constant__ caller_arrays<Key, Item> caller,
                            zero_counts *zeros)
{
    __shared__ int to, of_warp[ZERO_THREADS / 32];
    if (!zeros->negative_seen)
        return;
    if (threadIdx.x == 0) {
        int low = zeros->begin;
        for (int b = 0; b < (int)blockIdx.x; b++)
            low += zeros->of_block[b];
        to = low;
    }
    __syncthreads();
    const int end = part_begin(caller, blockIdx.x + 1), warp = threadIdx.x / 32;
    for (int first = part_begin(caller, blockIdx.x); first < end; first += ZERO_THREADS) {
        const int i = first + threadIdx.x;
        const bool zero = i < end && is_zero(caller, i);
        const unsigned lanes = __ballot_sync(~0u, zero);
        if (threadIdx.x % 32 == 0)
            of_warp[warp] = __popc(lanes);
        __syncthreads();
        int at = to + __popc(lanes & ((1u << threadIdx.x % 32) - 1));
        for (int w = 0; w < warp; w++)
            at += of_warp[w];
        if (zero) {
            caller.keys_out[at] = caller.keys_in[i];
            if (caller.value_bytes == 4)
                ((int *)caller.values_out)[at] = ((const int *)caller.values_in)[i];
            else if (caller.value_bytes == 8)
                ((long long *)caller.values_out)[at] = ((const long long *)caller.values_in)[i];
        }
        __syncthreads();
        if (threadIdx.x == ZERO_THREADS - 1)
            to = at + zero;
        __syncthreads();
    }
}

/* Behind a sort by bits whose first kernel noted in zeros->negative_seen, cleared before, what it saw. */
template <class Key, class Item>
void mend_zeros(const caller_arrays<Key, Item> &caller, zero_counts *zeros, cudaStream_t stream)
{
    count_zeros<<<ZERO_BLOCKS, ZERO_THREADS, 0, stream>>>(caller, zeros);
    place_zeros<<<ZERO_BLOCKS, ZERO_THREADS, 0, stream>>>(caller, zeros);
}

} // namespace bankscope
#endif
