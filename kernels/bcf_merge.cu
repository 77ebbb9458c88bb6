/* bcf_merge.cu - BCFMergesort's merge: page by page, without bank conflicts (bcfsort Algorithm 6).
 *
 * Each block, one warp, merges two sorted streams of na and n - na words as bcf.h describes. Page i
 * has four stages. load-i writes it into the matrix (tags A and B name the streams; the last round
 * compares the last words of both pages). rows-i and columns-i are the round of ShearSort that
 * merges it with the page already there. store-i writes out the lower half. The first load and the
 * last store handle two pages.
 *
 * pivots=on does to two streams what BCFMergesortPB does to all of them: a splitter, the middle word
 * of A, divides each stream into the words below it, equal to it and above it. A copy in global
 * memory puts the equal words in place, so that only the words below and above need merging. With
 * few distinct words, almost nothing is left to merge.
 */
#include "kernels/bcf.h"

struct bcf_merge {
    int w, u, blocks, n, pivots, na, variant;
};

BARE(bcf_merge, {32, 32, ANY, ANY, ANY, ANY, VARIANT_TRANSPOSE},
     {32, 32, ANY, ANY, ANY, ANY, VARIANT_DIAGONAL})

/* Words of stream A. */
DEVICE int size_of_a(const struct bcf_merge p)
{
    return p.na < 0 ? p.n - p.n / 2 : p.na;
}

KERNEL(bcf_merge)
{
    int na = size_of_a(p), nb = p.n - na, lane = (int)threadIdx.x;
    const int *a = in + (int)blockIdx.x * p.n, *b = a + na;
    int *to = out + (int)blockIdx.x * p.n;
    int low_a = na, high_a = na, low_b = nb, high_b = nb; /* equal words: from low to below high */
    SHARED(int, tile, p.w *p.w);
    struct bcf s = {{tile, p.w, p.variant, lane, MEMORY_REGISTERS}, true, 0, 0};

    if (p.pivots && na) {
        int splitter = a[na / 2];
        low_a = rank_of(a, na, splitter, false);
        high_a = rank_of(a, na, splitter, true);
        low_b = rank_of(b, nb, splitter, false);
        high_b = rank_of(b, nb, splitter, true);
        copy_words(to + low_a + low_b, a + low_a, high_a - low_a, lane, p.w);
        copy_words(to + high_a + low_b, b + low_b, high_b - low_b, lane, p.w);
    }
    for (int part = 0; part < 2; part++) {
        int from_a = part ? high_a : 0, from_b = part ? high_b : 0;
        bcf_merge_streams(simt_, &s, a + from_a, (part ? na : low_a) - from_a, b + from_b,
                          (part ? nb : low_b) - from_b, to + from_a + from_b);
    }
}

#ifdef SIMT_HOST

PARAMS(bcf_merge) = {
    PARAM_BCF_W,
    PARAM_BCF_U,
    PARAM_BLOCKS,
    PARAM_BCF_N(128, 1 << 20),
    PARAM_PIVOTS("on: words equal to the middle word of A are not merged"),
    PARAM(na, -1, -1, 1 << 20, "words in stream A; -1: half of n"),
    PARAM_SHEAR_VARIANT,
    {0},
};

/* With pivots, the two parts together may have one page more of each stream than the whole. */
static int most_pages(const struct bcf_merge *p)
{
    int na = size_of_a(*p);
    int pages = page_count(p->w, na) + page_count(p->w, p->n - na) - 1 + p->pivots;
    return pages < 1 ? 1 : pages;
}

static bool stage_name(const void *params, int i, char name[64])
{
    static const char *const phases[PHASES] = {"load", "rows", "columns", "store"};
    snprintf(name, 64, "%s-%d", phases[i % PHASES], i / PHASES);
    return i < PHASES * most_pages(params);
}

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct bcf_merge *p = params;
    if (p->na > p->n)
        return error_set(error, "bcf-merge: na = %d must be at most n = %d, or -1 for half of it",
                         p->na, p->n);
    if (most_pages(p) > MAX_STAGES / PHASES)
        return error_set(error,
                         "bcf-merge: n = %d words are more than %d pages of %d, and each page "
                         "has its own stages; choose a larger w or a smaller n",
                         p->n, MAX_STAGES / PHASES, page_words(p->w));
    shape->in_words = shape->out_words = (size_t)p->n * (size_t)p->blocks;
    return bcf_shape("bcf-merge", p->w, p->u, shape, error);
}

static bool prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    const struct bcf_merge *p = params;
    int na = size_of_a(*p);
    if (!prepare_numbers(params, shape, input, in, error))
        return false;
    for (int block = 0; block < p->blocks; block++) {
        int *list = in + (size_t)p->n * (size_t)block;
        sort_numbers(list, (size_t)na);
        sort_numbers(list + na, (size_t)(p->n - na));
    }
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct bcf_merge *p = params;
    (void)shape;
    return check_sorted((size_t)p->n, (size_t)p->blocks, in, out, error);
}

ENTRY(bcf_merge, .name = "bcf-merge",
      .summary = "page-by-page merge of two streams without conflicts",
      .look =
          "Stage rows-0 brings each word into its column, because one page was loaded upside "
          "down: compare the values before and after. Then see which stream, A or B, each later "
          "page comes from.",
      .source = "bcfsort section 3.2, Algorithm 6", .inputs = INPUT_ANY, .stage_name = stage_name,
      .shape = shape, .prepare = prepare, .check = check)

#endif
