/* cooperative_groups.h - groups of threads as objects: the block, tiles of a warp, the lanes that are here, the grid. */
#pragma once
namespace cooperative_groups {
__device__ unsigned __kc_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ unsigned __kc_block() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ unsigned __kc_lane() { unsigned d; asm("mov.u32 %0, %%laneid;" : "=r"(d)); return d; }
__device__ unsigned __kc_workspace(int high) { unsigned d; if (high) asm("mov.u32 %0, %%envreg1;" : "=r"(d)); else asm("mov.u32 %0, %%envreg2;" : "=r"(d)); return d; }

struct thread_block {
    __device__ static void sync() { __syncthreads(); }
    __device__ static unsigned size() { return __kc_block(); }
    __device__ static unsigned num_threads() { return __kc_block(); }
    __device__ static unsigned thread_rank() { return __kc_rank(); }
    __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __device__ static dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};
__device__ thread_block this_thread_block() { return thread_block(); }

/* Lanes of one warp, whose number may be known when compiling. */
struct __kc_lanes {
    unsigned mask, rank, count;
    __device__ void sync() const { __syncwarp(mask); }
    __device__ unsigned size() const { return count; }
    __device__ unsigned num_threads() const { return count; }
    __device__ unsigned thread_rank() const { return rank; }
    __device__ unsigned __lane(unsigned i) const { for (unsigned lane = 0; lane < 32; lane++) if (mask >> lane & 1) { if (i == 0) return lane; i--; } return 0; }
    __device__ unsigned __packed(unsigned lanes) const { unsigned d = 0; int n = 0; for (unsigned lane = 0; lane < 32; lane++) if (mask >> lane & 1) d |= (lanes >> lane & 1) << n++; return d; }
    template <typename T> __device__ T shfl(T x, int i) const { return __shfl_sync(mask, x, (int)__lane(i), 32); }
    template <typename T> __device__ T shfl_up(T x, unsigned n) const { return __shfl_sync(mask, x, (int)(rank >= n ? __lane(rank - n) : __kc_lane()), 32); }
    template <typename T> __device__ T shfl_down(T x, unsigned n) const { return __shfl_sync(mask, x, (int)(rank + n < count ? __lane(rank + n) : __kc_lane()), 32); }
    template <typename T> __device__ T shfl_xor(T x, unsigned n) const { return __shfl_sync(mask, x, (int)((rank ^ n) < count ? __lane(rank ^ n) : __kc_lane()), 32); }
    __device__ int any(int p) const { return __any_sync(mask, p); }
    __device__ int all(int p) const { return __all_sync(mask, p); }
    __device__ unsigned ballot(int p) const { return __packed(__ballot_sync(mask, p)); }
    template <typename T> __device__ unsigned match_any(T x) const { return __packed(__match_any_sync(mask, x)); }
};
struct coalesced_group : __kc_lanes {
    __device__ unsigned meta_group_rank() const { return 0; }
    __device__ unsigned meta_group_size() const { return 1; }
};
__device__ coalesced_group __kc_group(unsigned mask) { coalesced_group g; g.mask = mask; g.rank = __popc(mask & ((1u << __kc_lane()) - 1)); g.count = __popc(mask); return g; }
__device__ coalesced_group coalesced_threads() { return __kc_group(__activemask()); }
template <typename P> __device__ coalesced_group labeled_partition(const coalesced_group &g, P label) { return __kc_group(__match_any_sync(g.mask, label)); }
__device__ coalesced_group binary_partition(const coalesced_group &g, bool p) { unsigned yes = __ballot_sync(g.mask, p); return __kc_group(p ? yes : g.mask & ~yes); }

template <unsigned N> struct __kc_tile {
    __device__ static unsigned __mask() { return N == 32 ? 0xffffffffu : ((1u << (N & 31)) - 1) << (__kc_rank() % 32 / N * N); }
    __device__ static void sync() { __syncwarp(__mask()); }
    __device__ static constexpr unsigned size() { return N; }
    __device__ static constexpr unsigned num_threads() { return N; }
    __device__ static unsigned thread_rank() { return __kc_rank() % N; }
    template <typename T> __device__ T shfl(T x, int i) const { return __shfl_sync(__mask(), x, i, N); }
    template <typename T> __device__ T shfl_up(T x, unsigned n) const { return __shfl_up_sync(__mask(), x, n, N); }
    template <typename T> __device__ T shfl_down(T x, unsigned n) const { return __shfl_down_sync(__mask(), x, n, N); }
    template <typename T> __device__ T shfl_xor(T x, unsigned n) const { return __shfl_xor_sync(__mask(), x, (int)n, N); }
    __device__ int any(int p) const { return __any_sync(__mask(), p); }
    __device__ int all(int p) const { return __all_sync(__mask(), p); }
    __device__ unsigned ballot(int p) const { return (__ballot_sync(__mask(), p) & __mask()) >> (__kc_rank() % 32 / N * N); }
    template <typename T> __device__ unsigned match_any(T x) const { return (__match_any_sync(__mask(), x) & __mask()) >> (__kc_rank() % 32 / N * N); }
};
/* Tiles know by their type what they are part of; those of thread_block_tile<N> remember it. */
template <unsigned N, typename P = void> struct thread_block_tile : __kc_tile<N> {
    __device__ static unsigned meta_group_rank() { return P::thread_rank() / N; }
    __device__ static unsigned meta_group_size() { return (P::size() + N - 1) / N; }
};
template <unsigned N> struct thread_block_tile<N, void> : __kc_tile<N> {
    unsigned __rank, __count;
    thread_block_tile() = default;
    template <typename Q> __device__ thread_block_tile(const thread_block_tile<N, Q> &other) { __rank = other.meta_group_rank(); __count = other.meta_group_size(); }
    __device__ unsigned meta_group_rank() const { return __rank; }
    __device__ unsigned meta_group_size() const { return __count; }
};
template <unsigned N, typename G> __device__ thread_block_tile<N, G> tiled_partition(const G &g) { return thread_block_tile<N, G>(); }
template <unsigned N, typename P> __device__ coalesced_group binary_partition(const thread_block_tile<N, P> &g, bool p) { unsigned yes = __ballot_sync(g.__mask(), p); return __kc_group(p ? yes & g.__mask() : g.__mask() & ~yes); }
template <unsigned N, typename P, typename L> __device__ coalesced_group labeled_partition(const thread_block_tile<N, P> &g, L label) { return __kc_group(__match_any_sync(g.__mask(), label) & g.__mask()); }

/* The blocks of a cooperative launch meet at a word of its workspace. */
struct grid_group {
    __device__ static bool is_valid() { return (__kc_workspace(0) | __kc_workspace(1)) != 0; }
    __device__ static unsigned long long size() { return (unsigned long long)__kc_block() * gridDim.x * gridDim.y * gridDim.z; }
    __device__ static unsigned long long num_threads() { return size(); }
    __device__ static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    __device__ static unsigned long long block_rank() { return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
    __device__ static unsigned long long thread_rank() { return block_rank() * __kc_block() + __kc_rank(); }
    __device__ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    __device__ static void sync()
    {
        unsigned *at = (unsigned *)((unsigned long long)__kc_workspace(1) << 32 | __kc_workspace(0)) + 1;
        __syncthreads();
        if (__kc_rank() == 0) {
            const unsigned mine = block_rank() == 0 ? 0x80000000u - (unsigned)(num_blocks() - 1) : 1;
            __threadfence();
            const unsigned old = atomicAdd(at, mine);
            unsigned now;
            do
                asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(at) : "memory");
            while (!((old ^ now) & 0x80000000u));
        }
        __syncthreads();
    }
};
__device__ grid_group this_grid() { return grid_group(); }

/* A group of any kind, which others convert to: lanes of a warp, the block, or the grid, which have no mask. */
struct thread_group {
    unsigned __mask;
    bool __all_blocks;
    unsigned long long __count, __rank;
    __device__ thread_group(const thread_block &g) { __mask = 0; __all_blocks = false; __count = g.size(); __rank = g.thread_rank(); }
    __device__ thread_group(const grid_group &g) { __mask = 0; __all_blocks = true; __count = g.size(); __rank = g.thread_rank(); }
    __device__ thread_group(const __kc_lanes &g) { __mask = g.mask; __all_blocks = false; __count = g.count; __rank = g.rank; }
    template <unsigned N, typename P> __device__ thread_group(const thread_block_tile<N, P> &g) { __mask = g.__mask(); __all_blocks = false; __count = N; __rank = g.thread_rank(); }
    __device__ unsigned long long size() const { return __count; }
    __device__ unsigned long long num_threads() const { return __count; }
    __device__ unsigned long long thread_rank() const { return __rank; }
    __device__ bool is_valid() const { return true; }
    __device__ void sync() const { if (__mask) __syncwarp(__mask); else if (__all_blocks) grid_group::sync(); else __syncthreads(); }
};
/* `size` lanes of it, by rank, that the caller is among. */
__device__ coalesced_group tiled_partition(const coalesced_group &g, unsigned size)
{
    unsigned mask = 0;
    for (unsigned i = g.rank / size * size; i < (g.rank / size + 1) * size && i < g.count; i++) mask |= 1u << g.__lane(i);
    return __kc_group(mask);
}
__device__ thread_group tiled_partition(const thread_group &g, unsigned size) { return tiled_partition(__kc_group(g.__mask ? g.__mask : 0xffffffffu), size); }
template <typename G> __device__ void sync(const G &g) { g.sync(); }

template <typename T = void> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T = void> struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <typename T = void> struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <typename T = void> struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <typename T = void> struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <typename T = void> struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };
template <unsigned N, typename P, typename T, typename O> __device__ T reduce(const thread_block_tile<N, P> &g, T x, O op) { for (int i = N / 2; i > 0; i /= 2) x = op(x, g.shfl_xor(x, i)); return x; }
template <typename T, typename O> __device__ T reduce(const coalesced_group &g, T x, O op) { T d = g.shfl(x, 0); for (unsigned i = 1; i < g.size(); i++) d = op(d, g.shfl(x, i)); return d; }
template <typename G, typename T, typename O> __device__ T inclusive_scan(const G &g, T x, O op) { for (unsigned i = 1; i < g.size(); i *= 2) { T y = g.shfl_up(x, i); if (g.thread_rank() >= i) x = op(y, x); } return x; }
template <typename G, typename T> __device__ T inclusive_scan(const G &g, T x) { return inclusive_scan(g, x, plus<T>()); }
template <typename G, typename T, typename O> __device__ T exclusive_scan(const G &g, T x, O op) { T y = g.shfl_up(inclusive_scan(g, x, op), 1u); return g.thread_rank() == 0 ? T() : y; }
template <typename G, typename T> __device__ T exclusive_scan(const G &g, T x) { return exclusive_scan(g, x, plus<T>()); }
}
