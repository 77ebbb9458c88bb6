/* cooperative_groups/memcpy_async.h - copies by a group, and waiting for them. */
#ifndef HOSTCUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define HOSTCUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../hostcuda_copy.h"
#include "../cuda/hostcuda_aligned_size.h"
#include "../cuda_pipeline.h" /* as the toolkit does */

namespace cooperative_groups
{

template <typename Group, typename To, typename From>
HOSTCUDA_INLINE void memcpy_async(const Group &group, To *to, const From *from, size_t bytes)
{
    hostcuda_copy(to, from, bytes, group.thread_rank(), group.size());
}
template <typename Group, typename To, typename From, size_t Alignment>
HOSTCUDA_INLINE void memcpy_async(const Group &group, To *to, const From *from,
                                  const cuda::aligned_size_t<Alignment> &bytes)
{
    hostcuda_copy(to, from, bytes, group.thread_rank(), group.size());
}
/* Counts elements: as many as both sides have. */
template <typename Group, typename To, typename From>
HOSTCUDA_INLINE void memcpy_async(const Group &group, To *to, size_t to_count, const From *from,
                                  size_t from_count)
{
    hostcuda_copy(to, from, min(to_count * sizeof(To), from_count * sizeof(From)),
                  group.thread_rank(), group.size());
}
template <typename Group> HOSTCUDA_INLINE void wait(const Group &group)
{
    group.sync();
}
template <unsigned Stages, typename Group> HOSTCUDA_INLINE void wait_prior(const Group &group)
{
    group.sync();
}

} // namespace cooperative_groups

#endif
