/* inputs.c - makes a kernel's input and the reference for its output. */
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

int64_t gcd(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a, y = b < 0 ? -(uint64_t)b : (uint64_t)b;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return (int64_t)(x & INT64_MAX);
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
    /* How many kinds of duplicates: if not said, so few that each comes about eight times. */
    int kinds = input->kind == INPUT_DUPLICATES && input->count ? input->number[0]
                : count / 8 > 1                                 ? (int)(count / 8)
                                                                : 2;

    if (input->kind == INPUT_FILE && input->count != count)
        return error_set(error, "--input: this launch takes %zu numbers, but the file has %zu",
                         count, input->count);
    for (size_t i = 0; i < count; i++) {
        switch (input->kind) {
        case INPUT_SORTED:
            number[i] = (int)i;
            break;
        case INPUT_DISTINCT: { /* a permutation, each with the same chance */
            size_t other = random_next(&state) % (i + 1);
            number[i] = number[other];
            number[other] = (int)i;
            break;
        }
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

/* The sum of what a generator makes of each number: equal for lists of the same numbers in any order,
 * for others with a chance of 2^-64. */
static uint64_t sum_of_numbers(const int *number, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t state = (unsigned)number[i];
        sum += random_next(&state);
    }
    return sum;
}

static bool ascending(const int *number, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (number[i - 1] > number[i])
            return false;
    return true;
}

bool check_sorted(size_t n, size_t blocks, const int *in, const int *out, struct error *error)
{
    for (size_t block = 0; block < blocks; block++, in += n, out += n) {
        if (ascending(out, n) && sum_of_numbers(in, n) == sum_of_numbers(out, n))
            continue;
        int *expected = memory_array(n, sizeof *expected, "words", error); /* to say where */
        bool good = expected;
        if (good) {
            memcpy(expected, in, n * sizeof *expected);
            sort_numbers(expected, n);
            good = same_numbers(out, expected, n, error);
        }
        free(expected);
        if (!good)
            return false;
    }
    return true;
}
