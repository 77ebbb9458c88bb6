/* merge.c - what goes into the merges, and what must come out. */
#include "kernels/merge.h"

#include <stdlib.h>

#include "kernels/worst.h"

bool merge_shape(const void *params, struct kernel_shape *shape, size_t more)
{
    const struct merge_params *p = params;
    size_t n = (size_t)p->u * (size_t)p->E;
    shape->shared_bytes = (n + more) * sizeof(int);
    shape->in_words = (size_t)p->blocks * (n + 1);
    shape->out_words = (size_t)p->blocks * n;
    return true;
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

bool merge_prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                   int *in, struct error *error)
{
    const struct merge_params *p = params;
    int w = p->w, u = p->u, E = p->E, blocks = p->blocks;
    size_t n = (size_t)u * (size_t)E;
    int *from_a = memory_array((size_t)u, sizeof *from_a, "threads", error);
    int *rank = from_a ? memory_array(n, sizeof *rank, "words", error) : NULL;
    bool good = rank && (input->kind != INPUT_WORST || worst_possible(w, E, error));

    (void)shape;
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

bool merge_check(const void *params, const struct kernel_shape *shape, const int *in,
                 const int *out, struct error *error)
{
    const struct merge_params *p = params;
    (void)shape;
    return check_sorted((size_t)p->u * (size_t)p->E, (size_t)p->blocks, in + p->blocks, out, error);
}
