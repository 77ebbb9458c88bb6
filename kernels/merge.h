/* merge.h - what the merge kernels share: where the lists lie, and the merge-path search.
 *
 * A block merges two sorted lists A (na elements) and B (n - na) in a tile of n = u E words. Thread
 * i produces the outputs i E .. i E + E - 1; the merge-path search (worstcase section II-A) finds
 * how many of the first i E outputs come from A.
 *
 * cf-merge places the lists by two permutations (cfmerge section 3): pi reverses B behind A, and
 * rho cuts the tile into partitions of P = w E / d words, d = gcd(w, E), and shifts partition l
 * circularly by l mod d words. For w = 9, E = 6: d = 3, P = 18, and word 19 goes to 20, word 35 to
 * 18, word 36 to 38.
 */
#ifndef BANKSCOPE_MERGE_H
#define BANKSCOPE_MERGE_H

#include "kernels/kernel.h"

struct merge_layout {
    int first;     /* the lists begin at this element of the tile */
    int n, na;     /* elements of both lists, and of A */
    bool reversed; /* pi: B's element b is at first + n - 1 - b */
    int partition; /* rho: words of a partition; 0: rho is the identity */
    int d;         /* rho: shifts are taken modulo d */
};

/* x mod m in 0 .. m - 1, for any x >= -m. */
DEVICE int wrap(int x, int m)
{
    return (x + m) % m;
}

/* For numbers below 2584, which take at most 16 steps: with a fixed end nvcc unrolls the loop, and
 * of constants nothing is left but the result. */
DEVICE int greatest_common_divisor(int a, int b)
{
    UNROLL for (int step = 0; step < 16; step++)
    {
        if (!b)
            break;
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The layout of thrust-merge: B behind A. */
DEVICE struct merge_layout layout_plain(int n, int na)
{
    struct merge_layout layout = {0, n, na, false, 0, 1};
    return layout;
}

/* The layout of cf-merge: pi and rho. */
DEVICE struct merge_layout layout_conflict_free(int n, int na, int w, int E)
{
    int d = greatest_common_divisor(w, E);
    struct merge_layout layout = {0, n, na, true, d > 1 ? w * E / d : 0, d};
    return layout;
}

/* rho: the word that holds element k of the tile. */
DEVICE int rho(const struct merge_layout layout, int k)
{
    if (!layout.partition)
        return k;
    int l = k / layout.partition;
    return l * layout.partition + (k % layout.partition + l % layout.d) % layout.partition;
}

/* The element whose word is k: rho(rho_inverse(k)) = k. */
DEVICE int rho_inverse(const struct merge_layout layout, int k)
{
    if (!layout.partition)
        return k;
    int l = k / layout.partition;
    return l * layout.partition + wrap(k % layout.partition - l % layout.d, layout.partition);
}

/* The words of A's element a and of B's element b. */
DEVICE int place_a(const struct merge_layout layout, int a)
{
    return rho(layout, layout.first + a);
}

DEVICE int place_b(const struct merge_layout layout, int b)
{
    return rho(layout, layout.first + (layout.reversed ? layout.n - 1 - b : layout.na + b));
}

/* Stage load of a tile of two lists: w consecutive words per warp access. What the layout permutes
 * is the order in which global memory is read. */
DEVICE void load_tile(CONTEXT, SHARED_PTR(int) tile, const int *a, const int *b,
                      const struct merge_layout layout, int u, int E)
{
    UNROLL for (int j = 0; j < E; j++)
    {
        int word = j * u + (int)threadIdx.x, k = rho_inverse(layout, word);
        bool from_a = k < layout.na;
        ROUND(j);
        STORE_TAG(tile, word, from_a ? a[k] : b[layout.reversed ? layout.n - 1 - k : k - layout.na],
                  from_a ? 'A' : 'B');
    }
}

/* How many of the first `diagonal` outputs come from A, ties from A first. In every step a thread
 * reads A[middle] (slot 0), then B[diagonal - 1 - middle] (slot 1); threads whose range is empty
 * are done, so the later rounds have fewer active lanes. */
DEVICE int merge_path(CONTEXT, SHARED_PTR(const int) tile, const struct merge_layout layout,
                      int diagonal)
{
    int nb = layout.n - layout.na;
    int begin = diagonal < nb ? 0 : diagonal - nb;
    int end = diagonal < layout.na ? diagonal : layout.na;
    for (int step = 0; begin < end; step++) {
        int middle = (begin + end) >> 1;
        ROUND(step);
        int a = LOAD_TAG(tile, place_a(layout, middle), 'A');
        int b = LOAD_TAG(tile, place_b(layout, diagonal - 1 - middle), 'B');
        if (b < a)
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

/* No thread's search takes more steps than this when the shorter list has so many elements. */
DEVICE int merge_path_rounds(int shorter)
{
    int rounds = 0;
    while (shorter >> rounds)
        rounds++;
    return rounds;
}

DEVICE int shorter_list(const struct merge_layout layout)
{
    int nb = layout.n - layout.na;
    return layout.na < nb ? layout.na : nb;
}

/* How many outputs of the thread that starts at element a of A come from A: the next thread tells
 * where it starts, unless this is the last one of its lists. Two rounds after those of the search:
 * `shorter` is the length of the block's longest shorter list. */
DEVICE int share_of_a(CONTEXT, SHARED_PTR(int) start, const struct merge_layout layout, int a,
                      bool last, int shorter)
{
    int t = threadIdx.x, rounds = merge_path_rounds(shorter);
    ROUND(rounds);
    STORE(start, t, a);
    __syncthreads();
    ROUND(rounds + 1);
    return (last ? layout.na : LOAD(start, t + 1)) - a;
}

/* The order in which a thread of thrust-merge reads: one of the two functions below. */
enum { ORDER_MODEL, ORDER_LIBRARY };

/* The merge of thrust-merge as the papers idealise it: the j-th smallest of a thread's share in
 * round j. Which list it is in is decided from the copies in global memory, so that shared memory
 * sees the one access of the model. */
DEVICE void merge_model(CONTEXT, SHARED_PTR(const int) tile, const int *list_a, const int *list_b,
                        const struct merge_layout layout, int a, int b, int *items, int E)
{
    int nb = layout.n - layout.na;
    UNROLL for (int j = 0; j < E; j++)
    {
        bool from_b = b < nb && (a >= layout.na || list_b[b] < list_a[a]);
        ROUND(j);
        items[j] =
            LOAD_TAG(tile, from_b ? place_b(layout, b) : place_a(layout, a), from_b ? 'B' : 'A');
        a += !from_b;
        b += from_b;
    }
}

/* The merge of the library (cub's SerialMerge). Round 0: A's head (slot 0), B's head (slot 1).
 * Round j: reload after output j - 1, from A (slot 0) or from B (slot 1). The reload after the last
 * output is not needed, and not made. */
DEVICE void merge_library(CONTEXT, SHARED_PTR(const int) tile, const struct merge_layout layout,
                          int a, int b, int *items, int E)
{
    int nb = layout.n - layout.na;
    ROUND(0);
    int head_a = LOAD_TAG(tile, place_a(layout, a), 'A');
    int head_b = LOAD_TAG(tile, place_b(layout, b), 'B');
    UNROLL for (int j = 0; j < E; j++)
    {
        bool from_b = b < nb && (a >= layout.na || head_b < head_a);
        items[j] = from_b ? head_b : head_a;
        a += !from_b;
        b += from_b;
        if (j == E - 1)
            break;
        ROUND(j + 1);
        if (from_b) {
            SLOT(1);
            head_b = LOAD_TAG(tile, place_b(layout, b), 'B');
        } else {
            SLOT(0);
            head_a = LOAD_TAG(tile, place_a(layout, a), 'A');
        }
    }
}

/* CF-Merge's gather: in round j every thread reads the one of its E words whose place in the tile
 * is j modulo E. The words are in the registers as a rotated bitonic sequence; sort them. */
DEVICE void gather(CONTEXT, SHARED_PTR(const int) tile, const struct merge_layout layout, int a,
                   int b, int size_a, int *items, int E)
{
    int k = a % E;
    UNROLL for (int j = 0; j < E; j++)
    {
        int step = wrap(j - k, E);
        bool from_a = step < size_a;
        int word = from_a ? place_a(layout, a + step) : place_b(layout, b + wrap(k - j - 1, E));
        ROUND(j);
        items[j] = LOAD_TAG(tile, word, from_a ? 'A' : 'B');
    }
}

/* Odd-even transposition sort of E registers: no index depends on data. */
DEVICE void sort_registers(int *items, int E)
{
    UNROLL for (int round = 0; round < E; round++)
    {
        UNROLL for (int i = round & 1; i + 1 < E; i += 2)
        {
            int low = items[i] < items[i + 1] ? items[i] : items[i + 1];
            int high = items[i] < items[i + 1] ? items[i + 1] : items[i];
            items[i] = low;
            items[i + 1] = high;
        }
    }
}

/* Stage store: E sorted words per thread go to the tile (rounds 0 .. E - 1), then coalesced to
 * global memory (rounds E .. 2 E - 1). The caller has waited until the tile is no longer read. */
DEVICE void store_tile(CONTEXT, SHARED_PTR(int) tile, int *list, const struct merge_layout layout,
                       const int *items, int u, int E)
{
    UNROLL for (int j = 0; j < E; j++)
    {
        ROUND(j);
        STORE(tile, rho(layout, (int)threadIdx.x * E + j), items[j]);
    }
    __syncthreads();
    UNROLL for (int j = 0; j < E; j++)
    {
        int k = j * u + (int)threadIdx.x;
        ROUND(E + j);
        list[k] = LOAD(tile, rho(layout, k));
    }
}

#ifdef SIMT_HOST

/* The parameters of every merge kernel begin so. */
struct merge_params {
    int w, u, blocks, E;
};
enum { MERGE_MAX_E = 256 };
#define PARAM_E(standard) PARAM(E, standard, 1, MERGE_MAX_E, "elements per thread")
SIMT_UNUSED static const char *const merge_orders[] = {"model", "library", NULL};
#define PARAM_ORDER                                                                                \
    PARAM_WORDS(order, ORDER_MODEL, merge_orders,                                                  \
                "reads as in the papers' model, or as the library does")
enum {
    INPUT_MERGE =
        INPUT_ANY | INPUT_WORST | INPUT_HARDEST | INPUT_THEOREM_3 | INPUT_FAMILY | INPUT_SPLITS
};

/* ---- merge.c --------------------------------------------------------------------------------- */

/* shape of a merge that needs `more` words of shared memory than its tile of u E. */
bool merge_shape(const void *params, struct kernel_shape *shape, size_t more);
/* Two sorted lists per block, from any kind of input: in[0 .. blocks - 1] is |A| of each block, then
 * come the blocks' u E words, A before B. Input hardest is for a merge that reads in that order. */
bool merge_input(const struct merge_params *p, int order, const struct input *input, int *in,
                 struct error *error);
/* merge_input as the `prepare` of a merge that reads in the model's order, or in any. */
bool merge_prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                   int *in, struct error *error);
/* Each block's u E words of out are those of in, sorted. */
bool merge_check(const void *params, const struct kernel_shape *shape, const int *in,
                 const int *out, struct error *error);

#endif
#endif
