/* worst.c - the papers' construction of a merge with many bank conflicts (worstcase section III,
 * cfmerge section 4).
 */
#include "kernels/worst.h"

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

int words_on_time(int w, int E, int a, int b, int from_a, bool a_first)
{
    int on_time = 0;
    for (int j = 0; j < E; j++) {
        bool in_a = a_first ? j < from_a : j >= E - from_a;
        int i = a_first == in_a ? j : j - (a_first ? from_a : E - from_a);
        on_time += ((in_a ? a : b) + i) % w == w - E + j;
    }
    return on_time;
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

void deal(int w, int E, int bank_a, int bank_b, int count, const int *sorted, const int *from_a,
          int **a, int **b)
{
    for (int i = 0; i * E < count; i++) {
        int size = count - i * E < E ? count - i * E : E;
        bool a_first = words_on_time(w, E, bank_a, bank_b, from_a[i], true) >=
                       words_on_time(w, E, bank_a, bank_b, from_a[i], false);
        for (int j = 0; j < size; j++) {
            bool in_a = a_first ? j < from_a[i] : j >= size - from_a[i];
            int **to = in_a ? a : b;
            *(*to)++ = sorted[i * E + j];
        }
        bank_a = (bank_a + from_a[i]) % w;
        bank_b = (bank_b + size - from_a[i]) % w;
    }
}
