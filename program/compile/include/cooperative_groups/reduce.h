/* cooperative_groups/reduce.h - one value of all threads of a group, by halves as the hardware does, so that
 * sums of floats round alike. */
#ifndef BANKSCOPE_COOPERATIVE_GROUPS_REDUCE_H
#define BANKSCOPE_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#pragma clang force_cuda_host_device begin
namespace cooperative_groups
{

template <typename Group, typename T, typename Operation>
BANKSCOPE_INLINE bankscope_value<T> reduce(const Group &group, T &&value, Operation &&operation)
{
    bankscope_value<T> result = value;
    const unsigned size = (unsigned)group.size();
    if ((size & (size - 1)) == 0) {
        for (unsigned step = size / 2; step > 0; step /= 2)
            result = operation(result, group.shfl_xor(result, step));
        return result;
    }
    for (unsigned step = 1; step < size; step *= 2) {
        bankscope_value<T> other = group.shfl_down(result, step);
        if (group.thread_rank() + step < size)
            result = operation(result, other);
    }
    return group.shfl(result, 0);
}
/* Warp by warp, then of all warps. */
template <unsigned Size, typename Parent, typename T, typename Operation>
BANKSCOPE_INLINE bankscope_only_if<(Size > 32), bankscope_value<T>>
reduce(const thread_block_tile<Size, Parent> &group, T &&value, Operation &&operation)
{
    return group.each_warp(reduce(thread_block_tile<32>(), value, operation), operation);
}

/* *at = operation(*at, what the group reduces to), atomically. */
template <typename Group, typename Atomic, typename T, typename Operation>
BANKSCOPE_INLINE void reduce_update_async(const Group &group, Atomic &at, T &&value,
                                          Operation &&operation)
{
    auto result = reduce(group, value, operation);
    if (group.thread_rank() == 0) {
        auto old = at.load();
        while (!at.compare_exchange_weak(old, operation(old, result)))
            ;
    }
}
template <typename Group, typename T, typename Operation>
BANKSCOPE_INLINE void reduce_store_async(const Group &group, bankscope_value<T> *at, T &&value,
                                         Operation &&operation)
{
    auto result = reduce(group, value, operation);
    if (group.thread_rank() == 0)
        *at = result;
}

} // namespace cooperative_groups
#pragma clang force_cuda_host_device end

#endif
