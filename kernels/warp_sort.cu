/* warp_sort.cu - Warpsort: bitonic networks that a warp runs without barriers between warps (Ye, Fan,
 * Lin, Chen and Ienne, IPDPS 2010), with which bcfsort section 4 compares.
 *
 * All warps of all blocks share the work of a step. Each step is a launch and a stage, and its rounds are
 * numbered in order of time. Between steps, all blocks wait for each other.
 *
 *   sort              tiles of t words, each by a bitonic network
 *   merge-1, ...      pairs of sequences, half a tile at a time, until few are left
 *   splitters         a random sample of the words is sorted like the tiles (and merged by
 *                     splitters-1, ... if it fills more than one): every 8th word is a splitter
 *   ranks             a binary search cuts each sequence at the splitters
 *   distribute        the parts are gathered by bucket
 *   final-1, ...      the parts of each bucket are merged, pair by pair
 *
 * A tile holds half a tile of each sequence of a pair, one of them in reverse: together they are bitonic,
 * and log2(t) steps merge them. The lower half is written out, and the next half is loaded from the
 * sequence whose last loaded word is smaller. For t = 8 and 1 4 6 7, 2 3 5 8, the former in reverse:
 *
 *     7 6 4 1 2 3 5 8    compare words that are 4 apart, then 2, then 1
 *     2 3 4 1 7 6 5 8
 *     2 1 4 3 5 6 7 8
 *     1 2 3 4 5 6 7 8
 *
 * A step over distance k < w leaves gaps: where w is a power of two, each access of a full warp costs two
 * passes; where k is a multiple of w, one. Words equal to a splitter all go to one bucket, so that few
 * different keys leave most warps without work (try --input duplicates=2). Steps that only copy and
 * search in global memory (ranks, distribute) record no accesses.
 */
#include "kernels/bucket_sort.h"

struct warp_sort {
    int w, u, blocks, n, t, buckets;
    int launch;
};

BARE(warp_sort, {32, 128, ANY, ANY, 128, ANY, ANY})

/* A warp, its tile and where it is. */
struct warp {
    SHARED_PTR(int) tile;
    int w, t, lane;
    int round; /* the next one */
};

/* ---- the steps ------------------------------------------------------------------------------- */

enum { SAMPLES = 8 /* for each splitter */ };
DEVICE struct plan plan_of(const struct warp_sort p)
{
    struct plan plan = {p.t, 0, p.buckets, 0, {1}};
    if (!p.buckets) /* so that a sequence has a tile for each bucket, on average */
        for (plan.buckets = 1; (int64_t)4 * plan.buckets * plan.buckets * p.t <= p.n;)
            plan.buckets *= 2;
    plan.steps[MERGE] = merge_rounds(p.n, p.t, plan.buckets);
    plan.length <<= plan.steps[MERGE];
    plan.sequences = (int)(((int64_t)p.n + plan.length - 1) / plan.length);
    if (plan.sequences > 1) {
        plan.samples = plan.buckets * SAMPLES;
        plan.steps[SPLITTERS] = plan.steps[RANKS] = plan.steps[DISTRIBUTE] = 1;
        plan.steps[MERGE_SPLITTERS] = merge_rounds(plan.samples, p.t, 1);
        plan.steps[FINAL] = merge_rounds(plan.sequences, 1, 1);
    }
    return plan;
}

/* Words of the notes. */
DEVICE int note_words(const struct plan *plan)
{
    int parts = plan->sequences * plan->buckets + 1;
    return plan->sequences < 2 ? 0 : parts > plan->samples ? parts : plan->samples;
}

/* Where sample i is: anywhere. (The finalizer of MurmurHash3 makes random numbers of 0, 1, 2, ...) */
DEVICE int sample_place(const struct warp_sort p, int i)
{
    uint32_t x = (uint32_t)i + 1;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return (int)((x ^ x >> 16) % (uint32_t)p.n);
}

/* ---- networks -------------------------------------------------------------------------------- */

/* One step: words k apart are compared. They go up in blocks of `size` words, down in those between. */
DEVICE void compare_step(CONTEXT, struct warp *s, int k, int size)
{
    for (int j = 0; j * s->w < s->t / 2; j++) {
        int c = j * s->w + s->lane, low = c / k * 2 * k + c % k;
        ROUND(s->round++);
        if (c < s->t / 2) {
            int a = LOAD(s->tile, low), b = LOAD(s->tile, low + k);
            bool swap = low / size % 2 ? a < b : b < a;
            STORE(s->tile, low, swap ? b : a);
            STORE(s->tile, low + k, swap ? a : b);
        }
    }
    SYNC_WARP(s->w);
}

/* Sorts blocks of `size` words, whose halves go up and down. */
DEVICE void bitonic_merge(CONTEXT, struct warp *s, int size)
{
    UNROLL for (int k = size / 2; k > 0; k /= 2) compare_step(simt_, s, k, size);
}

/* Stores words first .. first + count - 1 of the tile, from the bottom of `to`, as many as `left`. */
DEVICE void store_words(CONTEXT, struct warp *s, int first, int count, int *to, int left)
{
    for (int j = 0; j * s->w < count; j++) {
        int k = j * s->w + s->lane;
        ROUND(s->round++);
        if (k < count && k < left)
            to[k] = LOAD(s->tile, first + k);
    }
    SYNC_WARP(s->w);
}

/* Sorts words first .. of the n at `from` (or the samples among them) to `to`: a tile, or as many as
 * there are below `count`. */
DEVICE void sort_tile(CONTEXT, struct warp *s, const struct warp_sort p, bool samples,
                      const int *from, int *to, int first, int count)
{
    for (int j = 0; j * s->w < s->t; j++) {
        int i = j * s->w + s->lane, k = first + i;
        ROUND(s->round++);
        if (i < s->t)
            STORE(s->tile, i, k >= count ? INT_MAX : from[samples ? sample_place(p, k) : k]);
    }
    SYNC_WARP(s->w);
    UNROLL for (int size = 2; size <= s->t; size *= 2) bitonic_merge(simt_, s, size);
    store_words(simt_, s, 0, s->t, to + first, count - first);
}

/* Loads the next half tile of a sequence, to the lower half in reverse, or to the upper half. */
DEVICE void load_half(CONTEXT, struct warp *s, struct stream *from, bool lower)
{
    int half = s->t / 2;
    for (int j = 0; j * s->w < half; j++) {
        int k = j * s->w + s->lane;
        ROUND(s->round++);
        if (k < half)
            STORE_TAG(s->tile, lower ? half - 1 - k : half + k,
                      k < from->left ? from->next[k] : INT_MAX, from->tag);
    }
    from->next += from->left < half ? from->left : half;
    from->left -= from->left < half ? from->left : half;
}

/* Merges the sorted a[na] and b[nb] to `to`. */
DEVICE void merge_pair(CONTEXT, struct warp *s, const int *a, int na, const int *b, int nb, int *to)
{
    int half = s->t / 2, left = na + nb;
    struct stream next = {a, na, 'A'}, other = {b, nb, 'B'}; /* next: where to load from */

    if (!na || !nb) {
        copy_words(to, na ? a : b, left, s->lane, s->w);
        return;
    }
    load_half(simt_, s, &other, false);
    for (;;) {
        if (!next.left)
            swap_streams(&next, &other);
        load_half(simt_, s, &next, true);
        SYNC_WARP(s->w);
        /* Which half ends first? All lanes read the last word of each: no conflict. */
        ROUND(s->round++);
        int last = LOAD(s->tile, 0);
        if (last > LOAD(s->tile, s->t - 1))
            swap_streams(&next, &other);
        SYNC_WARP(s->w);
        bitonic_merge(simt_, s, s->t);
        store_words(simt_, s, 0, half, to, left);
        to += half;
        left -= half;
        if (!next.left && !other.left)
            break;
    }
    if (left > 0)
        store_words(simt_, s, half, half, to, left);
}

/* Pair number i of the parts of all buckets, when `run` parts are one already. */
DEVICE bool pair_of_parts(const struct plan *plan, int i, int run, const int *parts,
                          struct pair *pair)
{
    int all = plan->sequences, pairs = (all + 2 * run - 1) / (2 * run); /* of a bucket */
    int bucket = i / pairs, first = i % pairs * 2 * run;
    if (bucket >= plan->buckets)
        return false;
    parts += bucket * all;
    pair->begin = parts[first];
    pair->middle = parts[first + run < all ? first + run : all];
    pair->end = parts[first + 2 * run < all ? first + 2 * run : all];
    return true;
}

KERNEL(warp_sort)
{
    const struct plan plan = plan_of(p);
    const struct step now = step_of(&plan, p.launch);
    int lane = (int)threadIdx.x % p.w, in_block = (int)threadIdx.x / p.w;
    int warp = (int)blockIdx.x * (p.u / p.w) + in_block, warps = p.blocks * (p.u / p.w);
    int thread = warp * p.w + lane, threads = warps * p.w;
    bool samples = now.kind == SPLITTERS || now.kind == MERGE_SPLITTERS;
    int first = samples ? p.n : 0, count = samples ? plan.samples : p.n; /* what is worked on */
    SHARED(int, tiles, p.u / p.w * p.t);
    struct warp s = {SHARED_AT(tiles, in_block * p.t), p.w, p.t, lane, 0};
    struct pair pair;

    STAGE(step + p.launch);
    /* What this step leaves as it is goes on to the next. */
    if (samples || now.kind == RANKS)
        copy_words(out, in, p.n, thread, threads);
    if (now.kind == FINAL)
        copy_words(out + p.n, in + p.n, note_words(&plan), thread, threads);

    if (now.kind == SORT || now.kind == SPLITTERS) {
        for (int64_t at = (int64_t)warp * p.t; at < count; at += (int64_t)warps * p.t)
            sort_tile(simt_, &s, p, samples, in, out + first, (int)at, count);
    } else if (now.kind == RANKS) {
        for (int i = thread; i < plan.sequences * plan.buckets; i += threads) {
            int k = i / plan.buckets, b = i % plan.buckets;
            out[p.n + i] = b ? rank_of(in + k * plan.length, sequence_words(p.n, &plan, k),
                                       in[p.n + b * SAMPLES], true)
                             : 0;
        }
    } else if (now.kind == DISTRIBUTE) {
        for (int b = warp; b < plan.buckets; b += warps)
            gather_bucket(p.n, p.w, &plan, b, lane, in, out);
    } else {
        for (int i = warp;
             now.kind == FINAL ? pair_of_parts(&plan, i, 1 << now.number, in + p.n, &pair)
                               : pair_of_sequences(i, (int64_t)p.t << now.number, count, &pair);
             i += warps) {
            const int *from = in + first;
            merge_pair(simt_, &s, from + pair.begin, pair.middle - pair.begin, from + pair.middle,
                       pair.end - pair.middle, out + first + pair.begin);
        }
    }
}

#ifdef SIMT_HOST

PARAMS(warp_sort) = {
    PARAM_W(8),
    PARAM(u, 0, 0, 1024,
          "threads per block: a multiple of w if w is 32; else w, or 0 for the same"),
    PARAM(blocks, 4, 1, 65535, "thread blocks, whose warps share the work"),
    PARAM_BCF_N(1000, 1 << 26),
    PARAM(t, 32, 2, 1024, "words of a warp's tile, a power of two"),
    PARAM(
        buckets, 0, 0, 4096,
        "into which the sequences are cut when there are no more of them than that; 0: a power of "
        "two so that parts of a sequence are t words or more, on average"),
    {0},
};

static int launches(const void *params)
{
    const struct plan plan = plan_of(*(const struct warp_sort *)params);
    return plan_launches(&plan);
}

static bool stage_name(const void *params, int i, char name[64])
{
    const struct plan plan = plan_of(*(const struct warp_sort *)params);
    return plan_stage_name(&plan, i, name);
}

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    struct warp_sort p = *(const struct warp_sort *)params;
    if (p.t & (p.t - 1))
        return error_set(
            error, "warp-sort: t = %d is not a power of two, as a bitonic network needs", p.t);
    if (p.u && p.u != p.w && p.w != 32)
        return error_set(
            error,
            "warp-sort: u is %d, but a block is one warp of w = %d; omit u (more warps "
            "need w = 32)",
            p.u, p.w);
    p.u = p.u ? p.u : p.w;
    const struct plan plan = plan_of(p);
    shape->threads = p.u;
    shape->shared_bytes = (size_t)(p.u / p.w * p.t) * sizeof(int);
    shape->in_words = shape->out_words = (size_t)p.n + (size_t)note_words(&plan);
    return true;
}

static bool prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    (void)shape;
    return input_numbers(input, in, (size_t)((const struct warp_sort *)params)->n, error);
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    (void)shape;
    return check_sorted((size_t)((const struct warp_sort *)params)->n, 1, in, out, error);
}

/* What the stages worked on: the table counts the blocks of all launches. */
static void report(const void *params, const struct stats *stats, FILE *file)
{
    const struct warp_sort *p = params;
    const struct plan plan = plan_of(*p);
    (void)stats;
    fprintf(file, "blocks: %d, launches: %d, tiles of %d words: %d, sequences: %d", p->blocks,
            launches(params), p->t, (p->n + p->t - 1) / p->t, plan.sequences);
    if (plan.sequences > 1)
        fprintf(file, ", samples: %d, buckets: %d", plan.samples, plan.buckets);
    fprintf(file, "\n");
}

ENTRY(
    warp_sort, .name = "warp-sort",
    .summary = "Warpsort: a whole sort by bitonic networks of single warps",
    .look =
        "Steps of the networks over distances below w take two passes per access; the others, one. "
        "With input duplicates=2 two buckets have all words, and two warps merge them at the end.",
    .source = "bcfsort section 4 (Ye et al., IPDPS 2010)", .inputs = INPUT_ANY,
    .stage_name = stage_name, .launches = launches, .launch = MEMBER(launch), .report = report,
    .shape = shape, .prepare = prepare, .check = check)

#endif
