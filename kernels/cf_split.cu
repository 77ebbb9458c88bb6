/* cf_split.cu - CF-Merge's gather run backwards: a scatter without bank conflicts (cfmerge section 1,
 * footnote 5: the load-balanced dual subsequence scatter).
 *
 * This is a stable split: the even numbers of a block move to its front, the odd ones behind them.
 * Each thread has E neighbouring numbers in registers and knows from a scan how many even and odd
 * ones come before its own. So it writes a stretch of A and a stretch of B, E words in total, just as
 * the gather of cf-merge reads them.
 *
 * direct: a thread writes its numbers in order. Where threads have different shares of even numbers,
 * their writes meet in banks by chance. conflict-free: B is stored after A in reverse, and partitions
 * are shifted (merge.h); in round j a thread writes the one of its numbers whose place is j modulo E.
 * For w = 12, E = 5 and a thread with a = 3, whose numbers are 8 1 6 3 5: in rounds 0 .. 4 it writes
 * 5, 3, 1, 8, 6. The thread first puts its registers into that order, by comparisons only, because a
 * variable cannot index registers.
 */
#include "kernels/merge.h"

#include <stdlib.h>

struct cf_split {
    int w, u, blocks, E, variant;
};
enum { VARIANT_DIRECT, VARIANT_CONFLICT_FREE };

STAGES(scan, scatter, store)

BARE(cf_split, {32, 512, ANY, 15, VARIANT_DIRECT}, {32, 512, ANY, 15, VARIANT_CONFLICT_FREE})

/* The sum of the counts of threads 0 .. t, of u threads; every step doubles how many are in it. */
DEVICE int scan_counts(CONTEXT, SHARED_PTR(int) sums, int count, int u)
{
    int t = threadIdx.x, round = 0;
    ROUND(round++);
    STORE(sums, t, count);
    __syncthreads();
    for (int reach = 1; reach < u; reach *= 2) {
        ROUND(round++);
        if (t >= reach)
            count += LOAD(sums, t - reach);
        __syncthreads();
        ROUND(round++);
        STORE(sums, t, count);
        __syncthreads();
    }
    return count;
}

/* Puts the items into the order of their rounds. */
DEVICE void order_by_round(int *items, const int *found, int a, int b, int E)
{
    UNROLL for (int i = 0; i < E; i++)
    {
        bool even = found[i] % 2 == 0;
        int round = even ? a % E : E - 1 - b % E;
        UNROLL for (int j = 0; j < E; j++)
        {
            items[j] = round == j ? found[i] : items[j];
        }
        a += even;
        b += !even;
    }
}

KERNEL(cf_split)
{
    int n = p.u * p.E, block = blockIdx.x, t = threadIdx.x, even = 0;
    SHARED(int, tile, n);
    SHARED(int, sums, p.u);
    REGISTERS(int, found, p.E);
    REGISTERS(int, items, p.E);

    UNROLL for (int j = 0; j < p.E; j++)
    {
        found[j] = in[block * n + t * p.E + j];
        items[j] = found[j];
        even += found[j] % 2 == 0;
    }
    STAGE(scan);
    int a = scan_counts(simt_, sums, even, p.u) - even, b = t * p.E - a;
    int na = LOAD(sums, p.u - 1);

    STAGE(scatter);
    struct merge_layout layout = p.variant == VARIANT_CONFLICT_FREE
                                     ? layout_conflict_free(n, na, p.w, p.E)
                                     : layout_plain(n, na);
    if (p.variant == VARIANT_CONFLICT_FREE) {
        order_by_round(items, found, a, b, p.E);
        int k = a % p.E;
        UNROLL for (int j = 0; j < p.E; j++)
        {
            int step = wrap(j - k, p.E);
            bool to_a = step < even;
            int word = to_a ? place_a(layout, a + step) : place_b(layout, b + wrap(k - j - 1, p.E));
            ROUND(j);
            STORE_TAG(tile, word, items[j], to_a ? 'A' : 'B');
        }
    } else {
        UNROLL for (int j = 0; j < p.E; j++)
        {
            bool to_a = items[j] % 2 == 0;
            int word = to_a ? place_a(layout, a) : place_b(layout, b);
            ROUND(j);
            STORE_TAG(tile, word, items[j], to_a ? 'A' : 'B');
            a += to_a;
            b += !to_a;
        }
    }
    __syncthreads();

    STAGE(store);
    UNROLL for (int j = 0; j < p.E; j++)
    {
        int word = j * p.u + t, k = rho_inverse(layout, word);
        int to = layout.reversed && k >= na ? na + n - 1 - k : k;
        ROUND(j);
        out[block * n + to] = LOAD_TAG(tile, word, k < na ? 'A' : 'B');
    }
}

#ifdef SIMT_HOST

static const char *const variants[] = {"direct", "conflict-free", NULL};
PARAMS(cf_split) = {
    PARAM_W(32),
    PARAM_U(512),
    PARAM_BLOCKS,
    PARAM_E(15),
    PARAM_WORDS(variant, VARIANT_CONFLICT_FREE, variants, "the order in which a thread writes"),
    {0},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct cf_split *p = params;
    size_t n = (size_t)p->u * (size_t)p->E;
    (void)error;
    if (p->variant == VARIANT_CONFLICT_FREE)
        shape->partition = layout_conflict_free(0, 0, p->w, p->E).partition;
    shape->shared_bytes = (n + (size_t)p->u) * sizeof(int);
    shape->in_words = shape->out_words = (size_t)p->blocks * n;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct cf_split *p = params;
    size_t n = (size_t)p->u * (size_t)p->E;
    int *expected = memory_array(shape->out_words, sizeof *expected, "words", error),
        *to = expected;
    bool good = expected;
    for (size_t block = 0; good && block < (size_t)p->blocks; block++)
        for (int odd = 0; odd < 2; odd++)
            for (size_t i = block * n; i < (block + 1) * n; i++)
                if ((in[i] % 2 != 0) == odd)
                    *to++ = in[i];
    good = good && same_numbers(out, expected, shape->out_words, error);
    free(expected);
    return good;
}

ENTRY(cf_split, .name = "cf-split",
      .summary = "even numbers to the front: CF-Merge's gather, backwards",
      .look =
          "Step through stage scatter: in every round a warp writes each bank once, whatever the "
          "numbers. With variant=direct, threads meet as they do in thrust-merge.",
      .source = "cfmerge section 1, footnote 5", .inputs = INPUT_ANY, .shape = shape,
      .prepare = prepare_numbers, .check = check)

#endif
