/* sort_input.c - what goes into a whole sort. The worst case is built from the top down: the result
 * of the last merge is known; it is dealt to the two lists that the merge had, and these are the
 * results of the merges before.
 */
#include "kernels/sort.h"
#include "kernels/worst.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

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
static int take(const struct merged *m, bool greedy, int *from_a)
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
            int a_first = words_on_time(m->w, m->E, bank_a % m->w, bank_b % m->w, k, true);
            int b_first = words_on_time(m->w, m->E, bank_a % m->w, bank_b % m->w, k, false);
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
    int greedy = all < 2 * m->w ? take(m, true, from_a) : 0;

    if (take(m, false, from_a) < greedy)
        take(m, true, from_a);
    for (int i = 0; i < all && i * m->E < m->real; i += per_tile) {
        int na = 0, count = m->real - i * m->E;
        for (int k = i; k < i + per_tile; k++)
            na += from_a[k];
        if (per_tile == all)
            na = m->la;
        if (count > per_tile * m->E)
            count = per_tile * m->E;
        deal(m->w, m->E, m->first % m->w, (m->first + na) % m->w, count, m->list + i * m->E,
             from_a + i, &a, &b);
    }
    while (a < spare + m->la)
        *a++ = INT_MAX;
    while (b < spare + length)
        *b++ = INT_MAX;
    memcpy(m->list, spare, (size_t)length * sizeof *spare);
}

bool worst_sort(const struct sort_params *p, int *number, struct error *error)
{
    int n = p->u * p->E, tiles = sort_tiles(p), words = tiles * n;
    int *spare = memory_array((size_t)words, sizeof *spare, "words", error);
    int *from_a =
        spare ? memory_array((size_t)tiles * (size_t)p->u, sizeof *from_a, "threads", error) : NULL;
    bool good = from_a && worst_possible(p->w, p->E, error);

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
    for (int tile = 0; good && tile < tiles; tile++)
        for (int level = sort_levels(p->w, p->u); level > 0; level--) {
            struct sort_pair pair;
            for (int t = 0; t < p->u; t = pair.end) {
                pair = sort_pair_of(p->w, p->u, level, t);
                int at = tile * n + pair.begin * p->E, length = (pair.end - pair.begin) * p->E;
                int real = p->n - at < 0 ? 0 : p->n - at < length ? p->n - at : length;
                struct merged m = {.w = p->w,
                                   .E = p->E,
                                   .list = number + at,
                                   .la = (pair.middle - pair.begin) * p->E,
                                   .lb = (pair.end - pair.middle) * p->E,
                                   .real = real,
                                   .first = pair.begin * p->E,
                                   .threads = pair.end - pair.begin};
                unmerge(&m, spare, from_a);
            }
        }
    free(spare);
    free(from_a);
    return good;
}

bool sort_prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                  int *in, struct error *error)
{
    const struct sort_params *p = params;
    if (input->kind == INPUT_WORST)
        return worst_sort(p, in, error);
    for (size_t i = (size_t)p->n; i < shape->in_words; i++)
        in[i] = INT_MAX; /* padding */
    return input_numbers(input, in, (size_t)p->n, error);
}
