/* sorter.cuh - the launches of a sort, for any item and order. sort.h is the interface in C for the
 * types of C; a program with items or an order of its own includes this file and calls sort_by(), below. */
#ifndef BANKSCOPE_SORT_SORTER_CUH
#define BANKSCOPE_SORT_SORTER_CUH

#include "sort/merge.cuh"
#include "sort/sort.h"
#include "sort/zeros.cuh"

#include <algorithm>
#include <cuda_runtime.h>
#include <stdint.h>
#include <utility>

namespace bankscope
{

/* Parameters tuned on an H200. For the block sort: threads, blocks per multiprocessor, levels by
 * shuffles, and how many of 6 exchanges use multiply-adds; for the merge likewise. Parts of the data
 * of parts_from items and more become chains of launches (launches::all), four for parts of up to
 * four_to items, else two. */
template <class Item> struct tuning { /* an order of the user's: sort_by() */
    static constexpr long long parts_from = 1 << 22, four_to = 1 << 22;
    static constexpr int sort_threads = sizeof(Item) == 8 ? 256 : 512,
                         sort_blocks = sizeof(Item) == 8 ? 4 : 2, shuffles = 2, sort_balanced = 0;
    static constexpr int merge_threads = 128, merge_blocks = 6, merge_balanced = 0;
};
template <> struct tuning<int> {
    static constexpr long long parts_from = 1 << 24, four_to = 1 << 24;
    static constexpr int sort_threads = 512, sort_blocks = 2, shuffles = 3, sort_balanced = 4;
    static constexpr int merge_threads = 128, merge_blocks = 9, merge_balanced = 3;
};
template <> struct tuning<long long> {
    static constexpr long long parts_from = 1 << 22, four_to = 1 << 24;
    static constexpr int sort_threads = 256, sort_blocks = 4, shuffles = 2, sort_balanced = 6;
    static constexpr int merge_threads = 128, merge_blocks = 9, merge_balanced = 6;
};
template <> struct tuning<pair_item<int>> {
    static constexpr long long parts_from = 1 << 22, four_to = 1 << 22;
    static constexpr int sort_threads = 256, sort_blocks = 4, shuffles = 2, sort_balanced = 6;
    static constexpr int merge_threads = 128, merge_blocks = 7, merge_balanced = 3;
};
template <> struct tuning<pair_item<long long>> {
    static constexpr long long parts_from = 1 << 22, four_to = 1 << 22;
    static constexpr int sort_threads = 512, sort_blocks = 2, shuffles = 3, sort_balanced = 0;
    static constexpr int merge_threads = 128, merge_blocks = 6, merge_balanced = 0;
};

/* The caller's stream, number 0, and up to three beside it. These are opened when they are first
 * used: that takes some 10 us each, which the work that the caller's stream has by then hides. */
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
    static constexpr int sort_bytes = bankscope::sort_bytes<Item>(Tuning::sort_threads);
    static constexpr int merge_bytes = tile_bytes<Item>(Tuning::merge_threads);

    /* n items in whole runs. */
    static long long padded(int n)
    {
        return ((long long)n + run - 1) / run * run;
    }

    /* One pass over all data. */
    struct pass {
        pass_shape shape;
        int groups;
        tile_split *splits;
    };
    enum { MOST_PASSES = 16 };

    /* Sorts, or with scratch NULL only says how much scratch memory that takes. `passed`, if not
     * NULL, is called after each launch (to time them). */
    static cudaError_t sort(void *scratch, size_t *scratch_bytes, caller_arrays<Key, Item> caller,
                            cudaStream_t stream,
                            void (*passed)(void *context, const char *kernel) = NULL,
                            void *context = NULL)
    {
        const long long n = padded(caller.n);
        scratch_memory memory(scratch);
        launches of(caller, n, stream, passed, context);
        const bool one = n <= run;
        for (int i = 0; i < 2; i++) {
            of.items[i] = memory.take<Item>(one ? 0 : n);
            of.samples[i] = memory.take<Item>(one ? 0 : n / E);
        }
        for (long long length = run; length < n; length *= 4) {
            pass &next = of.passes[of.levels++];
            const long long group = std::min(n, 4 * length);
            next.shape = {(int)n, (int)length, (int)((group + T - 1) / T)};
            next.groups = (int)((n + 4 * length - 1) / (4 * length));
            next.splits = memory.take<tile_split>((size_t)next.groups * (next.shape.tiles + 1));
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
            if (zeros_matter<Key, Item>(caller)) {
                count_zeros<<<ZERO_BLOCKS, ZERO_THREADS, 0, stream>>>(caller, zeros);
                place_zeros<<<ZERO_BLOCKS, ZERO_THREADS, 0, stream>>>(caller, zeros);
            }
        const cudaError_t status = cudaGetLastError();
        return of.side.status == cudaSuccess ? status : of.side.status;
    }

  private:
    struct launches {
        caller_arrays<Key, Item> caller;
        const long long n;
        side_streams side;
        void (*const passed)(void *context, const char *kernel);
        void *const context;
        Item *items[2] = {NULL, NULL}, *samples[2] = {NULL, NULL}; /* pass p reads number p % 2 */
        pass passes[MOST_PASSES];
        int levels = 0, search_priority = 0;

        launches(const caller_arrays<Key, Item> &caller, long long n, cudaStream_t stream,
                 void (*passed)(void *context, const char *kernel), void *context)
            : caller(caller), n(n), side(stream), passed(passed), context(context)
        {
        }

        /* The searches of a pass take a sixth of its time and use little of the GPU. So the runs that
         * the last pass merges are sorted as chains of launches in several streams: while one
         * searches, another merges. Small parts are not worth the streams. */
        void all()
        {
            const long long last = (long long)run << (levels ? 2 * levels - 2 : 0);
            const bool chains = levels > 0 && last >= Tuning::parts_from;
            const int most = last > Tuning::four_to ? 2 : 4,
                      together = chains ? levels - 1 : levels;
            const long long part = chains ? last : n;
            int least = 0;
            side.check(cudaDeviceGetStreamPriorityRange(&least, &search_priority));
            if (chains)
                side.open();
            allow(sort_kernel, sort_bytes);
            for (long long begin = 0; begin < n && side.status == cudaSuccess; begin += part) {
                const cudaStream_t stream = side.number((int)(begin / part) % most);
                const long long end = std::min(n, begin + part);
                block_sorts(begin, end, stream);
                if (begin == 0) { /* now that there is something to do */
                    allow(merge_kernel<false>, merge_bytes);
                    allow(merge_kernel<true>, merge_bytes);
                }
                for (int p = 0; p < together; p++)
                    pass_over(p, begin, end, stream);
            }
            side.join();
            if (chains)
                pass_over(levels - 1, 0, n, side.number(0));
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
        void block_sorts(long long begin, long long end, cudaStream_t stream)
        {
            if (side.status != cudaSuccess)
                return;
            sort_kernel<<<(unsigned)((end - begin) / run), Tuning::sort_threads, sort_bytes,
                          stream>>>(caller, levels ? items[0] : NULL, samples[0],
                                    (int)(begin / run));
            launched("block sort");
        }
        /* Pass p over the groups that items begin .. end - 1 are. */
        void pass_over(int p, long long begin, long long end, cudaStream_t stream)
        {
            if (side.status != cudaSuccess)
                return;
            const pass &now = passes[p];
            const long long group = 4ll * now.shape.length;
            const int first = (int)(begin / group), behind = (int)((end + group - 1) / group);
            const int split = first * (now.shape.tiles + 1),
                      splits = (behind - first) * (now.shape.tiles + 1);
            const Item *in = items[p & 1], *in_samples = samples[p & 1];
            Item *out = items[~p & 1], *out_samples = samples[~p & 1];
            const bool backwards = p % 2 == 0;

            cudaLaunchAttribute goes_before_merges;
            goes_before_merges.id = cudaLaunchAttributePriority;
            goes_before_merges.val.priority = search_priority;
            cudaLaunchConfig_t config = {};
            config.gridDim = dim3((unsigned)(splits + PARTITION_SPLITS - 1) / PARTITION_SPLITS);
            config.blockDim = dim3(PARTITION_THREADS);
            config.stream = stream;
            config.attrs = &goes_before_merges;
            config.numAttrs = 1;
            side.check(cudaLaunchKernelEx(&config, partition<Item, Order, T>, in, in_samples,
                                          now.splits, now.shape, split, split + splits));
            launched("partition");
            const auto merge = p + 1 < levels ? merge_kernel<false> : merge_kernel<true>;
            merge<<<(unsigned)((behind - first) * now.shape.tiles), Tuning::merge_threads,
                    merge_bytes, stream>>>(in, out, out_samples, now.splits, now.shape,
                                           first * now.shape.tiles, backwards, caller);
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

/* ---- an order of the user's ------------------------------------------------------------------ */

/* Sorts n items of 4, 8 or 16 bytes, trivially copyable, by an order of the user's, a class with
 *
 *     static __device__ bool less(const Item &a, const Item &b)     a strict weak order
 *
 * Not stable. `last` fills the last tile: no item may be ordered after it, and an item that is equal to
 * it must have the same bytes. Everything else is as with sort_keys(): the size query, the memory, the
 * stream, the errors. Slower than sort_keys(), because its exchanges are comparisons of the user's and,
 * in merges, carry a tag that keeps equal items apart; without conflicts all the same. */
template <class Order, class Item>
int sort_by(void *scratch, size_t *scratch_bytes, const Item *in, Item *out, size_t n,
            const Item &last, cudaStream_t stream)
{
    static_assert(sizeof(Item) == 4 || sizeof(Item) == 8 || sizeof(Item) == 16,
                  "items have 4, 8 or 16 bytes: pad yours");
    static_assert(std::is_trivially_copyable<Item>::value, "items are copied as bytes");
    static_assert(!std::is_same<Order, natural_order>::value, "numbers are sort_keys()'s");
    caller_arrays<Item, Item> caller = {};
    size_t needed = 0;
    if (!scratch_bytes)
        return SORT_NULL_POINTER;
    if (n > SORT_MOST_ITEMS)
        return SORT_TOO_MANY_ITEMS;
    caller.keys_in = in;
    caller.keys_out = out;
    caller.n = (int)n;
    caller.pad = last;
    sorter<Item, Item, Order>::sort(NULL, &needed, caller, stream);
    if (!scratch) {
        *scratch_bytes = needed;
        return 0;
    }
    if (*scratch_bytes < needed)
        return SORT_SCRATCH_TOO_SMALL;
    int error = sort_check({scratch, *scratch_bytes, in, out, NULL, NULL, sizeof(Item), 0, n});
    if (error)
        return error;
    const cudaError_t status = sorter<Item, Item, Order>::sort(scratch, &needed, caller, stream);
    return status == cudaSuccess ? 0 : SORT_CUDA + status;
}

} // namespace bankscope
#endif
