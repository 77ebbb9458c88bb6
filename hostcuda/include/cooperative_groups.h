/* cooperative_groups.h - groups of threads as objects: the block, tiles of it, the lanes that are
 * here, the grid of a cooperative launch. */
#ifndef HOSTCUDA_COOPERATIVE_GROUPS_H
#define HOSTCUDA_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"
#include <type_traits>

#define _CG_HAS_CLUSTER_GROUP 1

namespace cooperative_groups
{

/* A group of any kind, as functions take it that do not care: lanes of one warp, or the block, or
   the grid. Every other group converts to it. */
class thread_group
{
  public:
    enum kind { LANES, BLOCK, GRID };
    thread_group(kind what, unsigned mask, unsigned long long size, unsigned long long rank)
        : what(what), mask(mask), threads(size), rank(rank)
    {
    }
    HOSTCUDA_INLINE void meet(const thread_group &group)
    {
        if (group.what == LANES)
            hostcuda_sync_warp(group.mask);
        else if (group.what == BLOCK)
            hostcuda_sync_block(HOSTCUDA_SYNC_PLAIN, 0);
        else
            hostcuda_sync_grid();
    }
    __attribute__((always_inline)) void sync() const
    {
        meet(*this);
    }
    unsigned long long size() const
    {
        return threads;
    }
    unsigned long long num_threads() const
    {
        return threads;
    }
    unsigned long long thread_rank() const
    {
        return rank;
    }
    bool is_valid() const
    {
        return true;
    }
    kind type() const
    {
        return what;
    }
    unsigned lanes() const
    {
        return mask;
    }

  private:
    kind what;
    unsigned mask;
    unsigned long long threads, rank;
};

HOSTCUDA_INLINE unsigned hostcuda_block_size()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

class thread_block
{
  public:
    HOSTCUDA_INLINE void sync()
    {
        hostcuda_sync_block(HOSTCUDA_SYNC_PLAIN, 0);
    }
    struct arrival_token {
    };
    arrival_token barrier_arrive() const
    {
        return {};
    }
    __attribute__((always_inline)) void barrier_wait(arrival_token &&) const
    {
        sync();
    }
    HOSTCUDA_INLINE unsigned size()
    {
        return hostcuda_block_size();
    }
    HOSTCUDA_INLINE unsigned num_threads()
    {
        return hostcuda_block_size();
    }
    HOSTCUDA_INLINE unsigned thread_rank()
    {
        return hostcuda_thread;
    }
    HOSTCUDA_INLINE dim3 group_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    HOSTCUDA_INLINE dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    HOSTCUDA_INLINE dim3 group_dim()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    HOSTCUDA_INLINE dim3 dim_threads()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    operator thread_group() const
    {
        return thread_group(thread_group::BLOCK, 0, size(), thread_rank());
    }
};
HOSTCUDA_INLINE thread_block this_thread_block()
{
    return {};
}
/* What tiles of more than a warp keep their values in on a GPU. */
template <unsigned Threads> struct block_tile_memory {
    unsigned long long unused;
};
template <unsigned Threads>
HOSTCUDA_INLINE thread_block this_thread_block(block_tile_memory<Threads> &)
{
    return {};
}
namespace experimental
{
using cooperative_groups::block_tile_memory;
using cooperative_groups::this_thread_block;
} // namespace experimental

class grid_group
{
  public:
    HOSTCUDA_INLINE bool is_valid()
    {
        return true;
    }
    HOSTCUDA_INLINE void sync()
    {
        hostcuda_sync_grid();
    }
    HOSTCUDA_INLINE unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    HOSTCUDA_INLINE unsigned long long block_rank()
    {
        return blockIdx.x + (unsigned long long)gridDim.x *
                                (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    HOSTCUDA_INLINE unsigned long long size()
    {
        return num_blocks() * hostcuda_block_size();
    }
    HOSTCUDA_INLINE unsigned long long num_threads()
    {
        return size();
    }
    HOSTCUDA_INLINE unsigned long long thread_rank()
    {
        return block_rank() * hostcuda_block_size() + hostcuda_thread;
    }
    HOSTCUDA_INLINE dim3 group_dim()
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    HOSTCUDA_INLINE dim3 dim_blocks()
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    HOSTCUDA_INLINE dim3 block_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    operator thread_group() const
    {
        return thread_group(thread_group::GRID, 0, size(), thread_rank());
    }
};
HOSTCUDA_INLINE grid_group this_grid()
{
    return {};
}

/* A cluster is one block here. */
class cluster_group : public thread_block
{
  public:
    HOSTCUDA_INLINE unsigned num_blocks()
    {
        return 1;
    }
    HOSTCUDA_INLINE unsigned block_rank()
    {
        return 0;
    }
    HOSTCUDA_INLINE dim3 dim_blocks()
    {
        return dim3(1, 1, 1);
    }
    HOSTCUDA_INLINE dim3 block_index()
    {
        return dim3(0, 0, 0);
    }
    template <typename T> HOSTCUDA_INLINE T *map_shared_rank(T *at, unsigned)
    {
        return at;
    }
    HOSTCUDA_INLINE unsigned query_shared_rank(const void *)
    {
        return 0;
    }
};
HOSTCUDA_INLINE cluster_group this_cluster()
{
    return {};
}

/* ---- lanes of one warp ------------------------------------------------------------------------------ */

/* What tiles and coalesced groups have in common: Group says which lanes they are (lanes()), and
   which lane has a rank in them (lane_of). */
template <typename Group> class hostcuda_lanes
{
    const Group &self() const
    {
        return static_cast<const Group &>(*this);
    }
    /* The value of a lane of the group: rank is where to read, the own one when out of range. */
    template <typename T> __attribute__((always_inline)) T read(const T &value, unsigned rank) const
    {
        return self().fetch(value, rank);
    }

  public:
    /* What the group has to have for the rest; a group that is no part of a warp has its own. */
    template <typename T>
    __attribute__((always_inline)) T fetch(const T &value, unsigned rank) const
    {
        return hostcuda_read(self().lanes(), value, self().lane_of(rank));
    }
    __attribute__((always_inline)) hostcuda_vote ask(int predicate) const
    {
        return hostcuda_ask(self().lanes(), predicate);
    }
    __attribute__((always_inline)) void sync() const
    {
        hostcuda_sync_warp(self().lanes());
    }
    unsigned long long num_threads() const
    {
        return self().size();
    }
    template <typename T> __attribute__((always_inline)) T shfl(T value, int rank) const
    {
        return read(value, (unsigned)rank % self().size());
    }
    template <typename T> __attribute__((always_inline)) T shfl_up(T value, unsigned delta) const
    {
        unsigned rank = self().thread_rank();
        return read(value, rank >= delta ? rank - delta : rank);
    }
    template <typename T> __attribute__((always_inline)) T shfl_down(T value, unsigned delta) const
    {
        unsigned rank = self().thread_rank();
        return read(value, rank + delta < self().size() ? rank + delta : rank);
    }
    template <typename T> __attribute__((always_inline)) T shfl_xor(T value, unsigned lanes) const
    {
        unsigned rank = self().thread_rank();
        return read(value, (rank ^ lanes) < self().size() ? rank ^ lanes : rank);
    }
    __attribute__((always_inline)) int any(int predicate) const
    {
        return self().ask(predicate).yes != 0;
    }
    __attribute__((always_inline)) int all(int predicate) const
    {
        hostcuda_vote vote = self().ask(predicate);
        return vote.yes == vote.came;
    }
    /* Masks count ranks of the group, not lanes of the warp. */
    __attribute__((always_inline)) unsigned ballot(int predicate) const
    {
        return self().ranks_of(__ballot_sync(self().lanes(), predicate));
    }
    template <typename T> __attribute__((always_inline)) unsigned match_any(T value) const
    {
        return self().ranks_of(__match_any_sync(self().lanes(), value));
    }
    template <typename T>
    __attribute__((always_inline)) unsigned match_all(T value, int &equal) const
    {
        return self().ranks_of(__match_all_sync(self().lanes(), value, &equal));
    }
    operator thread_group() const
    {
        return thread_group(thread_group::LANES, self().lanes(), self().size(),
                            self().thread_rank());
    }
};

/* A tile of Size lanes that lie together. A tile of more than 32 threads is whole warps, which meet at a
   barrier of their own (below those with numbers 0..15 that a program may name). */
template <unsigned Size, typename Parent = void>
class thread_block_tile : public hostcuda_lanes<thread_block_tile<Size, Parent>>
{
  public:
    static_assert(Size > 0 && (Size & (Size - 1)) == 0 && Size <= 1024,
                  "the size of a tile is a power of two");
    thread_block_tile() = default;
    template <typename Other> thread_block_tile(const thread_block_tile<Size, Other> &)
    {
    }
    HOSTCUDA_INLINE unsigned lanes()
    {
        static_assert(Size <= 32, "shuffles and votes are for tiles of up to 32 threads");
        return (Size == 32 ? ~0u : (1u << Size % 32) - 1) << (hostcuda_lane & ~(Size - 1));
    }
    HOSTCUDA_INLINE unsigned lane_of(unsigned rank)
    {
        return (hostcuda_lane & ~(Size - 1)) + rank;
    }
    HOSTCUDA_INLINE unsigned ranks_of(unsigned lanes)
    {
        return lanes >> (hostcuda_lane & ~(Size - 1) & 31) & (unsigned)((1ull << Size) - 1);
    }
    HOSTCUDA_INLINE int barrier()
    {
        return (int)(15 + 1024 / Size + hostcuda_thread / Size);
    }
    __attribute__((always_inline)) void sync() const
    {
        if constexpr (Size <= 32)
            hostcuda_sync_warp(lanes());
        else
            hostcuda_sync_named(barrier(), (int)Size);
    }
    template <typename T>
    __attribute__((always_inline)) T fetch(const T &value, unsigned rank) const
    {
        if constexpr (Size <= 32)
            return hostcuda_read(lanes(), value, lane_of(rank));
        alignas(T) unsigned char memory[sizeof(T)];
        hostcuda_receive_far(barrier(), (int)Size, &value, sizeof value,
                             (hostcuda_thread & ~(Size - 1)) + rank, memory);
        return *reinterpret_cast<T *>(memory);
    }
    __attribute__((always_inline)) hostcuda_vote ask(int predicate) const
    {
        if constexpr (Size <= 32)
            return hostcuda_ask(lanes(), predicate);
        unsigned yes = predicate != 0;
        for (unsigned step = Size / 2; step > 0; step /= 2)
            yes += fetch(yes, ((unsigned)hostcuda_thread & (Size - 1)) ^ step);
        return {Size, yes};
    }
    static constexpr unsigned size()
    {
        return Size;
    }
    static constexpr unsigned num_threads()
    {
        return Size;
    }
    HOSTCUDA_INLINE unsigned long long thread_rank()
    {
        return hostcuda_thread & (Size - 1);
    }
    HOSTCUDA_INLINE unsigned long long meta_group_size()
    {
        return (hostcuda_block_size() + Size - 1) / Size;
    }
    HOSTCUDA_INLINE unsigned long long meta_group_rank()
    {
        return hostcuda_thread / Size;
    }
};
/* A tile of a tile: counts within its parent. */
template <unsigned Size, unsigned ParentSize, typename Parent>
class thread_block_tile<Size, thread_block_tile<ParentSize, Parent>>
    : public thread_block_tile<Size, void>
{
  public:
    HOSTCUDA_INLINE unsigned long long meta_group_size()
    {
        return ParentSize / Size;
    }
    HOSTCUDA_INLINE unsigned long long meta_group_rank()
    {
        return hostcuda_thread % ParentSize / Size;
    }
};

/* The lanes of a mask, ranked by number. */
class coalesced_group : public hostcuda_lanes<coalesced_group>
{
  public:
    explicit coalesced_group(unsigned mask, unsigned parts = 1, unsigned part = 0)
        : mask(mask), parts(parts), part(part)
    {
    }
    unsigned lanes() const
    {
        return mask;
    }
    unsigned lane_of(unsigned rank) const
    {
        return __fns(mask, 0, (int)rank + 1);
    }
    unsigned ranks_of(unsigned lanes) const
    {
        unsigned ranks = 0;
        for (unsigned rank = 0; rank < size(); rank++)
            ranks |= (lanes >> lane_of(rank) & 1) << rank;
        return ranks;
    }
    unsigned long long size() const
    {
        return (unsigned long long)__popc(mask);
    }
    unsigned long long thread_rank() const
    {
        return (unsigned long long)__popc(mask & ((1u << hostcuda_lane) - 1));
    }
    unsigned long long meta_group_size() const
    {
        return parts;
    }
    unsigned long long meta_group_rank() const
    {
        return part;
    }

  private:
    unsigned mask, parts, part;
};
HOSTCUDA_INLINE coalesced_group coalesced_threads()
{
    return coalesced_group(hostcuda_active());
}

/* ---- partitions ------------------------------------------------------------------------------------- */

template <unsigned Size, typename Parent>
HOSTCUDA_INLINE thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return {};
}
/* Part of the mask: the `size` lanes by rank among which the caller is. */
HOSTCUDA_INLINE coalesced_group hostcuda_part_of(unsigned mask, unsigned size)
{
    coalesced_group whole(mask);
    unsigned part = (unsigned)whole.thread_rank() / size, lanes = 0;
    for (unsigned rank = part * size; rank < (part + 1) * size && rank < whole.size(); rank++)
        lanes |= 1u << whole.lane_of(rank);
    return coalesced_group(lanes, ((unsigned)whole.size() + size - 1) / size, part);
}
HOSTCUDA_INLINE coalesced_group tiled_partition(const coalesced_group &group, unsigned size)
{
    return hostcuda_part_of(group.lanes(), size);
}
HOSTCUDA_INLINE thread_group tiled_partition(const thread_group &group, unsigned size)
{
    if (group.type() != thread_group::LANES && size <= 32)
        return hostcuda_part_of(
            (size == 32 ? ~0u : (1u << size) - 1) << (hostcuda_lane & ~(size - 1)), size);
    return hostcuda_part_of(group.lanes(), size);
}
template <typename Group, typename Label>
HOSTCUDA_INLINE coalesced_group labeled_partition(const Group &group, Label label)
{
    return coalesced_group(__match_any_sync(group.lanes(), label));
}
template <typename Group>
HOSTCUDA_INLINE coalesced_group binary_partition(const Group &group, bool in)
{
    unsigned yes = __ballot_sync(group.lanes(), in);
    return coalesced_group(in ? yes : group.lanes() & ~yes, 2, in);
}

template <typename Group> HOSTCUDA_INLINE void sync(const Group &group)
{
    group.sync();
}
template <typename Group> HOSTCUDA_INLINE unsigned long long group_size(const Group &group)
{
    return group.size();
}
template <typename Group> HOSTCUDA_INLINE unsigned long long thread_rank(const Group &group)
{
    return group.thread_rank();
}

/* One thread of the group does it. */
template <typename Group, typename F, typename... A>
HOSTCUDA_INLINE void invoke_one(const Group &group, F &&function, A &&...values)
{
    if (group.thread_rank() == 0)
        function(values...);
}
template <typename Group, typename F, typename... A>
HOSTCUDA_INLINE auto invoke_one_broadcast(const Group &group, F &&function, A &&...values)
{
    decltype(function(values...)) result{};
    if (group.thread_rank() == 0)
        result = function(values...);
    return group.shfl(result, 0);
}

/* ---- operations of reduce and scan ---------------------------------------------------------------- */

#define HOSTCUDA_OPERATOR(name, value)                                                             \
    template <typename T = void> struct name {                                                     \
        __attribute__((always_inline)) T operator()(const T &a, const T &b) const                  \
        {                                                                                          \
            return value;                                                                          \
        }                                                                                          \
    };
HOSTCUDA_OPERATOR(plus, a + b)
HOSTCUDA_OPERATOR(less, b < a ? b : a)
HOSTCUDA_OPERATOR(greater, a < b ? b : a)
HOSTCUDA_OPERATOR(bit_and, a &b)
HOSTCUDA_OPERATOR(bit_or, a | b)
HOSTCUDA_OPERATOR(bit_xor, a ^ b)
#undef HOSTCUDA_OPERATOR

} // namespace cooperative_groups

#endif
