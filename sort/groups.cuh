/* groups.cuh - which children of a bucket are sorted together: as many successive ones as fit. */
#ifndef BANKSCOPE_SORT_GROUPS_CUH
#define BANKSCOPE_SORT_GROUPS_CUH

#include "sort/finish.cuh"

namespace bankscope
{

/* What plan_groups() has in shared memory. */
struct plan_memory {
    unsigned begin[MOST_BUCKETS + 1]; /* of each child in its parent */
    unsigned short next[2][MOST_BUCKETS + 1];
    unsigned char reached[MOST_BUCKETS + 1];
    unsigned of_warp[MOST_BUCKETS / 32], to[LISTS];
};

/* Child c begins a group if it is reached from child 0 by jumps from a group's beginning to the next
 * one's. Each turn marks where those that are marked jump to, and doubles the jumps. `behind` is where
 * this thread's child jumps to. Six barriers or more. */
__device__ __forceinline__ void mark_groups(plan_memory &memory, int children, unsigned behind)
{
    const int c = threadIdx.x;
    if (c < children) {
        memory.next[0][c] = (unsigned short)behind;
        memory.reached[c] = c == 0;
    }
    if (c == 0) {
        memory.next[0][children] = memory.next[1][children] = (unsigned short)children;
        memory.reached[children] = 0;
    }
    __syncthreads();
    for (int turn = 0; 1 << turn < children; turn++) {
        unsigned next = 0, after = 0;
        bool mine = false;
        if (c < children) {
            next = memory.next[turn & 1][c];
            after = memory.next[turn & 1][next];
            mine = memory.reached[c];
        }
        __syncthreads();
        if (c < children) {
            memory.next[~turn & 1][c] = (unsigned short)after;
            if (mine)
                memory.reached[next] = 1;
        }
        __syncthreads();
    }
}

/* The group of children first .. behind - 1, of `size` items: its keys, and so how it is sorted. */
template <class Key, class Value>
__device__ __forceinline__ group make_group(const distribution<Key, Value> &s, unsigned parent,
                                            const unsigned *begin, unsigned first, unsigned behind,
                                            int log_bins)
{
    const int children = 1 << s.log_children;
    const threshold_of<Key> *const bounds = s.child_bounds + (size_t)parent * children;
    unsigned last = behind - 1;
    group g = {};
    g.size = begin[behind] - begin[first];
    g.out = s.out[parent] + begin[first];
    g.tile = s.first_tile[parent];
    g.behind_tile = s.first_tile[parent + 1];
    g.base = s.log_buckets ? bucket_base(s.out[parent], parent) : 0;
    g.first = (unsigned short)first;
    g.behind = (unsigned short)behind;
    while (begin[first + 1] == begin[first]) /* empty children have no say */
        first++;
    while (begin[last + 1] == begin[last])
        last--;
    if constexpr (is_number<Key>) {
        Key low = 0, high = 0, other = 0;
        keys_of_bucket(bounds, children, (int)first, s.low[parent], s.high[parent], low, other);
        keys_of_bucket(bounds, children, (int)last, s.low[parent], s.high[parent], other, high);
        const unsigned_of<Key> range = (unsigned_of<Key>)high - (unsigned_of<Key>)low;
        set_keys<Key, Value>(g, low, range, log_bins);
    } else {
        const bool equal = first == last && has_one_key(bounds, children, (int)first);
        g.kind = equal ? GROUP_OF_EQUALS : GROUP_BY_ORDER;
    }
    return g;
}

/* The groups of a parent whose keys are equal. They lie one behind the other. */
template <class Key, class Value>
__device__ __forceinline__ void plan_equals(const distribution<Key, Value> &s, unsigned parent,
                                            unsigned *to)
{
    const unsigned most = 1u << s.log_group, total = s.out[parent + 1] - s.out[parent];
    const unsigned groups = (total + most - 1) / most;
    if (threadIdx.x == 0)
        *to = atomicAdd(&s.count->groups[LIST_FINISH], groups);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < groups; i += blockDim.x) {
        const unsigned begin = i * most, tile = begin / TILE;
        group g = {};
        g.tile = s.first_tile[parent] + tile;
        g.behind_tile = g.tile + 1;
        g.base = bucket_base(s.out[parent], parent) + tile * TILE;
        g.skip = begin % TILE;
        g.size = min(total - begin, most);
        g.out = s.out[parent] + begin;
        g.behind = 1; /* child 0 has all of a tile */
        if constexpr (is_number<Key>)
            g.low = (uint64_t)(unsigned_of<Key>)s.low[parent];
        g.kind = GROUP_OF_EQUALS;
        s.groups[LIST_FINISH][*to + i] = g;
    }
}

/* A block for each parent. Groups of equal keys are cut into pieces of a group's greatest size. */
template <class Key, class Value>
__global__ void __launch_bounds__(MOST_BUCKETS)
    plan_groups(const __grid_constant__ distribution<Key, Value> s, int log_bins)
{
    __shared__ plan_memory memory;
    const int c = threadIdx.x, children = 1 << s.log_children;
    const unsigned parent = blockIdx.x, most = 1u << s.log_group;
    if (s.out[parent + 1] == s.out[parent])
        return;
    if (s.equal[parent]) { /* written already, if level 2 could */
        if constexpr (borrows_output<Key, Value>)
            plan_equals(s, parent, memory.to);
        return;
    }
    unsigned all;
    const unsigned mine = c < children ? s.child_totals[(size_t)parent * children + c] : 0;
    const unsigned at = block_scan<MOST_BUCKETS>(mine, memory.of_warp, all);
    if (c < children)
        memory.begin[c] = at;
    if (c == 0)
        memory.begin[children] = all;
    __syncthreads();

    unsigned behind = 0; /* the first child that does not fit into a group that begins with c */
    if (c < children) {
        int low = c, high = children;
        while (low < high) {
            const int middle = (low + high + 1) / 2;
            if (memory.begin[middle] - at <= most)
                low = middle;
            else
                high = middle - 1;
        }
        behind = max(low, c + 1);
    }
    mark_groups(memory, children, behind);

    group g = {};
    unsigned pieces = 0;
    int list = LISTS;
    if (c < children && memory.reached[c] && memory.begin[behind] > at) {
        g = make_group(s, parent, memory.begin, c, behind, log_bins);
        list = g.kind == GROUP_OF_EQUALS || g.size <= most ? LIST_FINISH : LIST_REST;
        pieces = g.kind == GROUP_OF_EQUALS ? (g.size + most - 1) / most : 1;
    }
    for (int l = 0; l < LISTS; l++) {
        const unsigned before =
            block_scan<MOST_BUCKETS>(list == l ? pieces : 0, memory.of_warp, all);
        if (c == 0 && all)
            memory.to[l] = atomicAdd(&s.count->groups[l], all);
        __syncthreads();
        for (unsigned i = 0; list == l && i < pieces; i++) {
            group piece = g;
            if (g.kind == GROUP_OF_EQUALS) {
                piece.skip = i * most;
                piece.size = min(g.size - piece.skip, most);
                piece.out = g.out + piece.skip;
            }
            s.groups[l][memory.to[l] + before + i] = piece;
        }
    }
}

} // namespace bankscope
#endif
