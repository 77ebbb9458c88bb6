/* inputs.c - what goes into a kernel, and the reference for what comes out. */
#include "kernels/kernel.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

int random_below(uint64_t *state, int below)
{
    return (int)(random_next(state) % (uint64_t)below);
}

int gcd(int a, int b)
{
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int compare_numbers(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

void sort_numbers(int *number, size_t count)
{
    if (count)
        qsort(number, count, sizeof *number, compare_numbers);
}

bool same_numbers(const int *out, const int *expected, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++)
        if (out[i] != expected[i])
            return error_set(error, "wrong result: word %zu of %zu is %d, not %d", i, count, out[i],
                             expected[i]);
    return true;
}

bool input_numbers(const struct input *input, int *number, size_t count, struct error *error)
{
    uint64_t state = input->seed;
    /* Few enough different values that each comes about eight times. */
    int kinds = count / 8 > 1 ? (int)(count / 8) : 2;

    if (input->kind == INPUT_FILE && input->count != count)
        return error_set(error, "--input: this launch takes %zu numbers, the file has %zu", count,
                         input->count);
    for (size_t i = 0; i < count; i++) {
        switch (input->kind) {
        case INPUT_SORTED:
            number[i] = (int)i;
            break;
        case INPUT_REVERSE:
            number[i] = (int)(count - 1 - i);
            break;
        case INPUT_DUPLICATES:
            number[i] = random_below(&state, kinds);
            break;
        case INPUT_FILE:
            number[i] = input->number[i];
            break;
        default:
            number[i] = random_below(&state, 1000000);
        }
    }
    return true;
}

bool prepare_numbers(const void *params, const struct kernel_shape *shape,
                     const struct input *input, int *in, struct error *error)
{
    (void)params;
    return input_numbers(input, in, shape->in_words, error);
}

bool prepare_naturals(const void *params, const struct kernel_shape *shape,
                      const struct input *input, int *in, struct error *error)
{
    if (!prepare_numbers(params, shape, input, in, error))
        return false;
    for (size_t i = 0; i < shape->in_words; i++)
        in[i] &= INT_MAX;
    return true;
}

bool check_sorted(size_t n, size_t blocks, const int *in, const int *out, struct error *error)
{
    int *expected = malloc((n + 1) * sizeof *expected);
    bool good = expected || error_set(error, "out of memory");
    for (size_t block = 0; good && block < blocks; block++) {
        memcpy(expected, in + n * block, n * sizeof *expected);
        sort_numbers(expected, n);
        good = same_numbers(out + n * block, expected, n, error);
    }
    free(expected);
    return good;
}

/* ---- merges ---------------------------------------------------------------------------------- */

/* The tuples (a, b) of cfmerge section 4 for one subproblem of w/d threads: sequence T. `swap`
 * exchanges the lists. Gives what each thread takes from A. */
static void worst_tuples(int w, int E, bool swap, int *from_a)
{
    int d = gcd(w, E), q = w / E, r = w % E, steps = E / d;
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

/* How many of a thread's words are on time if it starts in A (or B) and its lists start in banks
 * a and b: the word in bank w - E + j is read in round j. */
static int aligned(int w, int E, int a, int b, int from_a, bool a_first)
{
    int on_time = 0;
    for (int j = 0; j < E; j++) {
        bool in_a = a_first ? j < from_a : j >= E - from_a;
        int i = a_first == in_a ? j : j - (a_first ? from_a : E - from_a);
        on_time += ((in_a ? a : b) + i) % w == w - E + j;
    }
    return on_time;
}

/* Deals the ranks 0 .. u E - 1 to the lists so that thread i takes from_a[i] of its E words from A;
 * returns |A|. A thread takes one list after the other, in the order that puts more of its words of
 * the last E banks on time. */
static int deal(int w, int u, int E, const int *from_a, int *list)
{
    int na = 0, a = 0, b = 0;
    for (int i = 0; i < u; i++)
        na += from_a[i];
    for (int i = 0; i < u; i++) {
        int bank_a = a % w, bank_b = (na + b) % w;
        bool a_first = aligned(w, E, bank_a, bank_b, from_a[i], true) >=
                       aligned(w, E, bank_a, bank_b, from_a[i], false);
        for (int j = 0; j < E; j++) {
            bool in_a = a_first ? j < from_a[i] : j >= E - from_a[i];
            list[in_a ? a++ : na + b++] = i * E + j;
        }
    }
    return na;
}

static bool split_shares(const struct input *input, int u, int E, int block, int blocks,
                         int *from_a, struct error *error)
{
    size_t threads = (size_t)u, all = threads * (size_t)blocks;
    if (input->count != threads && input->count != all)
        return error_set(error,
                         "--input splits: give one number for each of the %zu threads of a "
                         "block%s, not %zu",
                         threads, blocks > 1 ? " (or of all blocks)" : "", input->count);
    const int *number = input->number + (input->count == all ? threads * (size_t)block : 0);
    for (int i = 0; i < u; i++) {
        if (number[i] < 0 || number[i] > E)
            return error_set(error,
                             "--input splits: thread %d cannot take %d of its E = %d "
                             "elements from A; the splits do not add up",
                             i, number[i], E);
        from_a[i] = number[i];
    }
    return true;
}

bool input_merge(const struct input *input, int w, int u, int E, int blocks, int *in,
                 struct error *error)
{
    size_t n = (size_t)u * (size_t)E;
    bool good = true;
    int *from_a = calloc((size_t)u, sizeof *from_a);

    if (!from_a)
        return error_set(error, "out of memory");
    if (input->kind == INPUT_WORST && (E < 2 || E > w))
        good = error_set(error,
                         "--input worst: the construction needs 2 <= E <= w, but E = %d and "
                         "w = %d; choose another E or input",
                         E, w);
    if (good && !(input->kind & (INPUT_WORST | INPUT_SPLITS)))
        good = input_numbers(input, in + blocks, n * (size_t)blocks, error);
    for (int block = 0; good && block < blocks; block++) {
        int *list = in + blocks + n * (size_t)block;
        int na = (int)(n - n / 2);
        if (input->kind == INPUT_WORST) {
            int per = w / gcd(w, E);
            for (int i = 0; i < u; i += per)
                worst_tuples(w, E, i / per % 2 == 1, from_a + i);
            na = deal(w, u, E, from_a, list);
        } else if (input->kind == INPUT_SPLITS) {
            good = split_shares(input, u, E, block, blocks, from_a, error);
            if (good)
                na = deal(w, u, E, from_a, list);
        } else {
            sort_numbers(list, (size_t)na);
            sort_numbers(list + na, n - (size_t)na);
        }
        in[block] = na;
    }
    free(from_a);
    return good;
}

bool check_merge(int u, int E, int blocks, const int *in, const int *out, struct error *error)
{
    return check_sorted((size_t)u * (size_t)E, (size_t)blocks, in + blocks, out, error);
}
