/* merge.c - the merges' inputs and expected results. */
#include "kernels/merge.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/hardest.h"
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

/* Inputs that say how many words each thread takes from A. */
static bool deal_shares(const struct merge_params *p, const struct input *input, int block,
                        int *list, int *na, struct error *error)
{
    bool first_banks = input->kind == INPUT_THEOREM_3;
    int u = p->u, n = u * p->E, beach = first_banks ? 0 : p->w - p->E;
    int *from_a = memory_new((size_t)u, sizeof *from_a);
    int *rank = memory_array((size_t)n, sizeof *rank, "words", error);
    bool good = rank;
    if (good && input->kind == INPUT_SPLITS)
        good = split_shares(input, u, p->E, block, p->blocks, from_a, error);
    else if (good)
        worst_shares(p->w, p->E, u, from_a);
    if (good && first_banks)
        theorem_3_shares(p->w, p->E, u, input->count ? input->number[0] : 0, from_a);
    *na = 0;
    for (int i = 0; i < u; i++)
        *na += from_a[i];
    for (int i = 0; good && i < n; i++)
        rank[i] = i;
    int *a = list, *b = list + *na;
    if (good)
        deal(p->w, p->E, beach, 0, *na % p->w, n, rank, from_a, &a, &b);
    free(from_a);
    free(rank);
    return good;
}

/* Inputs that say of each word whether it is in A. */
static bool deal_words(const struct merge_params *p, int order, const struct input *input,
                       int block, int *list, int *na, struct error *error)
{
    struct hardest hardest;
    size_t n = (size_t)p->u * (size_t)p->E;
    bool *in_a = memory_array(n, sizeof *in_a, "words", error);
    bool good = in_a;
    if (good && input->kind == INPUT_FAMILY)
        worst_family(p->w, p->E, p->u, input->count ? input->number[0] : 100,
                     input->seed + (uint64_t)block, in_a);
    else if (good && (good = hardest_init(&hardest, p->w, p->E, order == ORDER_LIBRARY, error))) {
        hardest_merge(&hardest, p->u, in_a);
        hardest_free(&hardest);
    }
    *na = 0;
    for (size_t i = 0; good && i < n; i++)
        *na += in_a[i];
    int *a = list, *b = list + *na;
    for (size_t i = 0; good && i < n; i++)
        *(in_a[i] ? a++ : b++) = (int)i;
    free(in_a);
    return good;
}

static bool is_possible(const struct merge_params *p, const struct input *input,
                        struct error *error)
{
    return input->kind == INPUT_WORST       ? worst_possible(p->w, p->E, error)
           : input->kind == INPUT_THEOREM_3 ? theorem_3_possible(p->w, p->E, error)
           : input->kind == INPUT_FAMILY    ? family_possible(p->w, p->E, error)
                                            : true;
}

bool merge_input(const struct merge_params *p, int order, const struct input *input, int *in,
                 struct error *error)
{
    enum {
        SHARES = INPUT_WORST | INPUT_THEOREM_3 | INPUT_SPLITS,
        WORDS = INPUT_HARDEST | INPUT_FAMILY
    };
    size_t n = (size_t)p->u * (size_t)p->E, blocks = (size_t)p->blocks;
    bool any = !(input->kind & (SHARES | WORDS));
    bool good =
        any ? input_numbers(input, in + blocks, n * blocks, error) : is_possible(p, input, error);
    for (int block = 0; good && block < p->blocks; block++) {
        int *list = in + blocks + n * (size_t)block;
        if (any) {
            in[block] = (int)(n - n / 2);
            sort_numbers(list, n - n / 2);
            sort_numbers(list + (n - n / 2), n / 2);
        } else if (block && !(input->kind & (INPUT_SPLITS | INPUT_FAMILY))) { /* as the first */
            in[block] = in[0];
            memcpy(list, in + blocks, n * sizeof *list);
        } else if (input->kind & WORDS) {
            good = deal_words(p, order, input, block, list, &in[block], error);
        } else {
            good = deal_shares(p, input, block, list, &in[block], error);
        }
    }
    return good;
}

bool merge_prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                   int *in, struct error *error)
{
    (void)shape;
    return merge_input(params, ORDER_MODEL, input, in, error);
}

bool merge_check(const void *params, const struct kernel_shape *shape, const int *in,
                 const int *out, struct error *error)
{
    const struct merge_params *p = params;
    (void)shape;
    return check_sorted((size_t)p->u * (size_t)p->E, (size_t)p->blocks, in + p->blocks, out, error);
}
