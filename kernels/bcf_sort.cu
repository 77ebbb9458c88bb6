/* bcf_sort.cu - BCFMergesort: a whole sort of n words without bank conflicts (bcfsort section 3).
 *
 * P blocks of one warp each work in steps. Each step is a launch and a stage, and its rounds are
 * numbered in order of time. Between steps, all blocks wait for each other.
 *
 *   sort              pieces of w x w words, by ShearSort
 *   merge-1, ...      pairs of sequences, page by page (bcf.h), until at most P sequences are left
 *   splitters         P words of each sequence, evenly spaced, are sorted like the pieces (and
 *                     merged by splitters-1, ... if they fill more than one piece): P - 1 of them,
 *                     evenly spaced, are the splitters
 *   ranks             a binary search cuts each sequence at the splitters
 *   distribute        the parts are gathered by bucket
 *   final-1, ...      block b merges the parts of bucket b, pair by pair
 *
 * With pivots=on (BCFMergesortPB), each splitter has an extra bucket for the words equal to it, which
 * need no merging. Try --input duplicates with both.
 *
 * Steps that only copy and search in global memory (ranks, distribute) record no accesses. The paper
 * finds the ranks by scanning all words and then sums bucket sizes to find where a bucket begins;
 * here the ranks already are those sums.
 */
#include "kernels/bucket_sort.h"

struct bcf_sort {
    int w, u, blocks, n, pivots, variant;
    int launch;
};

BARE(bcf_sort, {32, 32, ANY, ANY, ANY, VARIANT_TRANSPOSE, ANY},
     {32, 32, ANY, ANY, ANY, VARIANT_DIAGONAL, ANY})

/* ---- the steps ------------------------------------------------------------------------------- */

DEVICE struct plan plan_of(const struct bcf_sort p)
{
    struct plan plan = {p.w * p.w, 0, p.pivots ? 2 * p.blocks - 1 : p.blocks, 0, {1}};
    plan.steps[MERGE] = merge_rounds(p.n, plan.length, p.blocks);
    plan.length <<= plan.steps[MERGE];
    plan.sequences = (p.n + plan.length - 1) / plan.length;
    if (plan.sequences > 1) {
        plan.samples = plan.sequences * p.blocks;
        plan.steps[SPLITTERS] = plan.steps[RANKS] = plan.steps[DISTRIBUTE] = 1;
        plan.steps[MERGE_SPLITTERS] = merge_rounds(plan.samples, p.w * p.w, 1);
        plan.steps[FINAL] = merge_rounds(plan.sequences, 1, 1);
    }
    return plan;
}

/* Words of the notes. */
DEVICE int note_words(const struct plan *plan)
{
    return plan->sequences > 1 ? plan->sequences * plan->buckets + 1 : 0;
}

/* The first bucket of block b; a pivot bucket belongs to the block of the bucket before. */
DEVICE int first_bucket(const struct bcf_sort p, const struct plan *plan, int b)
{
    int first = p.pivots ? 2 * b : b;
    return first < plan->buckets ? first : plan->buckets;
}

/* ---- sorting and merging --------------------------------------------------------------------- */

/* Where sample i is: sequences give p.blocks samples each. */
DEVICE int sample_place(const struct bcf_sort p, const struct plan *plan, int i)
{
    int k = i / p.blocks, words = sequence_words(p.n, plan, k);
    return k * plan->length + words * (i % p.blocks) / p.blocks;
}

/* Sorts words first .. of the n at `from` (or the samples among them) to `to`: w x w of them, or as
 * many as there are below `count`. */
DEVICE void sort_piece(CONTEXT, struct bcf *s, const struct bcf_sort p, const struct plan *plan,
                       bool samples, const int *from, int *to, int first, int count)
{
    for (int j = 0; j < p.w; j++) {
        int k = first + j * p.w + s->m.lane;
        ROUND(s->round++);
        STORE(s->m.words, square_word(s->m, s->m.lane, j),
              k >= count ? INT_MAX : from[samples ? sample_place(p, plan, k) : k]);
    }
    SYNC_WARP(p.w);
    for (int rows = 1; rows < p.w; rows *= 2) {
        bcf_rows(simt_, s, s->m.lane % 2);
        bcf_columns(simt_, s);
    }
    bcf_rows(simt_, s, false); /* row-major now: read row by row */
    if (p.variant == VARIANT_TRANSPOSE)
        bcf_turn(simt_, s);
    for (int j = 0; j < p.w; j++) {
        int k = first + j * p.w + s->m.lane;
        ROUND(s->round++);
        int word = p.variant == VARIANT_TRANSPOSE ? square_word(s->m, s->m.lane, j)
                                                  : square_word(s->m, j, s->m.lane);
        if (k < count)
            to[k] = LOAD(s->m.words, word);
    }
    SYNC_WARP(p.w);
}

/* Pair number i of the parts of this block's buckets, when `run` parts are one already. A pivot bucket is all of one
 * kind: its one pair has nothing to merge with. */
DEVICE bool pair_of_parts(CONTEXT, const struct bcf_sort p, const struct plan *plan, int i, int run,
                          const int *parts, struct pair *pair)
{
    int all = plan->sequences, pairs = (all + 2 * run - 1) / (2 * run); /* of a bucket */
    int bucket = first_bucket(p, plan, (int)blockIdx.x) + i / pairs, first = i % pairs * 2 * run;
    bool pivot = p.pivots && bucket % 2;
    if (bucket >= first_bucket(p, plan, (int)blockIdx.x + 1))
        return false;
    parts += bucket * all;
    pair->begin = parts[pivot && first ? all : first];
    pair->middle = parts[!pivot && first + run < all ? first + run : all];
    pair->end = parts[!pivot && first + 2 * run < all ? first + 2 * run : all];
    return true;
}

/* ---- buckets --------------------------------------------------------------------------------- */

/* How many words of the sorted list[count] are in the buckets before bucket b. Without pivot
 * buckets, bucket b ends with the words equal to splitter b + 1; with them, buckets 2 c - 1 and 2 c
 * begin with the words equal to splitter c and above it. */
DEVICE int cut_of(const struct bcf_sort p, const struct plan *plan, const int *samples, int b,
                  const int *list, int count)
{
    int c = p.pivots ? (b + 1) / 2 : b;
    const int *splitter = samples + c * plan->sequences;
    bool again =
        c > 1 && splitter[0] == splitter[-plan->sequences]; /* an earlier bucket has them */
    return c ? rank_of(list, count, *splitter, !p.pivots || b % 2 == 0 || again) : 0;
}

KERNEL(bcf_sort)
{
    const struct plan plan = plan_of(p);
    const struct step now = step_of(&plan, p.launch);
    int lane = (int)threadIdx.x, block = (int)blockIdx.x;
    bool samples = now.kind == SPLITTERS || now.kind == MERGE_SPLITTERS;
    int first = samples ? p.n : 0, count = samples ? plan.samples : p.n; /* what is worked on */
    SHARED(int, tile, p.w *p.w);
    struct bcf s = {{tile, p.w, p.variant, lane, MEMORY_REGISTERS}, false, 0, 0};
    struct pair pair;

    STAGE(step + p.launch);
    /* What this step leaves as it is goes on to the next. */
    if (samples || now.kind == RANKS)
        copy_words(out, in, p.n, block * p.w + lane, p.blocks * p.w);
    if (now.kind == FINAL)
        copy_words(out + p.n, in + p.n, note_words(&plan), block * p.w + lane, p.blocks * p.w);

    if (now.kind == SORT || now.kind == SPLITTERS) {
        for (int at = block * p.w * p.w; at < count; at += p.blocks * p.w * p.w)
            sort_piece(simt_, &s, p, &plan, samples, in, out + first, at, count);
    } else if (now.kind == RANKS) {
        for (int b = lane; b < plan.buckets && block < plan.sequences; b += p.w)
            out[p.n + block * plan.buckets + b] = cut_of(
                p, &plan, in + p.n, b, in + block * plan.length, sequence_words(p.n, &plan, block));
    } else if (now.kind == DISTRIBUTE) {
        for (int b = first_bucket(p, &plan, block); b < first_bucket(p, &plan, block + 1); b++)
            gather_bucket(p.n, p.w, &plan, b, lane, in, out);
    } else {
        for (int i = 0; now.kind == FINAL
                            ? pair_of_parts(simt_, p, &plan, i, 1 << now.number, in + p.n, &pair)
                            : pair_of_sequences((int64_t)i * p.blocks + block,
                                                (int64_t)(p.w * p.w) << now.number, count, &pair);
             i++) {
            const int *from = in + first;
            bcf_merge_streams(simt_, &s, from + pair.begin, pair.middle - pair.begin,
                              from + pair.middle, pair.end - pair.middle, out + first + pair.begin);
        }
    }
}

#ifdef SIMT_HOST

PARAMS(bcf_sort) = {
    PARAM_BCF_W,
    PARAM_BCF_U,
    PARAM(blocks, 4, 1, 2048,
          "P: thread blocks, and the number of sequences when distribution begins"),
    PARAM_BCF_N(1000, 1 << 26),
    PARAM_PIVOTS("on: an extra bucket for the words equal to each splitter"),
    PARAM_SHEAR_VARIANT,
    {0},
};

static int launches(const void *params)
{
    const struct plan plan = plan_of(*(const struct bcf_sort *)params);
    return plan_launches(&plan);
}

static bool stage_name(const void *params, int i, char name[64])
{
    const struct plan plan = plan_of(*(const struct bcf_sort *)params);
    return plan_stage_name(&plan, i, name);
}

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct bcf_sort *p = params;
    const struct plan plan = plan_of(*p);
    int most = p->n > plan.samples ? p->n : plan.samples, square = p->w * p->w;
    int64_t pieces = (most + square - 1) / square;
    /* Of a block, at most, if words are distinct (Lemma 1); where few are, the recorder may find
     * that there are too many rounds. */
    int64_t sorts = (pieces + p->blocks - 1) / p->blocks,
            merges = 4 * (int64_t)page_count(p->w, p->n) / p->blocks +
                     page_count(p->w, plan.samples) + 2 * plan.sequences + 2;
    if (sorts * 40 * p->w > MAX_ROUNDS || merges * 8 * p->w > MAX_ROUNDS)
        return error_set(error,
                         "bcf-sort: n = %d words in pages of %d with %d blocks may take over %d "
                         "rounds in a stage; choose a larger w or a smaller n",
                         p->n, page_words(p->w), p->blocks, MAX_ROUNDS);
    shape->in_words = shape->out_words = (size_t)p->n + (size_t)note_words(&plan);
    return bcf_shape("bcf-sort", p->w, p->u, shape, error);
}

static bool prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    (void)shape;
    return input_numbers(input, in, (size_t)((const struct bcf_sort *)params)->n, error);
}

/* bcfsort Lemma 1, from its proof: s sequences of `length` words give t = P samples each, which are
 * length / t apart; between two splitters there are s t / P samples. So a bucket of distinct words has
 * at most s + s t / P times length / t of them. */
static int largest_bucket(const struct bcf_sort *p, const struct plan *plan)
{
    return 2 * plan->sequences * ((plan->length + p->blocks - 1) / p->blocks);
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct bcf_sort *p = params;
    const struct plan plan = plan_of(*p);
    bool distinct = true;
    (void)shape;
    if (!check_sorted((size_t)p->n, 1, in, out, error))
        return false;
    for (int i = 1; i < p->n; i++)
        distinct = distinct && out[i - 1] != out[i];
    /* The steps' notes are still there: where the parts of each bucket began. */
    for (int b = 0; plan.sequences > 1 && distinct && b < plan.buckets; b++) {
        const int *part = out + p->n + b * plan.sequences;
        if (part[plan.sequences] - part[0] > largest_bucket(p, &plan))
            return error_set(error, "bucket %d has %d words, more than the %d of bcfsort Lemma 1",
                             b, part[plan.sequences] - part[0], largest_bucket(p, &plan));
    }
    return true;
}

/* What the stages worked on: the table counts the blocks of all launches. */
static void report(const void *params, const struct stats *stats, FILE *file)
{
    const struct bcf_sort *p = params;
    const struct plan plan = plan_of(*p);
    int square = p->w * p->w;
    (void)stats;
    fprintf(file, "blocks: %d, launches: %d, pieces of %d words: %d, sequences: %d", p->blocks,
            launches(params), square, (p->n + square - 1) / square, plan.sequences);
    if (plan.sequences > 1)
        fprintf(file, ", splitters: %d, buckets: %d, of %d words at most (Lemma 1)", p->blocks - 1,
                plan.buckets, largest_bucket(p, &plan));
    fprintf(file, "\n");
}

ENTRY(bcf_sort, .name = "bcf-sort",
      .summary = "BCFMergesort: a whole sort of any n without conflicts",
      .look = "No step has a conflict, from the sort of the pieces to the final merges. Compare "
              "pivots=off and pivots=on with input duplicates: words equal to a splitter are not "
              "merged again.",
      .source = "bcfsort section 3, Algorithms 6, 7", .inputs = INPUT_ANY, .stage_name = stage_name,
      .launches = launches, .launch = MEMBER(launch), .report = report, .shape = shape,
      .prepare = prepare, .check = check)

#endif
