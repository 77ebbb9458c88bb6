/* cooperative_groups/scan.h - prefix sums, or of any operation, over the threads of a group. */
#ifndef BANKSCOPE_COOPERATIVE_GROUPS_SCAN_H
#define BANKSCOPE_COOPERATIVE_GROUPS_SCAN_H

#include "../cooperative_groups.h"

#pragma clang force_cuda_host_device begin
namespace cooperative_groups
{

template <typename Group, typename T, typename Operation>
BANKSCOPE_INLINE bankscope_value<T> inclusive_scan(const Group &group, T &&value,
                                                   Operation &&operation)
{
    bankscope_value<T> result = value;
    for (unsigned step = 1; step < group.size(); step *= 2) {
        bankscope_value<T> before = group.shfl_up(result, step);
        if (group.thread_rank() >= step)
            result = operation(before, result);
    }
    return result;
}
/* In each warp, then what the warps before have is put before it. */
template <unsigned Size, typename Parent, typename T, typename Operation>
BANKSCOPE_INLINE bankscope_only_if<(Size > 32), bankscope_value<T>>
inclusive_scan(const thread_block_tile<Size, Parent> &group, T &&value, Operation &&operation)
{
    bankscope_value<T> mine = inclusive_scan(thread_block_tile<32>(), value, operation);
    bankscope_value<T> before = group.warps_before(mine, mine, operation);
    return group.thread_rank() < 32 ? mine : operation(before, mine);
}
template <typename Group, typename T>
BANKSCOPE_INLINE bankscope_value<T> inclusive_scan(const Group &group, T &&value)
{
    return inclusive_scan(group, value, plus<bankscope_value<T>>());
}

/* The first thread gets what a value of its type is by default: 0. */
template <typename Group, typename T, typename Operation>
BANKSCOPE_INLINE bankscope_value<T> exclusive_scan(const Group &group, T &&value,
                                                   Operation &&operation)
{
    bankscope_value<T> before = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() == 0 ? bankscope_value<T>() : before;
}
template <unsigned Size, typename Parent, typename T, typename Operation>
BANKSCOPE_INLINE bankscope_only_if<(Size > 32), bankscope_value<T>>
exclusive_scan(const thread_block_tile<Size, Parent> &group, T &&value, Operation &&operation)
{
    const thread_block_tile<32> warp;
    bankscope_value<T> mine = inclusive_scan(warp, value, operation);
    bankscope_value<T> before = group.warps_before(mine, mine, operation);
    bankscope_value<T> within = warp.shfl_up(mine, 1);
    if (warp.thread_rank() == 0)
        return group.thread_rank() == 0 ? bankscope_value<T>() : before;
    return group.thread_rank() < 32 ? within : operation(before, within);
}
template <typename Group, typename T>
BANKSCOPE_INLINE bankscope_value<T> exclusive_scan(const Group &group, T &&value)
{
    return exclusive_scan(group, value, plus<bankscope_value<T>>());
}

} // namespace cooperative_groups
#pragma clang force_cuda_host_device end

#endif
