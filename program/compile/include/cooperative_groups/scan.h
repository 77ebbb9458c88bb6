/* cooperative_groups/scan.h - prefix sums, or of any operation, over the threads of a group. */
#ifndef BANKSCOPE_COOPERATIVE_GROUPS_SCAN_H
#define BANKSCOPE_COOPERATIVE_GROUPS_SCAN_H

#include "../cooperative_groups.h"

#pragma clang force_cuda_host_device begin
namespace cooperative_groups
{

template <typename Group, typename T, typename Operation>
BANKSCOPE_INLINE std::decay_t<T> inclusive_scan(const Group &group, T &&value,
                                                Operation &&operation)
{
    std::decay_t<T> result = value;
    for (unsigned step = 1; step < group.size(); step *= 2) {
        std::decay_t<T> before = group.shfl_up(result, step);
        if (group.thread_rank() >= step)
            result = operation(before, result);
    }
    return result;
}
/* In each warp, then what the warps before have is put before it. */
template <unsigned Size, typename Parent, typename T, typename Operation>
BANKSCOPE_INLINE std::enable_if_t<(Size > 32), std::decay_t<T>>
inclusive_scan(const thread_block_tile<Size, Parent> &group, T &&value, Operation &&operation)
{
    std::decay_t<T> mine = inclusive_scan(thread_block_tile<32>(), value, operation);
    std::decay_t<T> before = group.warps_before(mine, mine, operation);
    return group.thread_rank() < 32 ? mine : operation(before, mine);
}
template <typename Group, typename T>
BANKSCOPE_INLINE std::decay_t<T> inclusive_scan(const Group &group, T &&value)
{
    return inclusive_scan(group, value, plus<std::decay_t<T>>());
}

/* The first thread gets what a value of its type is by default: 0. */
template <typename Group, typename T, typename Operation>
BANKSCOPE_INLINE std::decay_t<T> exclusive_scan(const Group &group, T &&value,
                                                Operation &&operation)
{
    std::decay_t<T> before = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() == 0 ? std::decay_t<T>() : before;
}
template <unsigned Size, typename Parent, typename T, typename Operation>
BANKSCOPE_INLINE std::enable_if_t<(Size > 32), std::decay_t<T>>
exclusive_scan(const thread_block_tile<Size, Parent> &group, T &&value, Operation &&operation)
{
    const thread_block_tile<32> warp;
    std::decay_t<T> mine = inclusive_scan(warp, value, operation);
    std::decay_t<T> before = group.warps_before(mine, mine, operation);
    std::decay_t<T> within = warp.shfl_up(mine, 1);
    if (warp.thread_rank() == 0)
        return group.thread_rank() == 0 ? std::decay_t<T>() : before;
    return group.thread_rank() < 32 ? within : operation(before, within);
}
template <typename Group, typename T>
BANKSCOPE_INLINE std::decay_t<T> exclusive_scan(const Group &group, T &&value)
{
    return exclusive_scan(group, value, plus<std::decay_t<T>>());
}

} // namespace cooperative_groups
#pragma clang force_cuda_host_device end

#endif
