/* sort_input.c - inputs of a whole sort. Bad inputs are built from the top down: the result of the
 * last merge is known. It is dealt to the two lists that this merge had as input, and these lists are
 * the results of the merges before it.
 */
#include "kernels/hardest.h"
#include "kernels/sort.h"
#include "kernels/worst.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- the papers' construction ----------------------------------------------------------------- */

/* The lists that one merge of the sort has: before, their result; afterwards, A and B. */
struct merged {
    int w, E;
    int *list;   /* la + lb words, ascending */
    int la, lb;  /* of A, which then comes first, and of B */
    int real;    /* words that are not padding, which is last */
    int first;   /* word of the tile where A begins */
    int threads; /* of these lists in one tile: all of them, or the whole tile's */
};

/* What each thread takes from A: what the construction says, or (greedy) what puts most of its
 * words on time, and in both cases what is left in one list when the other is used up. Returns the
 * number of words on time, if both lists are in one tile. */
static int split_threads(const struct merged *m, bool greedy, int *from_a)
{
    int threads = (m->la + m->lb) / m->E, on_time = 0;
    int left_a = m->real < m->la ? m->real : m->la, left_b = m->real - left_a;
    int bank_a = m->first, bank_b = m->first + m->la;

    worst_shares(m->w, m->E, threads, from_a);
    for (int i = 0; i < threads; i++) {
        int size = left_a + left_b < m->E ? left_a + left_b : m->E, best = -1;
        int most = size < left_a ? size : left_a, least = size < left_b ? 0 : size - left_b;
        int wanted = from_a[i] > most ? most : from_a[i] < least ? least : from_a[i];
        for (int k = greedy ? least : wanted; k <= (greedy ? most : wanted); k++) {
            int a_first =
                words_on_time(m->w, m->E, m->w - m->E, bank_a % m->w, bank_b % m->w, k, true);
            int b_first =
                words_on_time(m->w, m->E, m->w - m->E, bank_a % m->w, bank_b % m->w, k, false);
            int words = a_first > b_first ? a_first : b_first;
            if (words > best) {
                best = words;
                from_a[i] = k;
            }
        }
        on_time += best;
        left_a -= from_a[i];
        left_b -= size - from_a[i];
        bank_a += from_a[i];
        bank_b += size - from_a[i];
    }
    return on_time;
}

/* Takes the result of a merge apart: the lists are those whose merge gives it by the shares of the
 * construction. With fewer than 2 w threads that is not the worst for all E: then by the better of
 * two ways. spare is as long as the lists, from_a has an entry for each of their threads. */
static void unmerge(const struct merged *m, int *spare, int *from_a)
{
    int length = m->la + m->lb, all = length / m->E, per_tile = m->threads;
    int *a = spare, *b = spare + m->la;
    int greedy = all < 2 * m->w ? split_threads(m, true, from_a) : 0;

    if (split_threads(m, false, from_a) < greedy)
        split_threads(m, true, from_a);
    for (int i = 0; i < all && i * m->E < m->real; i += per_tile) {
        int na = 0, count = m->real - i * m->E;
        for (int k = i; k < i + per_tile; k++)
            na += from_a[k];
        if (per_tile == all)
            na = m->la;
        if (count > per_tile * m->E)
            count = per_tile * m->E;
        deal(m->w, m->E, m->w - m->E, m->first % m->w, (m->first + na) % m->w, count,
             m->list + i * m->E, from_a + i, &a, &b);
    }
    while (a < spare + m->la)
        *a++ = INT_MAX;
    while (b < spare + length)
        *b++ = INT_MAX;
    memcpy(m->list, spare, (size_t)length * sizeof *spare);
}

/* Takes the u E sorted words of a tile apart, of which the first `real` are not padding. */
static void unmerge_tile(const struct sort_params *p, int real, int *list, int *spare, int *from_a)
{
    for (int level = sort_levels(p->w, p->u); level > 0; level--) {
        struct sort_pair pair;
        for (int t = 0; t < p->u; t = pair.end) {
            pair = sort_pair_of(p->w, p->u, level, t);
            int at = pair.begin * p->E, length = (pair.end - pair.begin) * p->E;
            struct merged m = {.w = p->w,
                               .E = p->E,
                               .list = list + at,
                               .la = (pair.middle - pair.begin) * p->E,
                               .lb = (pair.end - pair.middle) * p->E,
                               .real = real < at            ? 0
                                       : real - at < length ? real - at
                                                            : length,
                               .first = at,
                               .threads = pair.end - pair.begin};
            unmerge(&m, spare, from_a);
        }
    }
}

bool worst_sort(const struct sort_params *p, int *number, struct error *error)
{
    int n = p->u * p->E, tiles = sort_tiles(p), words = tiles * n;
    int *spare = memory_array((size_t)words, sizeof *spare, "words", error);
    int *from_a =
        spare ? memory_array((size_t)tiles * (size_t)p->u, sizeof *from_a, "threads", error) : NULL;
    int *order = /* of the words of a full tile: all of them are taken apart alike */
        from_a ? memory_array((size_t)n, sizeof *order, "words", error) : NULL;
    bool good = order && worst_possible(p->w, p->E, error);

    for (int i = 0; good && i < words; i++)
        number[i] = i < p->n ? i : INT_MAX;
    for (int launch = sort_launches(p) - 1; good && launch > 0; launch--)
        for (int begin = 0, run = 1 << (launch - 1); begin + run < tiles; begin += 2 * run) {
            int end = begin + 2 * run < tiles ? begin + 2 * run : tiles;
            struct merged m = {.w = p->w,
                               .E = p->E,
                               .list = number + begin * n,
                               .la = run * n,
                               .lb = (end - begin - run) * n,
                               .real = (end * n < p->n ? end * n : p->n) - begin * n,
                               .threads = p->u};
            unmerge(&m, spare, from_a);
        }
    for (int i = 0; good && i < n; i++)
        order[i] = i;
    if (good)
        unmerge_tile(p, n, order, spare, from_a);
    for (int tile = 0; good && tile < tiles; tile++) {
        int *words_of = number + tile * n, real = p->n - tile * n;
        if (real < n) {
            unmerge_tile(p, real, words_of, spare, from_a);
            continue;
        }
        memcpy(spare, words_of, (size_t)n * sizeof *spare);
        for (int i = 0; i < n; i++)
            words_of[i] = spare[order[i]];
    }
    free(order);
    free(spare);
    free(from_a);
    return good;
}

/* ---- the hardest input ----------------------------------------------------------------------- */

/* Takes the sorted words of a merge apart: word i goes to A where in_a[i % period] says so (in every
 * other period: where it does not), and to the other list when one is full. */
static void unmerge_by(const bool *in_a, int period, int *list, int la, int lb, int real,
                       int *spare)
{
    int left_a = real < la ? real : la, left_b = real - left_a;
    int *a = spare, *b = spare + la;
    for (int i = 0; i < real; i++) {
        bool to_a = in_a[i % period] != (i / period % 2 == 1);
        to_a = left_a > 0 && (to_a || left_b == 0);
        left_a -= to_a;
        left_b -= !to_a;
        *(to_a ? a++ : b++) = list[i];
    }
    while (a < spare + la)
        *a++ = INT_MAX;
    while (b < spare + la + lb)
        *b++ = INT_MAX;
    memcpy(list, spare, (size_t)(la + lb) * sizeof *list);
}

/* The outputs of a block at that level: in_a has an entry for each of its words. */
static bool hardest_level(struct hardest *h, int u, int level, bool *in_a, struct error *error)
{
    int w = h->w, E = h->E, pairs = 0, threads[2 * MAX_WARP];
    int64_t on_time;
    struct sort_pair pair;
    if (level <= log2_up(w)) { /* every warp alike */
        for (int t = 0; t < w; t = pair.end, pairs++) {
            pair = sort_pair_of(w, u, level, t);
            threads[2 * pairs] = pair.middle - pair.begin;
            threads[2 * pairs + 1] = pair.end - pair.middle;
        }
        if (!hardest_warp(h, threads, pairs, in_a, &on_time, error))
            return false;
        for (int t = w; t < u; t += w)
            memcpy(in_a + t * E, in_a, (size_t)(w * E) * sizeof *in_a);
        return true;
    }
    for (int t = 0; t < u; t = pair.end) {
        struct error too_much = {{0}};
        pair = sort_pair_of(w, u, level, t);
        int a = pair.middle - pair.begin, b = pair.end - pair.middle;
        if (a == b && t)
            memcpy(in_a + t * E, in_a, (size_t)(2 * a * E) * sizeof *in_a);
        else if (a == b)
            hardest_halves(h, a + b, in_a);
        else if (b && !hardest_fixed(h, a, b, in_a + t * E, &on_time, &too_much))
            hardest_merge(h, a + b, in_a + t * E); /* until one of the lists is used up */
    }
    return true;
}

/* Takes all runs of several tiles apart: tiles take in_a and, in turn, its opposite, together half of
 * each run. */
static void unmerge_runs(const struct sort_params *p, const bool *in_a, int *number, int *spare)
{
    int n = p->u * p->E, tiles = sort_tiles(p);
    for (int launch = sort_launches(p) - 1; launch > 0; launch--)
        for (int begin = 0, run = 1 << (launch - 1); begin + run < tiles; begin += 2 * run) {
            int end = begin + 2 * run < tiles ? begin + 2 * run : tiles;
            unmerge_by(in_a, n, number + begin * n, run * n, (end - begin - run) * n,
                       (end * n < p->n ? end * n : p->n) - begin * n, spare);
        }
}

/* Takes the lists of a level apart, in all tiles. */
static void unmerge_level(const struct sort_params *p, int level, const bool *in_a, int *number,
                          int *spare)
{
    int threads = sort_tiles(p) * p->u;
    struct sort_pair pair;
    for (int t = 0; t < threads; t += pair.end - pair.begin) {
        pair = sort_pair_of(p->w, p->u, level, t % p->u);
        int la = (pair.middle - pair.begin) * p->E, lb = (pair.end - pair.middle) * p->E;
        int at = t * p->E, real = p->n - at < 0 ? 0 : p->n - at < la + lb ? p->n - at : la + lb;
        unmerge_by(in_a + pair.begin * p->E, la + lb, number + at, la, lb, real, spare);
    }
}

/* As worst_sort, by the choices of hardest.c. */
static bool hardest_sort(const struct sort_params *p, int order, int *number, struct error *error)
{
    int n = p->u * p->E, tiles = sort_tiles(p), words = tiles * n;
    int levels = sort_levels(p->w, p->u), of_warp = log2_up(p->w);
    struct hardest h;
    int *spare = memory_array((size_t)words, sizeof *spare, "words", error);
    bool *in_a = spare ? memory_array((size_t)(levels + 1) * (size_t)n, 1, "words", error) : NULL;
    bool made = in_a && hardest_init(&h, p->w, p->E, order == ORDER_LIBRARY, error), good = made;

    /* The level of whole warps first: it takes longest, and may be too much. */
    for (int i = 0; good && i < levels; i++) {
        int level = i < of_warp ? of_warp - i : i + 1;
        good = hardest_level(&h, p->u, level, in_a + level * n, error);
    }
    if (good && tiles > 1) /* halves: hardly fewer words on time, and more conflicts in searches */
        (p->u / p->w % 2 ? hardest_merge : hardest_halves)(&h, p->u, in_a);
    for (int i = 0; good && i < words; i++)
        number[i] = i < p->n ? i : INT_MAX;
    if (good)
        unmerge_runs(p, in_a, number, spare);
    for (int level = levels; good && level > 0; level--)
        unmerge_level(p, level, in_a + level * n, number, spare);
    if (made)
        hardest_free(&h);
    free(spare);
    free(in_a);
    return good;
}

bool sort_input(const struct sort_params *p, int order, const struct input *input, int *in,
                struct error *error)
{
    int words = sort_tiles(p) * p->u * p->E;
    if (input->kind == INPUT_WORST)
        return worst_sort(p, in, error);
    if (input->kind == INPUT_HARDEST)
        return hardest_sort(p, order, in, error);
    for (int i = p->n; i < words; i++)
        in[i] = INT_MAX; /* padding */
    return input_numbers(input, in, (size_t)p->n, error);
}

bool sort_prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                  int *in, struct error *error)
{
    (void)shape;
    return sort_input(params, ORDER_MODEL, input, in, error);
}
