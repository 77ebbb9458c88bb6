/* sort.h - what the whole sorts by merging share (worstcase section II-A, cfmerge section 5).
 *
 * Launch 0 sorts tiles of u E words: every thread sorts E words in registers, then level i of a
 * block merges pairs of lists. Launch g merges pairs of sorted runs of 2^(g-1) tiles: a block takes
 * the u E words of its output from both runs, by a search in global memory that is not recorded, and
 * merges them as one more level. Level numbers continue across launches.
 *
 * For w = 32 and u = 64 the pairs of level 1, 2, ... belong to 2, 4, ..., 64 threads. For other w a
 * warp's lists are cut as evenly as they can be, so that no pair below a warp reaches into the next
 * warp: for w = 12 the pairs of levels 1 to 4 belong to 1 or 2, 3, 6 and 12 threads. Pairs of whole
 * warps follow: 2, 4, ... or as many as are left.
 */
#ifndef BANKSCOPE_SORT_H
#define BANKSCOPE_SORT_H

#include "kernels/merge.h"

/* Two lists that one level merges, by their threads: A is that of begin .. middle - 1, B that of
 * middle .. end - 1. Either may be empty. */
struct sort_pair {
    int begin, middle, end;
};

/* The smallest k with 2^k >= x. */
DEVICE int log2_up(int x)
{
    int k = 0;
    while (1 << k < x)
        k++;
    return k;
}

/* Levels of a block: those of a warp, then those of its u / w warps. */
DEVICE int sort_levels(int w, int u)
{
    return log2_up(w) + log2_up(u / w);
}

/* Threads of the longest list that level 1, 2, ... merges. */
DEVICE int sort_list_threads(int w, int level)
{
    int below = log2_up(w);
    return level <= below ? 1 << (level - 1) : w << (level - below - 1);
}

/* The pair of thread t. */
DEVICE struct sort_pair sort_pair_of(int w, int u, int level, int t)
{
    struct sort_pair pair;
    int below = log2_up(w);
    if (level <= below) {
        int pairs = 1 << (below - level), k = ((t % w + 1) * pairs - 1) / w, warp = t - t % w;
        pair.begin = warp + k * w / pairs;
        pair.middle = warp + (2 * k + 1) * w / (2 * pairs);
        pair.end = warp + (k + 1) * w / pairs;
    } else {
        int list = sort_list_threads(w, level);
        pair.begin = t / (2 * list) * (2 * list);
        pair.middle = pair.begin + list < u ? pair.begin + list : u;
        pair.end = pair.middle + list < u ? pair.middle + list : u;
    }
    return pair;
}

/* The layout with the lengths of the lists of a pair. */
DEVICE struct merge_layout layout_of_pair(struct merge_layout layout, const struct sort_pair pair,
                                          int E)
{
    layout.first = pair.begin * E;
    layout.n = (pair.end - pair.begin) * E;
    layout.na = (pair.middle - pair.begin) * E;
    return layout;
}

/* Where a block's share of two runs begins, and how much of it is from A. */
struct sort_share {
    const int *a, *b;
    int na;
};

/* merge_path in global memory: nothing of it is recorded. */
DEVICE int merge_path_global(const int *a, int na, const int *b, int nb, int diagonal)
{
    int begin = diagonal < nb ? 0 : diagonal - nb;
    int end = diagonal < na ? diagonal : na;
    while (begin < end) {
        int middle = (begin + end) >> 1;
        if (b[diagonal - 1 - middle] < a[middle])
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

/* The share of a block in launch 1, 2, ..., which merges runs of 2^(launch - 1) of `tiles` tiles of
 * n words. Every thread finds it for itself. */
DEVICE struct sort_share sort_share_of(const int *in, int n, int tiles, int block, int launch)
{
    int run = 1 << (launch - 1), begin = block / (2 * run) * (2 * run);
    int middle = begin + run < tiles ? begin + run : tiles;
    int end = middle + run < tiles ? middle + run : tiles;
    const int *a = in + begin * n, *b = in + middle * n;
    int na = (middle - begin) * n, nb = (end - middle) * n, diagonal = (block - begin) * n;
    int from = merge_path_global(a, na, b, nb, diagonal);
    int to = merge_path_global(a, na, b, nb, diagonal + n);
    struct sort_share share = {a + from, b + diagonal - from, to - from};
    return share;
}

/* Stage load of launch 0: coalesced (rounds 0 .. E - 1), then thread t takes the E words from t E
 * on (rounds E .. 2 E - 1). */
DEVICE void load_blocked(CONTEXT, SHARED_PTR(int) tile, const int *list,
                         const struct merge_layout layout, int *items, int u, int E)
{
    UNROLL for (int j = 0; j < E; j++)
    {
        int word = j * u + (int)threadIdx.x;
        ROUND(j);
        STORE(tile, word, list[rho_inverse(layout, word)]);
    }
    __syncthreads();
    UNROLL for (int j = 0; j < E; j++)
    {
        ROUND(E + j);
        items[j] = LOAD(tile, rho(layout, (int)threadIdx.x * E + j));
    }
    __syncthreads();
}

/* Every thread's E sorted words become part of A or B of the pair that is merged next. Where B is
 * reversed its threads begin at their other end, so that in round j all threads write words whose
 * place in the tile is j modulo E, as in the gather. */
DEVICE void store_lists(CONTEXT, SHARED_PTR(int) tile, const struct merge_layout layout,
                        const int *items, int E)
{
    int element = (int)threadIdx.x * E - layout.first;
    bool in_b = element >= layout.na;
    UNROLL for (int j = 0; j < E; j++)
    {
        int k = in_b && layout.reversed ? E - 1 - j : j;
        int item = in_b && layout.reversed ? items[E - 1 - j] : items[j];
        ROUND(j);
        STORE_TAG(tile,
                  in_b ? place_b(layout, element - layout.na + k) : place_a(layout, element + k),
                  item, in_b ? 'B' : 'A');
    }
    __syncthreads();
}

#ifdef SIMT_HOST

/* The parameters of every sort kernel begin so. */
struct sort_params {
    int w, u, E, n;
};
enum { SORT_MAX_N = 1 << 27 };
#define PARAM_N(standard)                                                                          \
    PARAM(n, standard, 1, SORT_MAX_N, "words to sort; the last tile is padded")

/* ---- sort.c ---------------------------------------------------------------------------------- */

/* Tiles of the n words. */
int sort_tiles(const struct sort_params *p);
/* launches of every sort: one for the tiles, one for each doubling of the runs. */
int sort_launches(const void *params);
/* stage_name of a sort that calls its merging stage `merge`. */
bool sort_stage_name(const void *params, int i, const char *merge, char name[64]);
/* shape of a sort that needs `more` words of shared memory than its tile. */
bool sort_shape(const void *params, struct kernel_shape *shape, size_t more);
bool sort_check(const void *params, const struct kernel_shape *shape, const int *in, const int *out,
                struct error *error);
void sort_report(const void *params, const struct stats *stats, FILE *file);

/* ---- sort_input.c ---------------------------------------------------------------------------- */

/* Fills in[tiles u E] with p->n numbers of any kind and padding. Input hardest is for merges that
 * read in that order. */
bool sort_input(const struct sort_params *p, int order, const struct input *input, int *in,
                struct error *error);
/* sort_input as the `prepare` of a sort that reads in the model's order, or in any. */
bool sort_prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                  int *in, struct error *error);
/* Fills number[tiles u E] with the ranks 0 .. n - 1 and, behind them, padding, so that the merges of
 * every level are those of the papers' construction (worstcase section III-C). 2 <= E <= w. */
bool worst_sort(const struct sort_params *p, int *number, struct error *error);

#endif
#endif
