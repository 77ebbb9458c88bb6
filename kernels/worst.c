/* worst.c - the papers' construction of a merge with many bank conflicts (worstcase section III,
 * cfmerge section 4).
 */
#include "kernels/worst.h"

#include <stdlib.h>

bool worst_possible(int w, int E, struct error *error)
{
    return (E >= 2 && E <= w) ||
           error_set(error,
                     "--input worst: the construction needs 2 <= E <= w, but E = %d and "
                     "w = %d; choose another E or input",
                     E, w);
}

/* The tuples (a, b) of cfmerge section 4 for one subproblem of w/d threads: sequence T. `swap`
 * exchanges the lists. Gives what each thread takes from A. */
static void worst_tuples(int w, int E, bool swap, int *from_a)
{
    int d = (int)gcd(w, E), q = w / E, r = w % E, steps = E / d;
    int count = 0;
#define TAKE(a) from_a[count++] = swap ? E - (a) : (a)
    if (steps == 1) { /* E divides w: every thread reads one list */
        for (int i = 0; i < w / d; i++)
            TAKE(E);
        return;
    }
    for (int i = 1; i < steps; i++) {
        int s = i * (r / d) % steps;
        int x = (steps - s) * d, y = s * d;
        TAKE(i % 2 ? y : x);
        /* After tuple i + 1 = 2, 3, ... as many full scans as fit, of the list that is now at the
         * first of the E aligned banks; the first tuple is followed by q. */
        int previous = (i - 1) * (r / d) % steps;
        int fit = i == 1 || (steps - previous) * d + y == r ? q : q - 1;
        for (int k = 0; k < fit; k++)
            TAKE(i % 2 ? E : 0);
    }
    for (int k = 0; k < q; k++) /* (3) of the construction */
        TAKE((steps - 1) % 2 ? 0 : E);
#undef TAKE
}

int words_on_time(int w, int E, int beach, int a, int b, int from_a, bool a_first)
{
    /* A bank and a round each go on by one from word to word: all words of a list, or none. */
    int round_a = a_first ? 0 : E - from_a, round_b = a_first ? from_a : 0;
    return ((a - beach - round_a) % w ? 0 : from_a) + ((b - beach - round_b) % w ? 0 : E - from_a);
}

void worst_shares(int w, int E, int threads, int *from_a)
{
    int per = w / (int)gcd(w, E), tuple[MAX_WARP];
    for (int i = 0; i < threads; i++) {
        if (i % per == 0)
            worst_tuples(w, E, i / per % 2 == 1, tuple);
        from_a[i] = tuple[i % per];
    }
}

void deal(int w, int E, int beach, int bank_a, int bank_b, int count, const int *sorted,
          const int *from_a, int **a, int **b)
{
    for (int i = 0; i * E < count; i++) {
        int size = count - i * E < E ? count - i * E : E;
        bool a_first = words_on_time(w, E, beach, bank_a, bank_b, from_a[i], true) >=
                       words_on_time(w, E, beach, bank_a, bank_b, from_a[i], false);
        for (int j = 0; j < size; j++) {
            bool in_a = a_first ? j < from_a[i] : j >= size - from_a[i];
            int **to = in_a ? a : b;
            *(*to)++ = sorted[i * E + j];
        }
        bank_a = (bank_a + from_a[i]) % w;
        bank_b = (bank_b + size - from_a[i]) % w;
    }
}

/* ---- Theorem 3 ------------------------------------------------------------------------------- */

bool theorem_3_possible(int w, int E, struct error *error)
{
    return (E % 2 && E >= 3 && 2 * E < w) ||
           error_set(error,
                     "--input theorem-3: the construction needs an odd E >= 3 with 2 E < w, but "
                     "E = %d and w = %d; choose other values or input worst",
                     E, w);
}

const char *const theorem_3_strategies[] = {"front-to-back", "back-to-front", "outside-in", NULL};
enum { FRONT_TO_BACK, BACK_TO_FRONT, OUTSIDE_IN };
enum { FRONT, BACK };

/* What is left of a warp's two lists. A column is the E words of a list in one turn around the beach,
 * banks 0 to E - 1; threads that have their words are those before `begin` and from `end` on. */
struct columns {
    int w, E, begin, end;
    int *from_first; /* what each thread takes from list 0 */
    int left[2];     /* words of each list */
    int columns[2];  /* columns of each list */
    int edge[2]
            [2]; /* [FRONT], [BACK]: words of each list before its first, after its last column */
};

/* The next threads of a side take `words` of a list, and what is missing to whole threads from the
 * other one. */
static void take_words(struct columns *c, int side, int list, int words)
{
    while (words > 0) {
        int take = words < c->E ? words : c->E;
        c->from_first[side == FRONT ? c->begin++ : --c->end] = list ? c->E - take : take;
        c->left[list] -= take;
        c->left[1 - list] -= c->E - take;
        c->edge[side][1 - list] -= c->E - take;
        words -= take;
    }
}

/* Lets a thread read a list's first or last column, when others have taken the words beyond it. */
static void align(struct columns *c, int side, int list)
{
    take_words(c, side, list, c->edge[side][list]);
    take_words(c, side, list, c->E);
    c->edge[side][list] = c->w - c->E;
    c->columns[list]--;
}

/* The list whose column on that side has fewer words beyond it; of two that have as many, the one with
 * more columns. */
static int nearer(const struct columns *c, int side)
{
    int ahead = c->edge[side][1] - c->edge[side][0];
    int list = ahead ? ahead < 0 : c->columns[1] > c->columns[0];
    return c->columns[list] ? list : 1 - list;
}

/* The shares of a warp: what each thread takes from the longer list. The first columns of both lists
 * are read by a thread each, then the second of the longer one; the rest is Lemma 2. */
static void theorem_3_warp(int w, int E, int strategy, int *from_first)
{
    struct columns c = {
        .w = w, .E = E, .end = w, .from_first = from_first, .columns = {(E + 1) / 2, (E - 1) / 2}};
    enum { BEFORE_LEMMA_2 = 3 };
    for (int list = 0; list < 2; list++) {
        c.left[list] = c.columns[list] * w;
        c.edge[BACK][list] = w - E;
    }
    for (int i = 0; c.columns[0] + c.columns[1]; i++) {
        if (i < BEFORE_LEMMA_2 || strategy == FRONT_TO_BACK) {
            align(&c, FRONT, nearer(&c, FRONT));
        } else if (strategy == BACK_TO_FRONT) {
            align(&c, BACK, nearer(&c, BACK));
        } else { /* the first column of one list and the last of the other */
            int list = nearer(&c, FRONT);
            align(&c, FRONT, list);
            align(&c, BACK, 1 - list);
        }
    }
    take_words(&c, FRONT, 0, c.left[0]);
    take_words(&c, FRONT, 1, c.left[1]);
}

void theorem_3_shares(int w, int E, int threads, int strategy, int *from_a)
{
    for (int first = 0; first < threads; first += w) {
        theorem_3_warp(w, E, strategy, from_a + first);
        for (int i = first; first / w % 2 && i < first + w; i++)
            from_a[i] = E - from_a[i];
    }
}

/* ---- a family of worst cases ----------------------------------------------------------------- */

bool family_possible(int w, int E, struct error *error)
{
    return (E >= 2 && 2 * E <= w) ||
           error_set(error,
                     "--input family needs 2 <= E and 2 E <= w, but E = %d and w = %d; choose "
                     "another E or input",
                     E, w);
}

/* Whether none of the thread's words is on time. */
static bool is_filler(int w, int E, int bank_a, int bank_b, int from_a)
{
    return !words_on_time(w, E, w - E, bank_a, bank_b, from_a, true) &&
           !words_on_time(w, E, w - E, bank_a, bank_b, from_a, false);
}

int worst_family(int w, int E, int threads, int percent, uint64_t seed, bool *in_a)
{
    int *from_a = memory_new((size_t)threads, sizeof *from_a), na = 0;
    worst_shares(w, E, threads, from_a);
    for (int i = 0; i < threads; i++)
        na += from_a[i];
    for (int i = 0, a = 0, b = na, fillers; i < threads; i += fillers) {
        int words_a = 0;
        for (fillers = 0; i + fillers < threads; fillers++) {
            int k = from_a[i + fillers];
            if (!is_filler(w, E, a % w, b % w, k) &&
                (percent == 100 || random_below(&seed, 100) < percent))
                break;
            words_a += k;
            a += k;
            b += E - k;
        }
        if (!fillers) { /* on time: as the construction has it */
            int k = from_a[i];
            bool a_first = words_on_time(w, E, w - E, a % w, b % w, k, true) >=
                           words_on_time(w, E, w - E, a % w, b % w, k, false);
            for (int j = 0; j < E; j++)
                in_a[i * E + j] = a_first ? j < k : j >= E - k;
            a += k;
            b += E - k;
            fillers = 1;
            continue;
        }
        /* Their words in any order: each of those left with the same chance. */
        for (int j = 0, left = fillers * E; left > 0; j++, left--) {
            in_a[i * E + j] = random_below(&seed, left) < words_a;
            words_a -= in_a[i * E + j];
        }
    }
    free(from_a);
    return na;
}
