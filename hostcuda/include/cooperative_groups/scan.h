/* cooperative_groups/scan.h - prefix sums, or of any operation, over the lanes of a group. */
#ifndef HOSTCUDA_COOPERATIVE_GROUPS_SCAN_H
#define HOSTCUDA_COOPERATIVE_GROUPS_SCAN_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{

template <typename Group, typename T, typename Operation>
HOSTCUDA_INLINE std::decay_t<T> inclusive_scan(const Group &group, T &&value, Operation &&operation)
{
    std::decay_t<T> result = value;
    for (unsigned step = 1; step < group.size(); step *= 2) {
        std::decay_t<T> before = group.shfl_up(result, step);
        if (group.thread_rank() >= step)
            result = operation(before, result);
    }
    return result;
}
template <typename Group, typename T>
HOSTCUDA_INLINE std::decay_t<T> inclusive_scan(const Group &group, T &&value)
{
    return inclusive_scan(group, value, plus<std::decay_t<T>>());
}

/* The first lane gets what a value of its type is by default: 0. */
template <typename Group, typename T, typename Operation>
HOSTCUDA_INLINE std::decay_t<T> exclusive_scan(const Group &group, T &&value, Operation &&operation)
{
    std::decay_t<T> before = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() == 0 ? std::decay_t<T>() : before;
}
template <typename Group, typename T>
HOSTCUDA_INLINE std::decay_t<T> exclusive_scan(const Group &group, T &&value)
{
    return exclusive_scan(group, value, plus<std::decay_t<T>>());
}

} // namespace cooperative_groups

#endif
