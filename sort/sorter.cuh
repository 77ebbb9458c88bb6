/* sorter.cuh - the launches of a sort, for any item and order. sort.h is the interface in C for the
 * types of C; a program with an order of its own includes this file and calls sort_by(). */
#ifndef BANKSCOPE_SORT_SORTER_CUH
#define BANKSCOPE_SORT_SORTER_CUH

#include "sort/merge.cuh"
#include "sort/sort.h"
#include "sort/zeros.cuh"

#include <algorithm>
#include <cuda_runtime.h>
#include <utility>

namespace bankscope
{

/* Parameters tuned on an H200. For the block sort: threads, blocks per multiprocessor, levels by
 * shuffles, and how many of 6 exchanges use multiply-adds; for the merge likewise. */
template <class Item> struct tuning;
template <> struct tuning<int> {
    static constexpr long long two_chains_from = 1 << 25; /* items */
    static constexpr int sort_threads = 512, sort_blocks = 2, shuffles = 3, sort_balanced = 4;
    static constexpr int merge_threads = 128, merge_blocks = 9, merge_balanced = 3;
};
template <> struct tuning<long long> {
    static constexpr long long two_chains_from = 1 << 25; /* items */
    static constexpr int sort_threads = 256, sort_blocks = 4, shuffles = 3, sort_balanced = 6;
    static constexpr int merge_threads = 128, merge_blocks = 9, merge_balanced = 6;
};
template <> struct tuning<wide_item> {
    static constexpr long long two_chains_from = 1 << 24; /* items */
    static constexpr int sort_threads = 512, sort_blocks = 2, shuffles = 3, sort_balanced = 0;
    static constexpr int merge_threads = 128, merge_blocks = 8, merge_balanced = 0;
};

/* Streams beside the caller's: one for merges, two for searches, which go before merges. */
struct side_streams {
    cudaStream_t stream[3] = {NULL, NULL, NULL};
    cudaEvent_t event = NULL;
    cudaError_t status = cudaSuccess;

    cudaError_t open()
    {
        int least = 0, greatest = 0;
        status = cudaDeviceGetStreamPriorityRange(&least, &greatest);
        for (int i = 0; i < 3 && status == cudaSuccess; i++)
            status = cudaStreamCreateWithPriority(&stream[i], cudaStreamNonBlocking,
                                                  i ? greatest : least);
        if (status == cudaSuccess)
            status = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        return status;
    }
    /* What comes next in `after` waits for what is in `before`. */
    void order(cudaStream_t before, cudaStream_t after)
    {
        if (status == cudaSuccess)
            status = cudaEventRecord(event, before);
        if (status == cudaSuccess)
            status = cudaStreamWaitEvent(after, event, 0);
    }
    ~side_streams() /* what is under way is completed */
    {
        for (cudaStream_t one : stream)
            if (one)
                cudaStreamDestroy(one);
        if (event)
            cudaEventDestroy(event);
    }
};

/* Takes pieces of the scratch memory one after another, or only counts them. */
class scratch_memory
{
    char *memory;
    size_t used = 0;

  public:
    explicit scratch_memory(void *memory) : memory((char *)memory)
    {
    }
    template <class T> T *take(size_t count)
    {
        T *piece = memory ? (T *)(memory + used) : NULL;
        used += (count * sizeof(T) + 255) / 256 * 256;
        return piece;
    }
    size_t bytes() const
    {
        return used;
    }
};

template <class Key, class Item, class Order, class Tuning = tuning<Item>> struct sorter {
    static constexpr int E = row_items<Item>;
    static constexpr int run = Tuning::sort_threads * E;      /* items of a run to begin with */
    static constexpr int T = (Tuning::merge_threads - 2) * E; /* items of a tile of a merge */
    static constexpr auto sort_kernel =
        block_sort<Key, Item, Order, Tuning::sort_threads, Tuning::sort_blocks, Tuning::shuffles,
                   Tuning::sort_balanced>;
    template <bool LAST>
    static constexpr auto merge_kernel =
        merge_runs<Key, Item, Order, Tuning::merge_threads, Tuning::merge_blocks,
                   Tuning::merge_balanced, LAST>;
    static constexpr int sort_bytes = tile_bytes<Item>(Tuning::sort_threads);
    static constexpr int merge_bytes = tile_bytes<Item>(Tuning::merge_threads);

    /* n items in whole runs. */
    static long long padded(int n)
    {
        return ((long long)n + run - 1) / run * run;
    }
    static int groups(long long n, long long length)
    {
        return (int)((n + 4 * length - 1) / (4 * length));
    }
    static int tiles(long long n, long long length)
    {
        return (int)((std::min(n, 4 * length) + T - 1) / T);
    }

    /* Sorts, or with scratch NULL only says how much scratch memory that takes. `passed`, if not
     * NULL, is called after each launch (to time them). */
    static cudaError_t sort(void *scratch, size_t *scratch_bytes, caller_arrays<Key, Item> caller,
                            cudaStream_t stream,
                            void (*passed)(void *context, const char *kernel) = NULL,
                            void *context = NULL)
    {
        const long long n = padded(caller.n);
        scratch_memory memory(scratch);
        const bool one = n <= run;
        Item *in = memory.take<Item>(one ? 0 : n), *out = memory.take<Item>(one ? 0 : n);
        Item *samples = memory.take<Item>(one ? 0 : n / E);
        Item *new_samples = memory.take<Item>(one ? 0 : n / E);
        size_t most = 0;
        for (long long length = run; length < n; length *= 4)
            most = std::max(most, (size_t)groups(n, length) * (tiles(n, length) + 1));
        tile_split *splits = memory.take<tile_split>(2 * most);
        zero_counts *zeros = memory.take<zero_counts>(zeros_matter<Key, Item>(caller) ? 1 : 0);
        if (!scratch) {
            *scratch_bytes = std::max(memory.bytes(), (size_t)1);
            return cudaSuccess;
        }
        if (caller.n == 0)
            return cudaSuccess;

        cudaError_t status = prepare(sort_kernel, sort_bytes);
        if (status == cudaSuccess)
            status = prepare(merge_kernel<false>, merge_bytes);
        if (status == cudaSuccess)
            status = prepare(merge_kernel<true>, merge_bytes);
        if (status != cudaSuccess)
            return status;
        if (zeros_matter<Key, Item>(caller)) {
            caller.negative_zero_seen = &zeros->negative_seen;
            status = cudaMemsetAsync(zeros, 0, sizeof *zeros, stream);
            if (status != cudaSuccess)
                return status;
        }
        launches all = {caller, in,     out,    samples, new_samples, {splits, splits + most},
                        n,      passed, context};
        if (n >= Tuning::two_chains_from) {
            status = two_chains(all, stream);
            if (status != cudaSuccess)
                return status;
        } else {
            all.block_sorts(0, n, one, stream);
            for (long long length = run; length < n; length *= 4) {
                all.begin_pass(length);
                all.searches(0, all.all_splits(), stream);
                all.merges(0, all.all_tiles(), stream);
                all.end_pass();
            }
        }
        if (zeros_matter<Key, Item>(caller)) {
            count_zeros<<<ZERO_BLOCKS, ZERO_THREADS, 0, stream>>>(caller, zeros);
            place_zeros<<<ZERO_BLOCKS, ZERO_THREADS, 0, stream>>>(caller, zeros);
        }
        return cudaGetLastError();
    }

  private:
    /* Lets a kernel have its shared memory. */
    template <class Kernel> static cudaError_t prepare(Kernel kernel, int bytes)
    {
        return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    }

    /* The launches of a sort, each of a part of the data. */
    struct launches {
        const caller_arrays<Key, Item> &caller;
        Item *in, *out, *samples, *new_samples;
        tile_split *splits[2]; /* of this pass and the next */
        long long n;
        void (*passed)(void *context, const char *kernel);
        void *context;
        pass_shape shape = {0, 0, 0};
        int groups = 0;
        bool backwards = true;

        void launched(const char *kernel) const
        {
            if (passed)
                passed(context, kernel);
        }
        void block_sorts(long long begin, long long end, bool one, cudaStream_t stream) const
        {
            sort_kernel<<<(unsigned)((end - begin) / run), Tuning::sort_threads, sort_bytes,
                          stream>>>(caller, one ? NULL : in, samples, (int)(begin / run));
            launched("block sort");
        }
        void begin_pass(long long length)
        {
            shape = {(int)n, (int)length, sorter::tiles(n, length)};
            groups = sorter::groups(n, length);
        }
        int all_splits() const
        {
            return groups * (shape.tiles + 1);
        }
        int all_tiles() const
        {
            return groups * shape.tiles;
        }
        void searches(int first, int behind, cudaStream_t stream) const
        {
            partition<Item, Order, T>
                <<<(unsigned)(behind - first + PARTITION_SPLITS - 1) / PARTITION_SPLITS,
                   PARTITION_THREADS, 0, stream>>>(in, samples, splits[0], shape, first, behind,
                                                   caller.pad);
            launched("partition");
        }
        void merges(int first, int behind, cudaStream_t stream) const
        {
            const auto merge = 4ll * shape.length < n ? merge_kernel<false> : merge_kernel<true>;
            merge<<<(unsigned)(behind - first), Tuning::merge_threads, merge_bytes, stream>>>(
                in, out, new_samples, splits[0], shape, first, backwards, caller);
            launched("merge");
        }
        void end_pass()
        {
            std::swap(in, out);
            std::swap(samples, new_samples);
            std::swap(splits[0], splits[1]);
            backwards = !backwards;
        }
    };

    /* The searches of a pass take a tenth of its time and use little of the GPU. So two parts of the
     * data run as two chains of launches, and while one searches the other merges. A pass whose
     * groups span both parts joins the chains. */
    static cudaError_t two_chains(launches &all, cudaStream_t stream)
    {
        const long long n = all.n;
        long long unit = run; /* of the largest groups that fit in a half */
        while (4 * unit <= n / 2)
            unit *= 4;
        const long long middle = n / 2 / unit * unit;
        side_streams side;
        cudaError_t status = side.open();
        if (status != cudaSuccess)
            return status;
        const cudaStream_t merging[2] = {stream, side.stream[0]};
        const cudaStream_t *searching = side.stream + 1;
        side.order(merging[0], merging[1]);
        all.block_sorts(0, middle, false, merging[0]);
        all.block_sorts(middle, n, false, merging[1]);
        for (long long length = run; length < n; length *= 4) {
            all.begin_pass(length);
            const bool apart = middle % (4 * length) == 0;
            const int tile[3] = {
                0, apart ? (int)(middle / (4 * length)) * all.shape.tiles : all.all_tiles() / 2,
                all.all_tiles()};
            const int split[3] = {0,
                                  tile[1] / all.shape.tiles * (all.shape.tiles + 1) +
                                      (apart ? 0 : tile[1] % all.shape.tiles + 1),
                                  all.all_splits()};
            if (!apart) {
                side.order(merging[0], searching[1]);
                side.order(merging[1], searching[0]);
            }
            for (int half = 0; half < 2; half++) {
                side.order(merging[half], searching[half]);
                all.searches(split[half], split[half + 1], searching[half]);
            }
            for (int half = 0; half < 2; half++) {
                side.order(searching[half], merging[half]);
                if (!apart)
                    side.order(searching[0], merging[1]);
                all.merges(tile[half], tile[half + 1], merging[half]);
            }
            all.end_pass();
        }
        side.order(merging[1], merging[0]);
        return side.status == cudaSuccess ? cudaGetLastError() : side.status;
    }
};

} // namespace bankscope
#endif
