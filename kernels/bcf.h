/* bcf.h - BCFMergesort's page-wise merge (bcfsort section 3.2, Algorithm 6): what bcf-merge and
 * bcf-sort share.
 *
 * One warp merges two sorted streams of any lengths with a w x w matrix in shared memory. A page is
 * half of it: w x floor(w / 2) words in floor(w / 2) columns, in column-major order. The matrix holds
 * a page of each stream. It is sorted, its lower half is written out, and the next page is loaded
 * from the stream whose last loaded word is smaller, because only that stream can have the next word.
 *
 * One round of ShearSort, rows and then columns, merges two sorted pages if the columns of one are
 * upside down. After the rows, each word is already in its column. For w = 4 and the pages
 * 0 1 4 5 6 9 10 15 and 2 3 7 8 11 12 13 14, of which the first is loaded upside down:
 *
 *        loaded         rows sorted      columns sorted
 *      5 15  2 11       2  5 11 15        0  4  8 12
 *      4 10  3 12       3  4 10 12        1  5  9 13
 *      1  9  7 13       1  7  9 13        2  6 10 14
 *      0  6  8 14       0  6  8 14        3  7 11 15
 *
 * A page that a stream cannot fill is padded with the largest number, and only as many words as the
 * streams have are written out. With an odd w, the last column always holds padding.
 */
#ifndef BANKSCOPE_BCF_H
#define BANKSCOPE_BCF_H

#include "kernels/shear.h"

#include <limits.h>

/* Stages are numbered: their names follow from the parameters. */
STAGES(step)

/* A warp, where it works and where it is. */
struct bcf {
    struct square m;
    bool phases; /* each phase of a page is a stage (bcf-merge), not each launch (bcf-sort) */
    int stage;   /* with phases: the next one */
    int round;   /* the next one */
};
enum { PHASES = 4 /* of a page: load, rows, columns, store */ };

/* Words of a page. */
DEVICE int page_words(int w)
{
    return w / 2 * w;
}

/* Pages that a stream of n words fills, the last one perhaps in part. */
DEVICE int page_count(int w, int n)
{
    return (n + page_words(w) - 1) / page_words(w);
}

DEVICE void bcf_phase(CONTEXT, struct bcf *s)
{
    if (s->phases) {
        STAGE(step + s->stage);
        s->stage++;
        s->round = 0;
    }
}

DEVICE void bcf_rows(CONTEXT, struct bcf *s, bool down)
{
    s->round = sort_lines(simt_, s->m, false, s->m.w, down, 0, s->round);
}

DEVICE void bcf_turn(CONTEXT, struct bcf *s)
{
    transpose_in_place(simt_, s->m.words, s->m.w, s->m.lane, s->round);
    s->round += transpose_rounds(s->m.w);
}

DEVICE void bcf_columns(CONTEXT, struct bcf *s)
{
    bool turned = s->m.variant == VARIANT_TRANSPOSE;
    if (turned)
        bcf_turn(simt_, s);
    s->round = sort_lines(simt_, s->m, !turned, s->m.w, 0, 0, s->round);
    if (turned)
        bcf_turn(simt_, s);
}

/* Copies words in global memory with `threads` threads, of which this one is number `thread`. */
DEVICE void copy_words(int *to, const int *from, int count, int thread, int threads)
{
    for (int k = thread; k < count; k += threads)
        to[k] = from[k];
}

/* How many words of the sorted list[count] in global memory are below `value`, or, with `equal`,
 * not above it. */
DEVICE int rank_of(const int *list, int count, int value, bool equal)
{
    int begin = 0;
    while (begin < count) {
        int middle = begin + (count - begin) / 2;
        if (list[middle] < value || (equal && list[middle] == value))
            begin = middle + 1;
        else
            count = middle;
    }
    return begin;
}

/* A sorted stream: what is left of it. */
struct stream {
    const int *next;
    int left;
    char tag;
};

DEVICE void swap_streams(struct stream *a, struct stream *b)
{
    struct stream old = *a;
    *a = *b;
    *b = old;
}

/* Loads the next page of the stream into the columns from `column`, upside down if `reversed`. */
DEVICE void load_page(CONTEXT, struct bcf *s, struct stream *from, int column, bool reversed)
{
    int w = s->m.w, row = reversed ? w - 1 - s->m.lane : s->m.lane;
    for (int j = 0; j < w / 2; j++) {
        int k = j * w + s->m.lane;
        ROUND(s->round++);
        STORE_TAG(s->m.words, square_word(s->m, row, column + j),
                  k < from->left ? from->next[k] : INT_MAX, from->tag);
    }
    from->next += page_words(w);
    from->left -= page_words(w) < from->left ? page_words(w) : from->left;
}

/* Writes the page in the columns from `column` to global memory, but not more than `count` words.
 */
DEVICE void store_page(CONTEXT, struct bcf *s, int *to, int count, int column)
{
    int w = s->m.w;
    for (int j = 0; j < w / 2; j++) {
        int k = j * w + s->m.lane;
        ROUND(s->round++);
        if (k < count)
            to[k] = LOAD(s->m.words, square_word(s->m, s->m.lane, column + j));
    }
}

/* Merges a[na] and b[nb] in global memory into to[na + nb]. If one is empty, the other is copied
 * and no shared memory is needed. */
DEVICE void bcf_merge_streams(CONTEXT, struct bcf *s, const int *a, int na, const int *b, int nb,
                              int *to)
{
    int w = s->m.w, half = w / 2, words = page_words(w), left = na + nb;
    struct stream next = {a, na, 'A'}, other = {b, nb, 'B'}; /* next: where to load from */

    if (!na || !nb) {
        copy_words(to, na ? a : b, left, s->m.lane, w);
        return;
    }
    bcf_phase(simt_, s);
    if (w % 2) {
        ROUND(s->round++);
        STORE(s->m.words, square_word(s->m, s->m.lane, w - 1), INT_MAX);
    }
    load_page(simt_, s, &other, half, false);
    for (;;) {
        if (!next.left)
            swap_streams(&next, &other);
        load_page(simt_, s, &next, 0, true);
        SYNC_WARP(w);
        /* Which page ends first? All lanes read the last word of each: no conflict. */
        ROUND(s->round++);
        int last = LOAD(s->m.words, square_word(s->m, 0, half - 1));
        if (last > LOAD(s->m.words, square_word(s->m, w - 1, 2 * half - 1)))
            swap_streams(&next, &other);
        SYNC_WARP(w);
        bcf_phase(simt_, s);
        bcf_rows(simt_, s, false);
        bcf_phase(simt_, s);
        bcf_columns(simt_, s);
        bcf_phase(simt_, s);
        store_page(simt_, s, to, left, 0);
        to += words;
        left -= words;
        if (!next.left && !other.left)
            break;
        SYNC_WARP(w);
        bcf_phase(simt_, s);
    }
    store_page(simt_, s, to, left, half);
    SYNC_WARP(w);
}

#ifdef SIMT_HOST

/* A block is one warp: where warps of a block differ in pages, none can wait for the block. */
#define PARAM_BCF_W PARAM(w, 8, 2, MAX_WARP, "threads per warp, and number of banks")
#define PARAM_BCF_U PARAM(u, 0, 0, MAX_WARP, "threads per block: w, or 0 for the same")
#define PARAM_BCF_N(standard, most) PARAM(n, standard, 1, most, "words")
#define PARAM_PIVOTS(help) PARAM_WORDS(pivots, 0, bcf_pivots, help)
static const char *const bcf_pivots[] = {"off", "on", NULL};

/* Sizes a launch of one warp per block. */
static inline bool bcf_shape(const char *name, int w, int u, struct kernel_shape *shape,
                             struct error *error)
{
    shape->threads = w;
    shape->shared_bytes = (size_t)(w * w) * sizeof(int);
    return !u || u == w ||
           error_set(error, "%s: u is %d, but a block is one warp of w = %d; omit u", name, u, w);
}

#endif
#endif
