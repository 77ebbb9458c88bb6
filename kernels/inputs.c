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
    bool good = input->kind != INPUT_WORST || worst_possible(w, E, error);
    int *from_a = calloc((size_t)u, sizeof *from_a), *rank = calloc(n, sizeof *rank);

    if (good && (!from_a || !rank))
        good = error_set(error, "out of memory");
    if (good && !(input->kind & (INPUT_WORST | INPUT_SPLITS)))
        good = input_numbers(input, in + blocks, n * (size_t)blocks, error);
    for (size_t i = 0; good && i < n; i++)
        rank[i] = (int)i;
    for (int block = 0; good && block < blocks; block++) {
        int *list = in + blocks + n * (size_t)block, na = 0;
        if (input->kind == INPUT_WORST)
            worst_shares(w, E, u, from_a);
        else if (input->kind == INPUT_SPLITS)
            good = split_shares(input, u, E, block, blocks, from_a, error);
        if (input->kind & (INPUT_WORST | INPUT_SPLITS)) {
            for (int i = 0; i < u; i++)
                na += from_a[i];
            int *a = list, *b = list + na;
            deal(w, E, 0, na % w, (int)n, rank, from_a, &a, &b);
        } else {
            na = (int)(n - n / 2);
            sort_numbers(list, (size_t)na);
            sort_numbers(list + na, n - (size_t)na);
        }
        in[block] = na;
    }
    free(from_a);
    free(rank);
    return good;
}

bool check_merge(int u, int E, int blocks, const int *in, const int *out, struct error *error)
{
    return check_sorted((size_t)u * (size_t)E, (size_t)blocks, in + blocks, out, error);
}
