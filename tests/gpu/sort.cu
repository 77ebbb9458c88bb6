/* sort.cu - the sort against the library's, on the GPU.
 *
 *     sort sizes [MOST]      every n to MOST (5000) for every type, order and kind of values, and
 *                            every alignment of every pointer
 *     sort soak COUNT [SEED] COUNT random sizes to 10^8, types, orders, values, inputs and alignments
 *     sort errors            bad input is refused and changes nothing
 *     sort graph             a captured sort is right each time that it is launched, with other input
 *     sort few               a few sizes of everything, for compute-sanitizer
 *     sort once TYPE N       one sort of 2^N random keys, for a profiler
 *
 * The reference is cub::DeviceRadixSort, and for small n std::stable_sort on the host as well. The
 * output is filled with a pattern before, and what lies around outputs and scratch memory is checked
 * after. Prints how many sorts were right; fails with the first that was not.
 */
#include "sort/sort.h"
#include "tests/gpu/must.h"

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

enum { GUARD = 256, PATTERN = 0xa5 };
enum input { RANDOM, FEW, SORTED, REVERSE, EQUAL, ZEROS, INPUTS };
static const char *const type_names[] = {"int32", "uint32", "float", "int64", "uint64", "double"};
static const char *const input_names[] = {"random", "few", "sorted", "reverse", "equal", "zeros"};

struct sort_case {
    size_t n;
    int type, order, value_bytes, input;
    int shift[4]; /* elements by which keys_in, keys_out, values_in, values_out are moved */
    uint64_t seed;
};

__host__ __device__ static uint64_t mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

template <class T> __global__ void fill(T *keys, size_t n, int input, uint64_t seed)
{
    const T sign = (T)1 << (8 * sizeof(T) - 1);
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        uint64_t r = mixed(seed + i);
        keys[i] = input == RANDOM    ? (T)r
                  : input == FEW     ? (T)(r % 100 << (8 * sizeof(T) - 8))
                  : input == SORTED  ? (T)i
                  : input == REVERSE ? (T)(n - i)
                  : input == EQUAL   ? (T)~sign
                  : r % 8            ? (T)(r & sign)
                                     : (T)(r >> 3);
    }
}

/* Counts the elements that differ, and the bytes around them that are not the pattern. */
template <class T>
__global__ void compare(const T *found, const T *expected, size_t n, const unsigned char *around,
                        size_t begin, size_t end, size_t size, unsigned long long *wrong)
{
    unsigned long long count = 0;
    const size_t first = blockIdx.x * (size_t)blockDim.x + threadIdx.x,
                 step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = first; i < n; i += step)
        count += found[i] != expected[i];
    for (size_t i = first; i < size - (end - begin); i += step)
        count += around[i < begin ? i : i + end - begin] != PATTERN;
    if (count)
        atomicAdd(wrong, count);
}

/* Device memory that grows and is kept. */
struct buffer {
    unsigned char *bytes = NULL;
    size_t size = 0;
    unsigned char *room(size_t wanted)
    {
        if (wanted > size) {
            if (bytes)
                MUST(cudaFree(bytes));
            size = wanted + wanted / 4;
            MUST(cudaMalloc((void **)&bytes, size));
        }
        return bytes;
    }
};

struct tester {
    buffer memory[4], expected[2], scratch, library;
    unsigned long long *wrong = NULL;
    uint64_t done = 0;

    tester()
    {
        MUST(cudaMalloc((void **)&wrong, sizeof *wrong));
        MUST(cudaMemset(wrong, 0, sizeof *wrong));
    }

    /* Queues one case: the library's sort, ours, the comparison. */
    template <class T, class Native, class Value> void queue_as(const sort_case &c)
    {
        const size_t key_bytes = c.n * sizeof(T), values = c.value_bytes ? c.n : 0;
        const size_t bytes[4] = {key_bytes, key_bytes, values * c.value_bytes,
                                 values * c.value_bytes};
        unsigned char *at[4];
        size_t whole[4], begin[4];
        for (int i = 0; i < 4; i++) {
            begin[i] = GUARD + c.shift[i] * (i < 2 ? sizeof(T) : (size_t)c.value_bytes);
            whole[i] = bytes[i] + 2 * GUARD;
            at[i] = memory[i].room(whole[i]) + begin[i];
            MUST(cudaMemsetAsync(memory[i].bytes, PATTERN, whole[i]));
        }
        T *keys_in = (T *)at[0], *keys_out = (T *)at[1];
        Value *values_in = (Value *)at[2], *values_out = (Value *)at[3];
        fill<<<512, 256>>>(keys_in, c.n, c.input, c.seed);
        if (values)
            fill<<<512, 256>>>(values_in, c.n, SORTED, 0);

        Native *expected_keys = (Native *)expected[0].room(key_bytes + 1);
        Value *expected_values = (Value *)expected[1].room(bytes[2] + 1);
        size_t size = 0;
        for (int pass = 0; pass < 2; pass++) {
            void *space = pass ? library.room(size + 1) : NULL;
            const int n = (int)c.n;
            const Native *in = (const Native *)keys_in;
            if (values && c.order == SORT_ASCENDING)
                MUST(cub::DeviceRadixSort::SortPairs(space, size, in, expected_keys, values_in,
                                                     expected_values, n));
            else if (values)
                MUST(cub::DeviceRadixSort::SortPairsDescending(space, size, in, expected_keys,
                                                               values_in, expected_values, n));
            else if (c.order == SORT_ASCENDING)
                MUST(cub::DeviceRadixSort::SortKeys(space, size, in, expected_keys, n));
            else
                MUST(cub::DeviceRadixSort::SortKeysDescending(space, size, in, expected_keys, n));
        }

        size_t needed = 0;
        int error = 0;
        for (int pass = 0; pass < 2 && !error; pass++) {
            void *space = pass ? scratch.room(needed + GUARD) : NULL;
            if (pass)
                MUST(cudaMemsetAsync(space, PATTERN, needed + GUARD));
            error = values ? sort_pairs(space, &needed, keys_in, keys_out, values_in, values_out,
                                        c.value_bytes, c.n, (sort_type)c.type, (sort_order)c.order,
                                        NULL)
                           : sort_keys(space, &needed, keys_in, keys_out, c.n, (sort_type)c.type,
                                       (sort_order)c.order, NULL);
        }
        if (error) {
            fprintf(stderr, "sort.cu: %s\n", sort_error_text(error));
            exit(1);
        }
        compare<<<512, 256>>>(keys_out, (const T *)expected_keys, c.n, memory[1].bytes, begin[1],
                              begin[1] + bytes[1], whole[1], wrong);
        compare<<<512, 256>>>(values_out, (const Value *)expected_values, values, memory[3].bytes,
                              begin[3], begin[3] + bytes[3], whole[3], wrong);
        compare<<<1, 256>>>(keys_out, keys_out, 0, scratch.bytes, 0, needed, needed + GUARD, wrong);
        MUST(cudaGetLastError());
        done++;
        if (c.n <= 300 && c.n % 7 == 0)
            compare_on_host<T, Native, Value>(c, keys_in, keys_out, values_out);
    }

    /* The same once more by the host, where keys have no NaN and no zeros of both signs. */
    template <class T, class Native, class Value>
    void compare_on_host(const sort_case &c, const T *keys_in, const T *keys_out,
                         const Value *values_out)
    {
        std::vector<Native> in(c.n), out(c.n);
        std::vector<Value> values(c.n);
        std::vector<size_t> place(c.n);
        MUST(cudaMemcpy(in.data(), keys_in, c.n * sizeof(T), cudaMemcpyDeviceToHost));
        MUST(cudaMemcpy(out.data(), keys_out, c.n * sizeof(T), cudaMemcpyDeviceToHost));
        if (c.value_bytes)
            MUST(
                cudaMemcpy(values.data(), values_out, c.n * sizeof(Value), cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < c.n; i++) {
            place[i] = i;
            if (in[i] != in[i])
                return;
        }
        std::stable_sort(place.begin(), place.end(), [&](size_t a, size_t b) {
            return c.order == SORT_ASCENDING ? in[a] < in[b] : in[b] < in[a];
        });
        for (size_t i = 0; i < c.n; i++)
            if (memcmp(&out[i], &in[place[i]], sizeof(T)) ||
                (c.value_bytes && (size_t)values[i] != place[i])) {
                fprintf(stderr, "sort.cu: the host finds another item %zu\n", i);
                report(c);
                exit(1);
            }
    }

    template <class T, class Native> void queue_keys(const sort_case &c)
    {
        if (c.value_bytes == 8)
            queue_as<T, Native, uint64_t>(c);
        else
            queue_as<T, Native, uint32_t>(c);
    }

    void queue(const sort_case &c)
    {
        switch (c.type) {
        case SORT_INT32:
            return queue_keys<uint32_t, int32_t>(c);
        case SORT_UINT32:
            return queue_keys<uint32_t, uint32_t>(c);
        case SORT_FLOAT:
            return queue_keys<uint32_t, float>(c);
        case SORT_INT64:
            return queue_keys<uint64_t, int64_t>(c);
        case SORT_UINT64:
            return queue_keys<uint64_t, uint64_t>(c);
        default:
            return queue_keys<uint64_t, double>(c);
        }
    }

    static void report(const sort_case &c)
    {
        fprintf(stderr,
                "sort.cu: wrong: n %zu, %s, %s, values of %d bytes, input %s, seed %llu, pointers "
                "moved by %d %d %d %d\n",
                c.n, type_names[c.type], c.order ? "descending" : "ascending", c.value_bytes,
                input_names[c.input], (unsigned long long)c.seed, c.shift[0], c.shift[1],
                c.shift[2], c.shift[3]);
    }

    /* Waits for what is queued; the last case may be the wrong one. */
    void check(const sort_case &c)
    {
        unsigned long long count = 0;
        MUST(cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost));
        if (!count)
            return;
        fprintf(stderr, "sort.cu: %llu wrong elements or bytes\n", count);
        report(c);
        exit(1);
    }
};

static int sizes(tester &tester, size_t most)
{
    for (size_t n = 0; n <= most; n++) {
        sort_case c = {n, 0, 0, 0, 0, {0, 0, 0, 0}, n};
        for (c.type = 0; c.type < 6; c.type++)
            for (c.order = 0; c.order < 2; c.order++)
                for (c.value_bytes = 0; c.value_bytes <= 8; c.value_bytes += 4) {
                    c.input =
                        (int)(mixed(n * 64 + c.type * 8 + c.order * 4 + c.value_bytes) % INPUTS);
                    tester.queue(c);
                    tester.check(c);
                }
    }
    printf("every n to %zu, 6 types, 2 orders, no values and values of 4 and 8 bytes: %llu sorts "
           "right\n",
           most, (unsigned long long)tester.done);
    uint64_t before = tester.done;
    for (size_t n : {1000, 16384, 40000, 70000})
        for (int moved = 0; moved < 256; moved++)
            for (int type : {SORT_INT32, SORT_DOUBLE}) {
                sort_case c = {
                    n,         type,
                    moved % 2, moved % 3 * 4,
                    RANDOM,    {moved & 3, moved >> 2 & 3, moved >> 4 & 3, moved >> 6 & 3},
                    n};
                tester.queue(c);
                tester.check(c);
            }
    printf("every alignment of every pointer: %llu sorts right\n",
           (unsigned long long)(tester.done - before));
    return 0;
}

static int soak(tester &tester, int count, uint64_t seed)
{
    uint64_t state = seed, items = 0;
    auto below = [&](uint64_t limit) { return mixed(state++) % limit; };
    for (int i = 0; i < count; i++) {
        /* all orders of magnitude alike */
        size_t n = 1;
        for (uint64_t digits = below(9); digits; digits--)
            n *= 10;
        n = below(n) * (below(8) ? 1 : 0) + (below(8) ? below(n) : 0);
        n = std::min(n, (size_t)100000000);
        sort_case c = {n,
                       (int)below(6),
                       (int)below(2),
                       (int)below(3) * 4,
                       (int)below(INPUTS),
                       {(int)below(4), (int)below(4), (int)below(4), (int)below(4)},
                       below(1u << 30)};
        tester.queue(c);
        tester.check(c);
        items += n;
    }
    printf("%d random sorts, seed %llu, %llu items: all right\n", count, (unsigned long long)seed,
           (unsigned long long)items);
    return 0;
}

static int few(tester &tester)
{
    for (size_t n :
         {(size_t)0, (size_t)1, (size_t)1000, (size_t)20000, (size_t)150000, (size_t)300000})
        for (int type = 0; type < 6; type++)
            for (int value_bytes = 0; value_bytes <= 8; value_bytes += 4) {
                sort_case c = {n, type, type % 2, value_bytes, type % INPUTS, {1, 2, 3, 1}, n};
                tester.queue(c);
                tester.check(c);
            }
    printf("a few of everything: %llu sorts right\n", (unsigned long long)tester.done);
    return 0;
}

static int errors()
{
    int wrong = 0;
    unsigned char *memory = NULL;
    const size_t n = 100000, part = n * 4;
    size_t bytes = 0;
    MUST(cudaMalloc((void **)&memory, 64 * part));
    MUST(cudaMemset(memory, PATTERN, 64 * part));
    int *in = (int *)memory, *out = (int *)(memory + part), *values = (int *)(memory + 2 * part),
        *to = (int *)(memory + 3 * part);
    void *scratch = memory + 4 * part / 256 * 256 + 256;
    int error = sort_keys(NULL, &bytes, in, out, n, SORT_INT32, SORT_ASCENDING, NULL);
    size_t small = bytes - 1, half = bytes / 2;
    const struct {
        int found, expected;
    } cases[] = {
        {error, 0},
        {sort_keys(scratch, NULL, in, out, n, SORT_INT32, SORT_ASCENDING, NULL), SORT_NULL_POINTER},
        {sort_keys(scratch, &bytes, NULL, out, n, SORT_INT32, SORT_ASCENDING, NULL),
         SORT_NULL_POINTER},
        {sort_keys(scratch, &bytes, in, NULL, n, SORT_INT32, SORT_ASCENDING, NULL),
         SORT_NULL_POINTER},
        {sort_keys(scratch, &bytes, in, out, n, (sort_type)6, SORT_ASCENDING, NULL), SORT_BAD_TYPE},
        {sort_keys(scratch, &bytes, in, out, n, SORT_INT32, (sort_order)2, NULL), SORT_BAD_TYPE},
        {sort_pairs(scratch, &bytes, in, out, values, to, 2, n, SORT_INT32, SORT_ASCENDING, NULL),
         SORT_BAD_VALUE_BYTES},
        {sort_pairs(scratch, &bytes, in, out, values, to, 0, n, SORT_INT32, SORT_ASCENDING, NULL),
         SORT_BAD_VALUE_BYTES},
        {sort_keys(scratch, &bytes, in, out, (size_t)SORT_MOST_ITEMS + 1, SORT_INT32,
                   SORT_ASCENDING, NULL),
         SORT_TOO_MANY_ITEMS},
        {sort_keys(scratch, &bytes, in, out, SIZE_MAX, SORT_INT32, SORT_ASCENDING, NULL),
         SORT_TOO_MANY_ITEMS},
        {sort_keys(scratch, &small, in, out, n, SORT_INT32, SORT_ASCENDING, NULL),
         SORT_SCRATCH_TOO_SMALL},
        {sort_keys(scratch, &bytes, (char *)in + 2, out, n - 1, SORT_INT32, SORT_ASCENDING, NULL),
         SORT_UNALIGNED},
        {sort_keys((char *)scratch + 4, &bytes, in, out, n, SORT_INT32, SORT_ASCENDING, NULL),
         SORT_UNALIGNED},
        {sort_keys(scratch, &bytes, in, in, n, SORT_INT32, SORT_ASCENDING, NULL), SORT_OVERLAP},
        {sort_keys(scratch, &bytes, in, in + n - 1, n, SORT_INT32, SORT_ASCENDING, NULL),
         SORT_OVERLAP},
        {sort_keys(scratch, &bytes, in, (int *)scratch, n, SORT_INT32, SORT_ASCENDING, NULL),
         SORT_OVERLAP},
        {sort_pairs(scratch, &half, in, out, values, to, 4, n, SORT_INT32, SORT_ASCENDING, NULL),
         SORT_SCRATCH_TOO_SMALL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (cases[i].found == cases[i].expected)
            continue;
        wrong++;
        fprintf(stderr, "sort.cu: case %zu: expected \"%s\", found \"%s\"\n", i,
                sort_error_text(cases[i].expected), sort_error_text(cases[i].found));
    }
    std::vector<unsigned char> after(64 * part);
    MUST(cudaMemcpy(after.data(), memory, after.size(), cudaMemcpyDeviceToHost));
    for (unsigned char byte : after)
        wrong += byte != PATTERN;
    printf("bad input: %s\n", wrong ? "WRONG" : "refused, nothing written");
    return wrong != 0;
}

/* Sorts captured once and launched for several inputs: pairs and keys alone, of sizes that are merged and
 * distributed. */
static int graph()
{
    for (size_t n : {(size_t)50000, (size_t)200000, (size_t)3000000, (size_t)40000000}) {
        const bool pairs = n < 40000000;
        buffer memory[5];
        uint32_t *at[4];
        std::vector<uint32_t> keys(n), sorted(n), carried(n), place(n);
        for (int i = 0; i < 4; i++)
            at[i] = (uint32_t *)memory[i].room(n * sizeof(uint32_t));
        size_t bytes = 0;
        cudaStream_t stream;
        cudaGraph_t captured;
        cudaGraphExec_t launched;
        MUST(cudaStreamCreate(&stream));
        auto sort = [&](void *space) {
            return pairs ? sort_pairs(space, &bytes, at[0], at[1], at[2], at[3], 4, n, SORT_UINT32,
                                      SORT_ASCENDING, stream)
                         : sort_keys(space, &bytes, at[0], at[1], n, SORT_UINT32, SORT_ASCENDING,
                                     stream);
        };
        int error = sort(NULL);
        void *space = memory[4].room(bytes);
        MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        error = error ? error : sort(space);
        MUST(cudaStreamEndCapture(stream, &captured));
        if (error) {
            fprintf(stderr, "sort.cu: graph: %s\n", sort_error_text(error));
            return 1;
        }
        MUST(cudaGraphInstantiate(&launched, captured, 0));
        for (int input = 0; input < INPUTS; input++) {
            fill<<<512, 256, 0, stream>>>(at[0], n, input, input);
            fill<<<512, 256, 0, stream>>>(at[2], n, SORTED, 0);
            MUST(cudaMemcpyAsync(keys.data(), at[0], n * 4, cudaMemcpyDeviceToHost, stream));
            MUST(cudaGraphLaunch(launched, stream));
            MUST(cudaMemcpyAsync(sorted.data(), at[1], n * 4, cudaMemcpyDeviceToHost, stream));
            MUST(cudaMemcpyAsync(carried.data(), at[3], n * 4, cudaMemcpyDeviceToHost, stream));
            MUST(cudaStreamSynchronize(stream));
            for (size_t i = 0; i < n; i++)
                place[i] = (uint32_t)i;
            if (pairs)
                std::stable_sort(place.begin(), place.end(),
                                 [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
            else
                std::sort(keys.begin(), keys.end());
            for (size_t i = 0; i < n; i++)
                if (sorted[i] != keys[place[i]] || (pairs && carried[i] != place[i])) {
                    fprintf(stderr, "sort.cu: graph: wrong: n %zu, input %s, item %zu\n", n,
                            input_names[input], i);
                    return 1;
                }
        }
        MUST(cudaGraphExecDestroy(launched));
        MUST(cudaGraphDestroy(captured));
        MUST(cudaStreamDestroy(stream));
        for (buffer &piece : memory)
            MUST(cudaFree(piece.bytes));
    }
    printf("captured sorts: right for every input\n");
    return 0;
}

static int once(tester &tester, const char *type, int log)
{
    sort_case c = {(size_t)1 << log, 0, 0, 0, RANDOM, {0, 0, 0, 0}, 1};
    while (c.type < 6 && strcmp(type_names[c.type], type))
        c.type++;
    if (c.type == 6 || log < 0 || log > 30)
        return fprintf(stderr, "sort.cu: no such type or size\n"), 2;
    tester.queue(c);
    tester.check(c);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    tester tester;
    if (!strcmp(what, "sizes"))
        return sizes(tester, argc > 2 ? strtoul(argv[2], NULL, 10) : 5000);
    if (!strcmp(what, "soak") && argc > 2)
        return soak(tester, atoi(argv[2]), argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
    if (!strcmp(what, "few"))
        return few(tester);
    if (!strcmp(what, "errors"))
        return errors();
    if (!strcmp(what, "graph"))
        return graph();
    if (!strcmp(what, "once") && argc > 3)
        return once(tester, argv[2], atoi(argv[3]));
    fprintf(stderr,
            "usage: sort sizes [MOST] | soak COUNT [SEED] | few | errors | graph | once TYPE N\n");
    return 2;
}
