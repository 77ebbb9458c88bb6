/* distributor.cuh - the launches of a sort by distribution, and its parameters. */
#ifndef BANKSCOPE_SORT_DISTRIBUTOR_CUH
#define BANKSCOPE_SORT_DISTRIBUTOR_CUH

#include "sort/finish.cuh"
#include "sort/groups.cuh"
#include "sort/level.cuh"
#include "sort/scratch.cuh"
#include "sort/split.cuh"

#include <algorithm>
#include <cuda_runtime.h>

namespace bankscope
{

/* A level has up to 2^ buckets. Each of its sizes is a kernel of its own: who compiles for a machine without a
 * GPU, and sorts little, has fewer of them made. */
#ifndef SORT_LOG_BUCKETS
#define SORT_LOG_BUCKETS 9
#endif
enum { MOST_LOG_BUCKETS = SORT_LOG_BUCKETS, MOST_DISTRIBUTED = 1 << 28 /* items */ };
static_assert(MOST_LOG_BUCKETS >= 6 && MOST_LOG_BUCKETS <= 9, "levels have 2^6 to 2^9 buckets");

/* Parameters. Buckets are 2^6 .. 2^MOST_LOG_BUCKETS. */
struct distribution_shape {
    int log_buckets;  /* of level 1; 0: only one level */
    int log_children; /* of the last level */
    int log_group;    /* a group has up to 2^ items: 11 or 12 */
    unsigned seed;    /* of the samples; 0: the clock */
};

/* A group of n items has up to 2^ items. (The network of order.cuh sorts 2^12, however many there are.) */
template <class Key> int log_group_for(size_t n)
{
    return is_number<Key> && n < 1 << 22 ? 11 : 12;
}

/* What suits n items: children have a quarter of a group's items or fewer, so that only chance makes one
 * too large. */
template <class Key> distribution_shape distribution_shape_for(size_t n)
{
    distribution_shape shape = {0, 0, log_group_for<Key>(n), 0};
    int children = 0;
    while ((size_t)1 << (children + shape.log_group - 2) < n)
        children++;
    const int most = MOST_LOG_BUCKETS;
    if (children <= std::min(8, most)) {
        shape.log_children = std::max(6, children);
    } else {
        shape.log_buckets = std::min(most, std::max(6, (children + 1) / 2));
        shape.log_children = std::min(most, std::max(6, children - shape.log_buckets));
    }
    return shape;
}

/* Of the kernel that sorts groups of 4096 items of so many bytes, tuned on an H200: threads, blocks of a
 * multiprocessor, groups that a block has in shared memory. For groups of 2048: half as many threads,
 * twice as many blocks. */
template <int BYTES> struct group_tuning {
    static constexpr int threads = 512, blocks = BYTES == 4 ? 3 : 2, buffers = BYTES > 8 ? 1 : 2;
};

template <class Key, class Value, class Tuning = group_tuning<(int)sizeof(keyed<Key, Value>)>>
class distributor
{
    using kernel_type = void (*)(distribution<Key, Value>);
    static constexpr int BUFFERS = Tuning::buffers;
    template <int LOG> static constexpr int THREADS = Tuning::threads >> (12 - LOG);
    template <int LOG> static constexpr int BLOCKS = Tuning::blocks << (12 - LOG);

    distribution<Key, Value> s;
    cudaStream_t stream;
    cudaError_t status = cudaSuccess;
    void (*const passed)(void *context, const char *kernel);
    void *const context;

  public:
    /* caller: keys, values, code, last and negative_zero_seen are the caller's. */
    distributor(const distribution<Key, Value> &caller, size_t n, const distribution_shape &shape,
                cudaStream_t stream, void (*passed)(void *context, const char *kernel) = NULL,
                void *context = NULL)
        : s(caller), stream(stream), passed(passed), context(context)
    {
        s.n = (unsigned)n;
        s.tiles = (unsigned)((n + TILE - 1) / TILE);
        s.stride = (s.tiles + 7) / 8 * 8;
        s.log_buckets = shape.log_buckets;
        s.log_children = shape.log_children;
        s.log_group = shape.log_group;
        s.log_sampled = shape.log_group - 6; /* 16 of a quarter of a group */
        s.parents = 1 << shape.log_buckets;
        s.fixed_seed = shape.seed;
    }

    /* Takes its scratch memory. Some pieces have two owners, of which one has done before the other
     * begins. */
    void lay_out(scratch_memory &memory)
    {
        const size_t children = (size_t)1 << s.log_children, buckets = s.parents;
        const bool two_levels = s.log_buckets > 0;
        const size_t tiles = s.tiles + (two_levels ? buckets : 0); /* of the last level */
        s.one = borrows_output<Key, Value> && two_levels
                    ? output()
                    : take_items(memory, (size_t)s.tiles * TILE);
        if (two_levels)
            s.two = take_items(memory, bucket_base(s.n, s.parents) + 4);
        s.tree = memory.take<threshold_of<Key>>(buckets);
        s.bounds = memory.take<threshold_of<Key>>(buckets);
        s.child_tree = memory.take<threshold_of<Key>>(buckets * children);
        s.child_bounds = memory.take<threshold_of<Key>>(buckets * children);
        s.totals = memory.take<unsigned>(COPIES * buckets);
        s.child_totals = memory.take<unsigned>(buckets * children);
        s.out = memory.take<unsigned>(buckets + 1);
        s.first_tile = memory.take<unsigned>(buckets + 1);
        s.low = memory.take<Key>(is_number<Key> ? buckets : 0);
        s.high = memory.take<Key>(is_number<Key> ? buckets : 0);
        s.equal = memory.take<unsigned char>(buckets);
        s.windows = memory.take<window>(two_levels ? tiles : 0);
        s.count = memory.take<distribution_counts>(1);

        const size_t samples =
            two_levels ? (size_t)s.tiles * (TILE >> s.log_sampled) * sizeof(Key) : 0;
        const size_t child_begins = tiles * (children + 2) * sizeof *s.child_begins;
        void *const by_level = memory.take<char>(std::max(samples, child_begins));
        s.samples = (Key *)by_level;                 /* open reads them, */
        s.child_begins = (unsigned short *)by_level; /* level 2 writes these */

        const size_t begins = two_levels ? (buckets + 1) * s.stride * sizeof *s.begins : 0;
        const size_t list = (most_groups() * sizeof(group) + 255) / 256 * 256;
        char *const by_phase = memory.take<char>(std::max(begins, LISTS * list));
        s.begins = (unsigned short *)by_phase; /* level 2 reads them, plan writes the lists */
        for (int l = 0; l < LISTS; l++)
            s.groups[l] = by_phase ? (group *)(by_phase + l * list) : NULL;
    }

    /* Queues the sort: n > 0, and lay_out() had scratch memory. */
    cudaError_t sort()
    {
        int device = 0, processors = 1;
        check(cudaGetDevice(&device));
        check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
        const bool two_levels = s.log_buckets > 0;
        sample(sample_threads(s.log_buckets ? s.log_buckets : s.log_children + 1));
        if (two_levels) {
            level<false>(s.log_buckets, s.tiles);
            open(sample_threads(s.log_children));
            level<true>(s.log_children, s.tiles + s.parents);
        } else {
            level<false>(s.log_children, s.tiles);
        }
        plan();
        if constexpr (!is_number<Key>) {
            if constexpr (splits<Key>)
                launch("finish", finish_by_splitters<Key>,
                       blocks_for(processors * level_blocks<Key, none>), TILE_THREADS,
                       sizeof(split_memory<Key>));
            else
                finish_items("finish", LIST_FINISH, processors);
            finish_items("finish rest", LIST_REST, processors);
        } else {
            if (s.log_group == 11)
                finish<11>(processors);
            else
                finish<12>(processors);
            launch("finish rest", finish_rest<Key, Value>,
                   blocks_for(processors * rest_blocks<Key, Value>), rest_threads<Key, Value>,
                   sizeof(rest_memory<Key, Value>));
        }
        return status;
    }

    /* Whether the device has the shared memory that the kernels need. */
    static bool possible()
    {
        int device = 0, most = 0;
        if (cudaGetDevice(&device) != cudaSuccess ||
            cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) !=
                cudaSuccess)
            return false;
        size_t needed = sizeof(level_memory<Key, Value, 9>);
        if constexpr (is_number<Key>)
            needed = std::max(sizeof(rest_memory<Key, Value>),
                              sizeof(finish_memory<Key, Value, 12, BUFFERS, THREADS<12>>));
        else if constexpr (splits<Key>)
            needed = std::max(needed, sizeof(split_memory<Key>));
        return needed + 2048 <= (size_t)most;
    }

    /* In the scratch memory: how many groups there were. */
    const distribution_counts *counts() const
    {
        return s.count;
    }

  private:
    void check(cudaError_t found)
    {
        if (status == cudaSuccess)
            status = found;
    }
    static items_at<Key, Value> take_items(scratch_memory &memory, size_t count)
    {
        if constexpr (is_apart<Key, Value>) {
            Key *const keys = memory.take<Key>(count);
            return {keys, memory.take<Value>(count)};
        } else {
            return {memory.take<keyed<Key, Value>>(count)};
        }
    }
    items_at<Key, Value> output() const
    {
        if constexpr (is_apart<Key, Value>)
            return {s.keys_out, s.values_out};
        else
            return {(keyed<Key, Value> *)s.keys_out};
    }
    /* Of each list. Two successive groups have more items than one may have; equal keys beyond that are
     * in whole pieces, but for the last. */
    size_t most_groups() const
    {
        return 3 * (((size_t)s.n >> s.log_group) + 1) + (size_t)s.parents;
    }
    unsigned blocks_for(int resident) const
    {
        return (unsigned)std::min(most_groups(), (size_t)resident);
    }
    template <class... Arguments>
    void launch(const char *name, void (*kernel)(Arguments...), unsigned blocks, int threads,
                size_t bytes, Arguments... more)
    {
        if (bytes > 40 * 1024) /* the limit, 48, counts static memory, too */
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       (int)bytes));
        if (status == cudaSuccess)
            kernel<<<blocks, threads, bytes, stream>>>(more...);
        check(cudaGetLastError());
        if (passed)
            passed(context, name);
    }
    void launch(const char *name, kernel_type kernel, unsigned blocks, int threads, size_t bytes)
    {
        launch<distribution<Key, Value>>(name, kernel, blocks, threads, bytes, s);
    }

    /* 16 keys or more for each bucket. */
    template <int U> void sample_by()
    {
        launch("sample", sample_input<Key, Value, U>, 1, U, tile_bytes<Key>(U));
    }
    template <int U> void open_by()
    {
        launch("open", open_bucket<Key, Value, U>, (unsigned)s.parents, U, tile_bytes<Key>(U));
    }
    static constexpr int sample_threads(int log)
    {
        const int keys = 16 << log, row = row_items<Key>;
        return keys <= 128 * row ? 128 : keys <= 256 * row ? 256 : 512;
    }
    template <int U = 128> void sample(int threads)
    {
        if constexpr (U < sample_threads(MOST_LOG_BUCKETS))
            if (threads > U)
                return sample<2 * U>(threads);
        sample_by<U>();
    }
    template <int U = 256> void open(int threads)
    {
        if constexpr (U < sample_threads(MOST_LOG_BUCKETS))
            if (threads > U)
                return open<2 * U>(threads);
        open_by<U>();
    }
    template <int LOG, bool SECOND> void level_by(unsigned tiles)
    {
        launch(SECOND ? "level 2" : "level 1", order_by_bucket<Key, Value, LOG, SECOND>, tiles,
               TILE_THREADS, sizeof(level_memory<Key, Value, LOG>));
    }
    template <bool SECOND, int LOG = 6> void level(int log, unsigned tiles)
    {
        if constexpr (LOG < MOST_LOG_BUCKETS)
            if (log > LOG)
                return level<SECOND, LOG + 1>(log, tiles);
        level_by<LOG, SECOND>(tiles);
    }
    void plan()
    {
        launch<distribution<Key, Value>, int>("plan", plan_groups<Key, Value>, (unsigned)s.parents,
                                              MOST_BUCKETS, 0, s,
                                              log_bins_for<Key, Value>(s.log_group));
    }
    void finish_items(const char *name, int list, int processors)
    {
        launch<distribution<Key, Value>, int>(
            name, finish_by_order<Key>, blocks_for(processors * order_blocks<Key>),
            order_memory<Key>::threads, sizeof(order_memory<Key>), s, list);
    }
    template <int LOG> void finish(int processors)
    {
        constexpr int U = THREADS<LOG>;
        launch("finish", finish_groups<Key, Value, LOG, BUFFERS, U, BLOCKS<LOG>>,
               blocks_for(processors * BLOCKS<LOG>), U,
               sizeof(finish_memory<Key, Value, LOG, BUFFERS, U>));
    }
};

} // namespace bankscope
#endif
