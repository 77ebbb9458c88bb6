/* cooperative_groups.h - groups of threads as objects: the block, tiles of it, the lanes that are
 * here, the grid of a cooperative launch. */
#ifndef BANKSCOPE_COOPERATIVE_GROUPS_H
#define BANKSCOPE_COOPERATIVE_GROUPS_H
#define _COOPERATIVE_GROUPS_H_
#define _CG_HAS_CLUSTER_GROUP 1

#include "bankscope/groups.h"
#include "bankscope/cluster.h"
#include "bankscope/traits.h"
#include <utility>

#pragma clang force_cuda_host_device begin
namespace cooperative_groups
{

/* A group of any kind, as functions take it that do not care: lanes of one warp, or the block, or
   the grid. Every other group converts to it. */
class thread_group
{
  public:
    enum kind { LANES, BLOCK, GRID };
    BANKSCOPE_MEMBER thread_group(kind what, unsigned mask, unsigned long long size,
                                  unsigned long long rank)
        : what(what), mask(mask), threads(size), rank(rank)
    {
    }
    BANKSCOPE_MEMBER void sync() const
    {
        if (what == LANES)
            __syncwarp(mask);
        else if (what == BLOCK)
            __syncthreads();
        else
            bankscope_sync_grid();
    }
    BANKSCOPE_MEMBER unsigned long long size() const
    {
        return threads;
    }
    BANKSCOPE_MEMBER unsigned long long num_threads() const
    {
        return threads;
    }
    BANKSCOPE_MEMBER unsigned long long thread_rank() const
    {
        return rank;
    }
    BANKSCOPE_MEMBER bool is_valid() const
    {
        return true;
    }
    BANKSCOPE_MEMBER kind type() const
    {
        return what;
    }
    BANKSCOPE_MEMBER unsigned lanes() const
    {
        return mask;
    }

  private:
    kind what;
    unsigned mask;
    unsigned long long threads, rank;
};

BANKSCOPE_INLINE unsigned bankscope_block_size()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

/* ---- the block, the grid ------------------------------------------------------------------------ */

class thread_block
{
  public:
    struct arrival_token {
    };
    static BANKSCOPE_MEMBER void sync()
    {
        __syncthreads();
    }
    BANKSCOPE_MEMBER arrival_token barrier_arrive() const
    {
        return {};
    }
    BANKSCOPE_MEMBER void barrier_wait(arrival_token &&) const
    {
        sync();
    }
    static BANKSCOPE_MEMBER unsigned size()
    {
        return bankscope_block_size();
    }
    static BANKSCOPE_MEMBER unsigned num_threads()
    {
        return bankscope_block_size();
    }
    static BANKSCOPE_MEMBER unsigned thread_rank()
    {
        return bankscope_thread();
    }
    static BANKSCOPE_MEMBER dim3 group_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static BANKSCOPE_MEMBER dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    static BANKSCOPE_MEMBER dim3 group_dim()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    static BANKSCOPE_MEMBER dim3 dim_threads()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    BANKSCOPE_MEMBER operator thread_group() const
    {
        return thread_group(thread_group::BLOCK, 0, size(), thread_rank());
    }
};
BANKSCOPE_INLINE thread_block this_thread_block()
{
    return {};
}
/* What tiles of more than a warp keep their values in on older GPUs. */
template <unsigned Threads = 1024> struct block_tile_memory {
    unsigned long long unused;
};
template <unsigned Threads>
BANKSCOPE_INLINE thread_block this_thread_block(block_tile_memory<Threads> &)
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
    BANKSCOPE_MEMBER bool is_valid() const
    {
        return bankscope_workspace() != nullptr;
    }
    BANKSCOPE_MEMBER void sync() const
    {
        bankscope_sync_grid();
    }
    static BANKSCOPE_MEMBER unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static BANKSCOPE_MEMBER unsigned long long block_rank()
    {
        return blockIdx.x + (unsigned long long)gridDim.x *
                                (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    static BANKSCOPE_MEMBER unsigned long long size()
    {
        return num_blocks() * bankscope_block_size();
    }
    static BANKSCOPE_MEMBER unsigned long long num_threads()
    {
        return size();
    }
    static BANKSCOPE_MEMBER unsigned long long thread_rank()
    {
        return block_rank() * bankscope_block_size() + bankscope_thread();
    }
    static BANKSCOPE_MEMBER dim3 group_dim()
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    static BANKSCOPE_MEMBER dim3 dim_blocks()
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    static BANKSCOPE_MEMBER dim3 block_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    BANKSCOPE_MEMBER operator thread_group() const
    {
        return thread_group(thread_group::GRID, 0, size(), thread_rank());
    }
};
BANKSCOPE_INLINE grid_group this_grid()
{
    return {};
}

/* Blocks that are resident together; a block by itself, where a launch has no clusters. */
class cluster_group
{
  public:
    struct arrival_token {
    };
    static BANKSCOPE_MEMBER arrival_token barrier_arrive()
    {
        bankscope_cluster_arrive();
        return {};
    }
    static BANKSCOPE_MEMBER void barrier_wait()
    {
        bankscope_cluster_wait();
    }
    static BANKSCOPE_MEMBER void barrier_wait(arrival_token &&)
    {
        bankscope_cluster_wait();
    }
    static BANKSCOPE_MEMBER void sync()
    {
        barrier_arrive();
        barrier_wait();
    }
    static BANKSCOPE_MEMBER unsigned num_blocks()
    {
        return bankscope_cluster_blocks();
    }
    static BANKSCOPE_MEMBER unsigned block_rank()
    {
        return bankscope_cluster_rank();
    }
    static BANKSCOPE_MEMBER dim3 dim_blocks()
    {
        return dim3(bankscope_cluster_width(), bankscope_cluster_height(),
                    bankscope_cluster_depth());
    }
    static BANKSCOPE_MEMBER dim3 block_index()
    {
        return dim3(bankscope_cluster_x(), bankscope_cluster_y(), bankscope_cluster_z());
    }
    static BANKSCOPE_MEMBER dim3 dim_threads()
    {
        const dim3 blocks = dim_blocks();
        return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
    }
    static BANKSCOPE_MEMBER dim3 thread_index()
    {
        const dim3 block = block_index();
        return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                    block.z * blockDim.z + threadIdx.z);
    }
    static BANKSCOPE_MEMBER unsigned num_threads()
    {
        return num_blocks() * bankscope_block_size();
    }
    static BANKSCOPE_MEMBER unsigned size()
    {
        return num_threads();
    }
    static BANKSCOPE_MEMBER unsigned thread_rank()
    {
        return block_rank() * bankscope_block_size() + bankscope_thread();
    }
    template <typename T> BANKSCOPE_MEMBER T *map_shared_rank(T *at, unsigned rank) const
    {
        return (T *)bankscope_cluster_map((const void *)at, rank);
    }
    BANKSCOPE_MEMBER unsigned query_shared_rank(const void *at) const
    {
        return bankscope_cluster_rank_of(at);
    }
};
BANKSCOPE_INLINE cluster_group this_cluster()
{
    return {};
}

/* ---- lanes of one warp ---------------------------------------------------------------------------- */

/* Votes and matches of tiles and of coalesced groups. Group says which lanes they are (lanes()), and turns
   a mask of lanes into one of ranks (ranks_of). */
template <typename Group> class bankscope_lanes
{
    BANKSCOPE_MEMBER const Group &self() const
    {
        return static_cast<const Group &>(*this);
    }

  public:
    BANKSCOPE_MEMBER void sync() const
    {
        __syncwarp(self().lanes());
    }
    BANKSCOPE_MEMBER unsigned long long num_threads() const
    {
        return self().size();
    }
    BANKSCOPE_MEMBER int any(int predicate) const
    {
        return __any_sync(self().lanes(), predicate);
    }
    BANKSCOPE_MEMBER int all(int predicate) const
    {
        return __all_sync(self().lanes(), predicate);
    }
    BANKSCOPE_MEMBER unsigned ballot(int predicate) const
    {
        return self().ranks_of(__ballot_sync(self().lanes(), predicate));
    }
    template <typename T> BANKSCOPE_MEMBER unsigned match_any(T value) const
    {
        return self().ranks_of(__match_any_sync(self().lanes(), value));
    }
    template <typename T> BANKSCOPE_MEMBER unsigned match_all(T value, int &equal) const
    {
        return self().ranks_of(__match_all_sync(self().lanes(), value, &equal));
    }
    BANKSCOPE_MEMBER operator thread_group() const
    {
        return thread_group(thread_group::LANES, self().lanes(), self().size(),
                            self().thread_rank());
    }
};

/* A tile of Size lanes that lie together. */
template <unsigned Size>
class bankscope_small_tile : public bankscope_lanes<bankscope_small_tile<Size>>
{
  public:
    static BANKSCOPE_MEMBER unsigned lanes()
    {
        return (Size == 32 ? ~0u : (1u << Size % 32) - 1) << (bankscope_lane() & ~(Size - 1));
    }
    static BANKSCOPE_MEMBER unsigned ranks_of(unsigned lanes)
    {
        return lanes >> (bankscope_lane() & ~(Size - 1) & 31) & (unsigned)((1ull << Size) - 1);
    }
    template <typename T> BANKSCOPE_MEMBER T shfl(T value, int rank) const
    {
        return bankscope_shfl(lanes(), value, rank, Size);
    }
    template <typename T> BANKSCOPE_MEMBER T shfl_up(T value, unsigned delta) const
    {
        return bankscope_shfl_up(lanes(), value, delta, Size);
    }
    template <typename T> BANKSCOPE_MEMBER T shfl_down(T value, unsigned delta) const
    {
        return bankscope_shfl_down(lanes(), value, delta, Size);
    }
    template <typename T> BANKSCOPE_MEMBER T shfl_xor(T value, unsigned mask) const
    {
        return bankscope_shfl_xor(lanes(), value, (int)mask, Size);
    }
    static constexpr BANKSCOPE_MEMBER unsigned size()
    {
        return Size;
    }
    static BANKSCOPE_MEMBER unsigned thread_rank()
    {
        return bankscope_thread() & (Size - 1);
    }
};

/* A tile of whole warps, which meet and exchange values in shared memory. */
template <unsigned Size> class bankscope_large_tile
{
  public:
    static BANKSCOPE_MEMBER unsigned first_warp()
    {
        return (bankscope_thread() & ~(Size - 1)) / 32;
    }
    static BANKSCOPE_MEMBER void sync()
    {
        bankscope_sync_warps(first_warp(), Size / 32);
    }
    /* What the thread of that rank has, 8 bytes at a time. */
    template <typename T> BANKSCOPE_MEMBER T shfl(T value, int rank) const
    {
        alignas(T) unsigned char memory[sizeof(T)];
        unsigned long long *slot = bankscope_slot(first_warp());
        for (unsigned at = 0; at < sizeof(T); at += 8) {
            const unsigned bytes = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
            if (thread_rank() == (unsigned)rank % Size)
                __builtin_memcpy(slot, (const unsigned char *)&value + at, bytes);
            sync();
            __builtin_memcpy(memory + at, slot, bytes);
            sync();
        }
        return *reinterpret_cast<T *>(memory);
    }
    BANKSCOPE_MEMBER int any(int predicate) const
    {
        unsigned long long yes = __any_sync(~0u, predicate);
        return each_warp(yes, [](unsigned long long a, unsigned long long b) { return a | b; });
    }
    BANKSCOPE_MEMBER int all(int predicate) const
    {
        unsigned long long yes = __all_sync(~0u, predicate);
        return each_warp(yes, [](unsigned long long a, unsigned long long b) { return a & b; });
    }
    /* What the warps' values, of at most 8 bytes, come to together; before: only of those before this one. */
    template <typename T, typename Operation>
    BANKSCOPE_MEMBER T each_warp(T value, Operation operation) const
    {
        T result = leave(value, 0);
        for (unsigned warp = 1; warp < Size / 32; warp++)
            result = operation(result, found<T>(warp));
        sync();
        return result;
    }
    template <typename T, typename Operation>
    BANKSCOPE_MEMBER T warps_before(T value, T first, Operation operation) const
    {
        const unsigned mine = thread_rank() / 32;
        T before = leave(value, 0), result = first;
        for (unsigned warp = 1; warp <= mine; warp++) {
            result = before;
            before = operation(before, found<T>(warp));
        }
        sync();
        return result;
    }
    static constexpr BANKSCOPE_MEMBER unsigned size()
    {
        return Size;
    }
    static BANKSCOPE_MEMBER unsigned thread_rank()
    {
        return bankscope_thread() & (Size - 1);
    }
    BANKSCOPE_MEMBER operator thread_group() const = delete;

  private:
    /* Lane 31 leaves the warp's value for the others; the value of one warp. */
    template <typename T> BANKSCOPE_MEMBER T leave(T value, unsigned warp) const
    {
        static_assert(sizeof(T) <= 8, "bankscope: a tile of more than 32 threads reduces and scans "
                                      "values of at most 8 bytes");
        if (bankscope_thread() % 32 == 31)
            __builtin_memcpy(bankscope_slot(bankscope_thread() / 32), &value, sizeof value);
        sync();
        return found<T>(warp);
    }
    template <typename T> BANKSCOPE_MEMBER T found(unsigned warp) const
    {
        return *reinterpret_cast<const T *>(bankscope_slot(first_warp() + warp));
    }
};

template <unsigned Size, typename Parent = void>
class thread_block_tile
    : public bankscope_either<(Size <= 32), bankscope_small_tile<Size>, bankscope_large_tile<Size>>
{
  public:
    static_assert(Size > 0 && (Size & (Size - 1)) == 0 && Size <= 1024,
                  "the size of a tile is a power of two");
    static constexpr BANKSCOPE_MEMBER unsigned num_threads()
    {
        return Size;
    }
    static BANKSCOPE_MEMBER unsigned meta_group_size()
    {
        return (bankscope_block_size() + Size - 1) / Size;
    }
    static BANKSCOPE_MEMBER unsigned meta_group_rank()
    {
        return bankscope_thread() / Size;
    }
};
/* A tile of a tile: counts within its parent. */
template <unsigned Size, unsigned ParentSize, typename Parent>
class thread_block_tile<Size, thread_block_tile<ParentSize, Parent>>
    : public thread_block_tile<Size, thread_block>
{
  public:
    static BANKSCOPE_MEMBER unsigned meta_group_size()
    {
        return ParentSize / Size;
    }
    static BANKSCOPE_MEMBER unsigned meta_group_rank()
    {
        return bankscope_thread() % ParentSize / Size;
    }
};
/* A tile whose type does not say what it is of: it remembers its counts. */
template <unsigned Size>
class thread_block_tile<Size, void> : public thread_block_tile<Size, thread_block>
{
    unsigned tiles = thread_block_tile<Size, thread_block>::meta_group_size();
    unsigned tile = thread_block_tile<Size, thread_block>::meta_group_rank();

  public:
    thread_block_tile() = default;
    template <typename Other>
    BANKSCOPE_MEMBER thread_block_tile(const thread_block_tile<Size, Other> &other)
        : tiles(other.meta_group_size()), tile(other.meta_group_rank())
    {
    }
    BANKSCOPE_MEMBER unsigned meta_group_size() const
    {
        return tiles;
    }
    BANKSCOPE_MEMBER unsigned meta_group_rank() const
    {
        return tile;
    }
};

/* The lanes of a mask, ranked by number. */
class coalesced_group : public bankscope_lanes<coalesced_group>
{
  public:
    explicit BANKSCOPE_MEMBER coalesced_group(unsigned mask, unsigned parts = 1, unsigned part = 0)
        : mask(mask), parts(parts), part(part)
    {
    }
    BANKSCOPE_MEMBER unsigned lanes() const
    {
        return mask;
    }
    BANKSCOPE_MEMBER unsigned lane_of(unsigned rank) const
    {
        return mask == ~0u ? rank : __fns(mask, 0, (int)rank + 1);
    }
    BANKSCOPE_MEMBER unsigned ranks_of(unsigned lanes) const
    {
        unsigned ranks = 0;
        for (unsigned rank = 0; rank < size(); rank++)
            ranks |= (lanes >> lane_of(rank) & 1) << rank;
        return ranks;
    }
    template <typename T> BANKSCOPE_MEMBER T shfl(T value, int rank) const
    {
        return bankscope_shfl(mask, value, (int)lane_of((unsigned)rank % size()), 32);
    }
    template <typename T> BANKSCOPE_MEMBER T shfl_up(T value, unsigned delta) const
    {
        unsigned rank = thread_rank();
        return shfl(value, (int)(rank >= delta ? rank - delta : rank));
    }
    template <typename T> BANKSCOPE_MEMBER T shfl_down(T value, unsigned delta) const
    {
        unsigned rank = thread_rank();
        return shfl(value, (int)(rank + delta < size() ? rank + delta : rank));
    }
    template <typename T> BANKSCOPE_MEMBER T shfl_xor(T value, unsigned lanes) const
    {
        unsigned rank = thread_rank();
        return shfl(value, (int)((rank ^ lanes) < size() ? rank ^ lanes : rank));
    }
    BANKSCOPE_MEMBER unsigned size() const
    {
        return (unsigned)__popc((int)mask);
    }
    BANKSCOPE_MEMBER unsigned thread_rank() const
    {
        return (unsigned)__popc((int)(mask & ((1u << bankscope_lane()) - 1)));
    }
    BANKSCOPE_MEMBER unsigned meta_group_size() const
    {
        return parts;
    }
    BANKSCOPE_MEMBER unsigned meta_group_rank() const
    {
        return part;
    }

  private:
    unsigned mask, parts, part;
};
BANKSCOPE_INLINE coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

/* ---- partitions ------------------------------------------------------------------------------------ */

template <unsigned Size, typename Parent>
BANKSCOPE_INLINE thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    if constexpr (Size > 32 && std::is_same<Parent, thread_block>::value)
        bankscope_clear_board();
    return {};
}
/* Part of the mask: the `size` lanes by rank among which the caller is. */
BANKSCOPE_INLINE coalesced_group bankscope_part_of(unsigned mask, unsigned size)
{
    coalesced_group whole(mask);
    unsigned part = whole.thread_rank() / size, lanes = 0;
    for (unsigned rank = part * size; rank < (part + 1) * size && rank < whole.size(); rank++)
        lanes |= 1u << whole.lane_of(rank);
    return coalesced_group(lanes, (whole.size() + size - 1) / size, part);
}
BANKSCOPE_INLINE coalesced_group tiled_partition(const coalesced_group &group, unsigned size)
{
    return bankscope_part_of(group.lanes(), size);
}
BANKSCOPE_INLINE thread_group tiled_partition(const thread_group &group, unsigned size)
{
    if (group.type() != thread_group::LANES && size <= 32)
        return bankscope_part_of(
            (size == 32 ? ~0u : (1u << size) - 1) << (bankscope_lane() & ~(size - 1)), size);
    return bankscope_part_of(group.lanes(), size);
}
template <typename Group, typename Label>
BANKSCOPE_INLINE coalesced_group labeled_partition(const Group &group, Label label)
{
    return coalesced_group(__match_any_sync(group.lanes(), label));
}
template <typename Group>
BANKSCOPE_INLINE coalesced_group binary_partition(const Group &group, bool in)
{
    unsigned yes = __ballot_sync(group.lanes(), in);
    return coalesced_group(in ? yes : group.lanes() & ~yes, 2, in);
}

template <typename Group> BANKSCOPE_INLINE void sync(const Group &group)
{
    group.sync();
}
template <typename Group> BANKSCOPE_INLINE unsigned long long group_size(const Group &group)
{
    return group.size();
}
template <typename Group> BANKSCOPE_INLINE unsigned long long thread_rank(const Group &group)
{
    return group.thread_rank();
}

/* One thread of the group does it. */
template <typename Group, typename Function, typename... Values>
BANKSCOPE_INLINE void invoke_one(const Group &group, Function &&function, Values &&...values)
{
    if (group.thread_rank() == 0)
        function(values...);
}
template <typename Group, typename Function, typename... Values>
BANKSCOPE_INLINE auto invoke_one_broadcast(const Group &group, Function &&function,
                                           Values &&...values) -> decltype(function(values...))
{
    decltype(function(values...)) result{};
    if (group.thread_rank() == 0)
        result = function(values...);
    return group.shfl(result, 0);
}

/* ---- operations of reduce and scan ----------------------------------------------------------------- */

#define BANKSCOPE_OPERATOR(name, value)                                                            \
    template <typename T = void> struct name {                                                     \
        BANKSCOPE_MEMBER T operator()(const T &a, const T &b) const                                \
        {                                                                                          \
            return value;                                                                          \
        }                                                                                          \
    };
BANKSCOPE_OPERATOR(plus, a + b)
BANKSCOPE_OPERATOR(less, b < a ? b : a)
BANKSCOPE_OPERATOR(greater, a < b ? b : a)
BANKSCOPE_OPERATOR(bit_and, a &b)
BANKSCOPE_OPERATOR(bit_or, a | b)
BANKSCOPE_OPERATOR(bit_xor, a ^ b)
#undef BANKSCOPE_OPERATOR

} // namespace cooperative_groups

#pragma clang force_cuda_host_device end
#endif
