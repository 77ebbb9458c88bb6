/* sorter.cuh - the launches of a sort by merging, for any item and order. */
#ifndef BANKSCOPE_SORT_SORTER_CUH
#define BANKSCOPE_SORT_SORTER_CUH

#include "sort/merge.cuh"
#include "sort/scratch.cuh"
#include "sort/sort.h"
#include "sort/zeros.cuh"

#include <algorithm>
#include <cuda_runtime.h>
#include <stdint.h>
#include <utility>

namespace bankscope
{

/* Parameters tuned on an H200. For the block sort: threads, blocks per multiprocessor (and those of
 * a block of half the threads), levels by shuffles, and how many of 6 exchanges use multiply-adds; for
 * the merges of four and of eight runs likewise. chains: launches::all(). */
struct four_ways_only { /* as items of more than 4 bytes are merged */
    static constexpr bool eights = false;
    static constexpr int eight_threads = 128, eight_blocks = 1, eight_balanced = 0;
    static constexpr int chains(long long n)
    {
        return n < 1 << 24 ? 1 : 2;
    }
};
template <class Item> struct tuning : four_ways_only { /* an order of the user's: sort_by() */
    static constexpr int sort_threads = sizeof(Item) == 8 ? 256 : 512,
                         sort_blocks = sizeof(Item) == 4   ? 1 /* 32 items with tags: registers */
                                       : sizeof(Item) == 8 ? 4
                                                           : 2,
                         short_blocks = 2 * sort_blocks, shuffles = 2, sort_balanced = 0;
    static constexpr int merge_threads = 128, merge_blocks = sizeof(Item) == 4 ? 4 : 6,
                         merge_balanced = 0;
};
template <> struct tuning<int> {
    static constexpr int sort_threads = 512, sort_blocks = 2, short_blocks = 4, shuffles = 3,
                         sort_balanced = 2;
    static constexpr int merge_threads = 128, merge_blocks = 9, merge_balanced = 2;
    static constexpr bool eights = true;
    static constexpr int eight_threads = 256, eight_blocks = 5, eight_balanced = 2;
    static constexpr int chains(long long n)
    {
        return n < 1 << 23 ? 1 : n < 1 << 25 ? 2 : 4;
    }
};
template <> struct tuning<long long> : four_ways_only {
    static constexpr int sort_threads = 256, sort_blocks = 4, short_blocks = 8, shuffles = 2,
                         sort_balanced = 6;
    static constexpr int merge_threads = 128, merge_blocks = 9, merge_balanced = 6;
    static constexpr int chains(long long n)
    {
        return n < 1 << 24 ? 1 : n <= 1 << 25 ? 4 : 2;
    }
};
template <> struct tuning<pair_item<int>> : four_ways_only {
    static constexpr int sort_threads = 256, sort_blocks = 4, short_blocks = 8, shuffles = 2,
                         sort_balanced = 6;
    static constexpr int merge_threads = 128, merge_blocks = 7, merge_balanced = 3;
};
template <> struct tuning<pair_item<long long>> : four_ways_only {
    static constexpr int sort_threads = 512, sort_blocks = 2, short_blocks = 4, shuffles = 3,
                         sort_balanced = 0;
    static constexpr int merge_threads = 128, merge_blocks = 6, merge_balanced = 0;
};

/* The caller's stream, number 0, and up to three beside it. These are opened when they are first used:
 * that takes some 10 us each, which the work that the caller's stream has by then hides. */
struct side_streams {
    enum { MOST = 4 };
    cudaStream_t stream[MOST] = {NULL};
    cudaEvent_t begin = NULL, event = NULL;
    cudaError_t status = cudaSuccess;

    explicit side_streams(cudaStream_t callers)
    {
        stream[0] = callers;
    }
    void check(cudaError_t found)
    {
        if (status == cudaSuccess)
            status = found;
    }
    /* Before the first launch: what the other streams are to wait for. */
    void open()
    {
        check(cudaEventCreateWithFlags(&begin, cudaEventDisableTiming));
        check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        if (status == cudaSuccess)
            check(cudaEventRecord(begin, stream[0]));
    }
    cudaStream_t number(int i)
    {
        if (!stream[i] && i > 0 && status == cudaSuccess) {
            check(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
            if (status == cudaSuccess)
                check(cudaStreamWaitEvent(stream[i], begin, 0));
        }
        return stream[i];
    }
    /* What comes next in the caller's stream waits for the others. */
    void join()
    {
        for (int i = 1; i < MOST && status == cudaSuccess; i++)
            if (stream[i]) {
                check(cudaEventRecord(event, stream[i]));
                check(cudaStreamWaitEvent(stream[0], event, 0));
            }
    }
    ~side_streams() /* what is under way is completed */
    {
        for (int i = 1; i < MOST; i++)
            if (stream[i])
                cudaStreamDestroy(stream[i]);
        if (begin)
            cudaEventDestroy(begin);
        if (event)
            cudaEventDestroy(event);
    }
};

template <class Key, class Item, class Order, class Tuning = tuning<Item>> struct sorter {
    enum { MOST_PASSES = 16 };
    static constexpr int E = row_items<Item>;
    template <bool SHORT>
    static constexpr auto sort_kernel =
        block_sort<Key, Item, Order, SHORT ? Tuning::sort_threads / 2 : Tuning::sort_threads,
                   SHORT ? Tuning::short_blocks : Tuning::sort_blocks, Tuning::shuffles,
                   Tuning::sort_balanced>;
    template <int WAYS> /* 4 or 8: the runs that a pass merges at a time */
    static constexpr int merge_threads = WAYS == 8 ? Tuning::eight_threads : Tuning::merge_threads;
    template <int WAYS> /* items of a tile of a merge */
    static constexpr int T = tile_rows(merge_threads<WAYS>, WAYS) * E;
    template <int WAYS, bool LAST>
    static constexpr auto merge_kernel =
        merge_runs<Key, Item, Order, WAYS, merge_threads<WAYS>,
                   WAYS == 8 ? Tuning::eight_blocks : Tuning::merge_blocks,
                   WAYS == 8 ? Tuning::eight_balanced : Tuning::merge_balanced, LAST>;
    template <int WAYS> static constexpr int merge_bytes = tile_bytes<Item>(merge_threads<WAYS>);

    /* The passes that make one run of n items from runs of `run`: how many runs each merges at a time.
     * Eight as often as that comes out even, then four. */
    static int plan(int run, long long n, int (&ways)[MOST_PASSES])
    {
        int levels = 0, passes = 0;
        while ((long long)run << levels < n)
            levels++;
        while (levels > 0) {
            const bool eight = Tuning::eights && levels > 2 && levels != 4;
            ways[passes++] = eight ? 8 : 4;
            levels -= eight ? 3 : 2;
        }
        return passes;
    }
    /* Threads of a block sort: half as many where that takes no pass more. */
    static int sort_threads(long long n)
    {
        const int all = Tuning::sort_threads, half = all / 2;
        int ways[MOST_PASSES];
        return plan(half * E, n, ways) > plan(all * E, n, ways) ? all : half;
    }

    /* One pass over all data: groups of `ways` runs of `length`. */
    struct pass {
        int ways, length, tiles, groups;
        void *splits;
    };

    /* Sorts, or with scratch NULL only says how much scratch memory that takes. `passed`, if not
     * NULL, is called after each launch (to time them). `other`, if not NULL, is launched beside. */
    static cudaError_t sort(void *scratch, size_t *scratch_bytes, caller_arrays<Key, Item> caller,
                            cudaStream_t stream,
                            void (*passed)(void *context, const char *kernel) = NULL,
                            void *context = NULL)
    {
        const int threads = sort_threads(caller.n), run = threads * E; /* items of a run */
        const long long n = ((long long)caller.n + run - 1) / run * run;
        scratch_memory memory(scratch);
        launches of(caller, n, threads, stream, passed, context);
        const bool one = n <= run;
        for (int i = 0; i < 2; i++) {
            of.items[i] = memory.take<Item>(one ? 0 : n);
            of.samples[i] = memory.take<Item>(one ? 0 : n / E);
        }
        int ways[MOST_PASSES];
        long long length = run;
        of.pass_count = plan(run, n, ways);
        for (int p = 0; p < of.pass_count; p++) {
            const long long all = ways[p] * length, group = std::min(n, all);
            const int items = ways[p] == 8 ? T<8> : T<4>;
            pass &next = of.passes[p];
            next = {ways[p], (int)length, (int)((group + items - 1) / items),
                    (int)((n + all - 1) / all), NULL};
            const size_t splits = (size_t)next.groups * (next.tiles + 1);
            next.splits = ways[p] == 8 ? (void *)memory.take<tile_split<8>>(splits)
                                       : (void *)memory.take<tile_split<4>>(splits);
            length = all;
        }
        zero_counts *zeros = memory.take<zero_counts>(zeros_matter<Key, Item>(caller) ? 1 : 0);
        if (!scratch) {
            *scratch_bytes = std::max(memory.bytes(), (size_t)1);
            return cudaSuccess;
        }
        if (caller.n == 0)
            return cudaSuccess;

        if (zeros_matter<Key, Item>(caller)) {
            of.caller.negative_zero_seen = &zeros->negative_seen;
            of.side.check(cudaMemsetAsync(zeros, 0, sizeof *zeros, stream));
        }
        of.all();
        if constexpr (std::is_integral<Key>::value)
            if (zeros_matter<Key, Item>(caller))
                mend_zeros(caller, zeros, stream);
        const cudaError_t status = cudaGetLastError();
        return of.side.status == cudaSuccess ? status : of.side.status;
    }

  private:
    struct launches {
        caller_arrays<Key, Item> caller;
        const long long n;
        const int threads, run; /* of a block sort */
        side_streams side;
        void (*const passed)(void *context, const char *kernel);
        void *const context;
        Item *items[2] = {NULL, NULL}, *samples[2] = {NULL, NULL}; /* pass p reads number p % 2 */
        pass passes[MOST_PASSES];
        int pass_count = 0, search_priority = 0;

        launches(const caller_arrays<Key, Item> &caller, long long n, int threads,
                 cudaStream_t stream, void (*passed)(void *context, const char *kernel),
                 void *context)
            : caller(caller), n(n), threads(threads), run(threads * E), side(stream),
              passed(passed), context(context)
        {
        }

        /* The searches of a pass take a sixth of its time and use little of the GPU. So the runs that
         * the last pass merges are shared out to chains of launches in several streams: while one
         * searches, another merges. Small sorts are not worth the streams. */
        void all()
        {
            const long long last = pass_count ? passes[pass_count - 1].length : run;
            const int parts = (int)((n + last - 1) / last);
            const int chains = std::min(parts, Tuning::chains(n));
            const int together = chains > 1 ? pass_count - 1 : pass_count;
            const long long part = chains > 1 ? (parts + chains - 1) / chains * last : n;
            int least = 0;
            side.check(cudaDeviceGetStreamPriorityRange(&least, &search_priority));
            if (chains > 1)
                side.open();
            const bool shorter = threads < Tuning::sort_threads;
            const auto sort = shorter ? sort_kernel<true> : sort_kernel<false>;
            const int bytes = shorter ? sort_bytes<Item>(Tuning::sort_threads / 2)
                                      : sort_bytes<Item>(Tuning::sort_threads);
            allow(sort, bytes);
            for (long long begin = 0; begin < n && side.status == cudaSuccess; begin += part) {
                const cudaStream_t stream = side.number((int)(begin / part));
                const long long end = std::min(n, begin + part);
                sort<<<(unsigned)((end - begin) / run), threads, bytes, stream>>>(
                    caller, pass_count ? items[0] : NULL, samples[0], (int)(begin / run));
                launched("block sort");
                if (begin == 0) { /* now that there is something to do */
                    allow(merge_kernel<4, false>, merge_bytes<4>);
                    allow(merge_kernel<4, true>, merge_bytes<4>);
                    if constexpr (Tuning::eights) {
                        allow(merge_kernel<8, false>, merge_bytes<8>);
                        allow(merge_kernel<8, true>, merge_bytes<8>);
                    }
                }
                for (int p = 0; p < together; p++)
                    pass_over(p, begin, end, stream);
            }
            side.join();
            if (chains > 1)
                pass_over(pass_count - 1, 0, n, side.number(0));
        }

        /* Lets a kernel have its shared memory. */
        template <class Kernel> void allow(Kernel kernel, int bytes)
        {
            side.check(
                cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
        }
        void launched(const char *kernel) const
        {
            if (passed)
                passed(context, kernel);
        }
        /* Pass p over the groups that items begin .. end - 1 are. */
        void pass_over(int p, long long begin, long long end, cudaStream_t stream)
        {
            if (side.status != cudaSuccess)
                return;
            if constexpr (Tuning::eights)
                if (passes[p].ways == 8)
                    return pass_over<8>(p, begin, end, stream);
            pass_over<4>(p, begin, end, stream);
        }
        template <int WAYS>
        void pass_over(int p, long long begin, long long end, cudaStream_t stream)
        {
            const int tiles = passes[p].tiles, threads = PARTITION_THREADS;
            const pass_shape<WAYS> shape = {(int)n, passes[p].length, tiles};
            const long long group = (long long)WAYS * shape.length;
            const int first = (int)(begin / group), behind = (int)((end + group - 1) / group);
            const int split = first * (tiles + 1), splits = (behind - first) * (tiles + 1);
            const Item *in = items[p & 1], *in_samples = samples[p & 1];
            Item *out = items[~p & 1], *out_samples = samples[~p & 1];
            tile_split<WAYS> *found = (tile_split<WAYS> *)passes[p].splits;
            const bool backwards = p % 2 == 0; /* what was written last is still in the L2 cache */

            cudaLaunchAttribute goes_before_merges;
            goes_before_merges.id = cudaLaunchAttributePriority;
            goes_before_merges.val.priority = search_priority;
            cudaLaunchConfig_t config = {};
            config.gridDim = dim3((unsigned)(splits + threads / WAYS - 1) / (threads / WAYS));
            config.blockDim = dim3(threads);
            config.stream = stream;
            config.attrs = &goes_before_merges;
            config.numAttrs = 1;
            side.check(cudaLaunchKernelEx(&config, partition<Item, Order, WAYS, T<WAYS>>, in,
                                          in_samples, found, shape, split, split + splits));
            launched("partition");
            const auto merge =
                p + 1 < pass_count ? merge_kernel<WAYS, false> : merge_kernel<WAYS, true>;
            merge<<<(unsigned)((behind - first) * tiles), merge_threads<WAYS>, merge_bytes<WAYS>,
                    stream>>>(in, out, out_samples, found, shape, first * tiles, backwards, caller);
            launched("merge");
        }
    };
};

/* ---- what callers may get wrong ---------------------------------------------------------------- */

/* The arrays of a sort; without values, values_in and values_out are NULL and value_bytes is 0. */
struct sort_arrays {
    const void *scratch;
    size_t scratch_bytes;
    const void *keys_in, *keys_out, *values_in, *values_out;
    size_t key_bytes, value_bytes, n;
};

/* Whether [a, a + bytes) and [b, b + more) have a byte in common. */
inline bool overlap(const void *a, size_t bytes, const void *b, size_t more)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return bytes && more && (x < y ? y - x < bytes : x - y < more);
}

inline bool unaligned(const void *pointer, size_t bytes)
{
    return bytes && (uintptr_t)pointer % bytes;
}

/* One of sort.h's errors, or 0. */
inline int sort_check(const sort_arrays &q)
{
    const struct {
        const void *pointer;
        size_t bytes, element;
    } arrays[5] = {{q.keys_in, q.n * q.key_bytes, q.key_bytes},
                   {q.keys_out, q.n * q.key_bytes, q.key_bytes},
                   {q.values_in, q.n * q.value_bytes, q.value_bytes},
                   {q.values_out, q.n * q.value_bytes, q.value_bytes},
                   {q.scratch, q.scratch_bytes, 256}};
    for (int i = 0; i < 5; i++) {
        if (!arrays[i].pointer && arrays[i].bytes)
            return SORT_NULL_POINTER;
        if (unaligned(arrays[i].pointer, arrays[i].element))
            return SORT_UNALIGNED;
        for (int k = 0; k < i; k++)
            if (overlap(arrays[i].pointer, arrays[i].bytes, arrays[k].pointer, arrays[k].bytes))
                return SORT_OVERLAP;
    }
    int device = 0, major = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (status != cudaSuccess)
        return SORT_CUDA + status;
    return major < 8 ? SORT_OLD_DEVICE : 0;
}

} // namespace bankscope
#endif
