/* search.h - what the predecessor searches share (predecessor section IV).
 *
 * K ascending keys lie in shared memory; every thread looks for the last key that is at most its
 * query q, whose index is the answer (-1: all keys are above q). The same search over every
 * stride-th key serves all kernels: with stride 1 it is PBS; with a stride of all banks, starting
 * in the thread's own bank, it is stage 1 of PBS-CF and PBS-CL. For keys 10 20 20 40 and q = 20 it
 * reads keys 2 and 3 (20 is not above q, 40 is), then key 2 once more, and answers 2.
 *
 * Keys and banks have 4 or 8 bytes. Where two keys share a word of a bank, a bank's keys come in pairs
 * (0 and 1, 2 w and 2 w + 1, ...); a lane has `unit` keys in one word.
 *
 * A lane that would have to read before the first key or after the last one reads another key of the
 * same bank instead and discards it, so that all lanes stay in step.
 */
#ifndef BANKSCOPE_SEARCH_H
#define BANKSCOPE_SEARCH_H

#include "kernels/kernel.h"

/* The keys in shared memory: one of two arrays, the other is empty. */
struct search_keys {
    SHARED_PTR(int) narrow;
    SHARED_PTR(long long) wide;
    bool is_wide;
    int K, size; /* keys; words, K or more: what follows the keys is only there to be read */
    int stride;  /* keys from one word of a bank to its next */
};

/* Declares the arrays and copies in[0 .. K - 1] to shared memory. The caller waits. */
#define SEARCH_KEYS(keys, size, stride)                                                            \
    SHARED(long long, wide, p.key_bytes == 8 ? (size) : 0);                                        \
    SHARED(int, narrow, p.key_bytes == 8 ? 0 : (size));                                            \
    struct search_keys keys = {narrow, wide, p.key_bytes == 8, p.K, (size), (stride)};             \
    fill_keys(simt_, keys, in, p.u)

DEVICE void fill_keys(CONTEXT, const struct search_keys keys, const int *in, int u)
{
    ROLLED for (int i = threadIdx.x; i < keys.size; i += u)
    {
        int key = i < keys.K ? in[i] : 0;
        if (keys.is_wide)
            FILL(keys.wide, i, key);
        else
            FILL(keys.narrow, i, key);
    }
}

/* Whether key i is at most q: all before the first one are, none behind the last one is. */
DEVICE bool at_most(CONTEXT, const struct search_keys keys, int i, int q)
{
    int at = i < 0 ? i + keys.stride : i < keys.size ? i : i - keys.stride;
    bool found = keys.is_wide ? LOAD(keys.wide, at) <= q : LOAD(keys.narrow, at) <= q;
    return i < 0 || (i < keys.K && found);
}

/* The last m of 0 .. count - 1 for which key first + m stride is at most q, or -1. All lanes take
 * the same steps, so that lanes that are a number of keys apart stay so while their answers agree.
 * Rounds from `round` on: see search_rounds. */
DEVICE int search_strided(CONTEXT, const struct search_keys keys, int first, int stride, int count,
                          int q, int round)
{
    int m = 0;
    for (int left = count; left > 1;) {
        int half = left / 2;
        ROUND(round);
        if (at_most(simt_, keys, first + (m + half) * stride, q))
            m += half;
        left -= half;
        round++;
    }
    ROUND(round); /* no key at or before it: only the first one can still be above q */
    return at_most(simt_, keys, first + m * stride, q) ? m : -1;
}

/* Iterations of a binary search: ceil(log2 count). */
DEVICE int search_iterations(int count)
{
    int iterations = 0;
    for (; count > 1; count -= count / 2)
        iterations++;
    return iterations;
}

/* The rounds that search_strided takes: the iterations, and the test of the first key. */
DEVICE int search_rounds(int count)
{
    return search_iterations(count) + 1;
}

/* Searches all keys by Algorithm 1 as the paper prints it: an index moves by a distance that halves,
 * rounded up. For K a power of two its iterations read the keys that search_strided's read. */
DEVICE int search_printed(CONTEXT, const struct search_keys keys, int q, int round)
{
    int index = keys.K / 2, delta = (keys.K + 3) / 4;
    for (int i = search_iterations(keys.K); i > 0; i--) {
        ROUND(round);
        if (at_most(simt_, keys, index, q))
            index = index + delta < keys.K ? index + delta : keys.K - 1;
        else
            index = index > delta ? index - delta : 0;
        delta = (delta + 1) / 2;
        round++;
    }
    ROUND(round);
    return at_most(simt_, keys, index, q) ? index : index - 1;
}

/* Keys in a word of a bank: 2 for 4-byte keys in 8-byte banks. */
DEVICE int search_unit(int key_bytes, int bank_bytes)
{
    return bank_bytes > key_bytes ? bank_bytes / key_bytes : 1;
}

/* Keys from one word of a bank to its next. */
DEVICE int search_stride(int w, int key_bytes, int bank_bytes)
{
    return w * search_unit(key_bytes, bank_bytes);
}

/* How often the keys go round all banks. */
DEVICE int search_columns(int K, int stride)
{
    return (K + stride - 1) / stride;
}

/* Stage 1 of PBS-CF and PBS-CL: lane l searches the words of bank l only, so that the lanes never
 * meet. Returns where the `stride` keys begin that hold its answer: it may be before the first key.
 */
DEVICE int search_own_bank(CONTEXT, const struct search_keys keys, int lane, int unit, int q,
                           int round)
{
    int first = lane * unit, columns = keys.size / keys.stride;
    return first + keys.stride * search_strided(simt_, keys, first, keys.stride, columns, q, round);
}

#ifdef SIMT_HOST

/* The parameters of every search kernel. */
struct search_params {
    int w, u, blocks, K, Q, key_bytes, bank_bytes;
};
#define SEARCH_PARAMS                                                                              \
    PARAM_W(32), PARAM_U(64), PARAM_BLOCKS, PARAM(K, 1024, 1, 1 << 20, "keys"),                    \
        PARAM(Q, 64, 1, 1 << 28,                                                                   \
              "queries; if there are more queries than threads, a thread takes several"),          \
        PARAM(key_bytes, 4, 4, 8, "size of a key: 4 or 8"),                                        \
        PARAM(bank_bytes, 4, 4, 8, "width of a bank: 4, or 8 as on the paper's Kepler GPU")

/* The parameters of search-pbs. */
enum pbs_variant { PBS_HALVES, PBS_PRINTED };
struct pbs_params {
    struct search_params search;
    int variant;
};

/* search.c: prepare, check and report of every search kernel; shape of PBS, and of the others,
 * whose keys fill whole columns. */
bool search_shape(const void *params, struct kernel_shape *shape, struct error *error);
bool search_shape_columns(const void *params, struct kernel_shape *shape, struct error *error);
bool search_prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error);
bool search_prepare_pbs(const void *params, const struct kernel_shape *shape,
                        const struct input *input, int *in, struct error *error);
bool search_check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error);
void search_report(const void *params, const struct stats *stats, FILE *file);
/* Passes of a warp's PBS on w banks in its worst case, the sum of min(2^i, w) over the iterations
 * (predecessor section V-B), for keys as wide as a bank. */
int64_t search_worst_passes(int w, int K);

#endif
#endif
