/* search.c - the predecessor searches' inputs, expected results and expected costs. */
#include "kernels/search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Threads of all blocks, and the most queries that one of them takes. */
static int64_t queries_per_thread(const struct search_params *p)
{
    int64_t threads = (int64_t)p->u * p->blocks;
    return (p->Q + threads - 1) / threads;
}

bool search_shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct search_params *p = params;
    int stride = search_stride(p->w, p->key_bytes, p->bank_bytes);
    int rounds = search_rounds(p->K) > stride ? search_rounds(p->K) : stride;

    if (p->key_bytes % 4 || p->bank_bytes % 4)
        return error_set(error, "search: %s = %d, but must be 4 or 8",
                         p->key_bytes % 4 ? "key_bytes" : "bank_bytes",
                         p->key_bytes % 4 ? p->key_bytes : p->bank_bytes);
    if (queries_per_thread(p) * rounds > MAX_ROUNDS)
        return error_set(error,
                         "search: Q = %d queries are %" PRId64
                         " per thread, which takes more than %d "
                         "rounds; choose more threads (u, blocks)",
                         p->Q, queries_per_thread(p), MAX_ROUNDS);
    shape->bank_bytes = p->bank_bytes;
    shape->shared_bytes = (size_t)p->K * (size_t)p->key_bytes;
    shape->in_words = (size_t)p->K + (size_t)p->Q;
    shape->out_words = (size_t)p->Q;
    return true;
}

bool search_shape_columns(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct search_params *p = params;
    int stride = search_stride(p->w, p->key_bytes, p->bank_bytes);
    if (!search_shape(params, shape, error))
        return false;
    shape->shared_bytes =
        (size_t)search_columns(p->K, stride) * (size_t)stride * (size_t)p->key_bytes;
    return true;
}

/* ---- the worst case -------------------------------------------------------------------------- */

/* The searches for all keys: at[t] is where that for key t is. */
struct walk {
    int *at, K, left, delta;
    bool printed; /* Algorithm 1 as it is printed */
};

static void walk_begin(struct walk *walk)
{
    for (int t = 0; t < walk->K; t++)
        walk->at[t] = walk->printed ? walk->K / 2 : 0;
    walk->left = walk->K;
    walk->delta = (walk->K + 3) / 4;
}

/* Does an iteration, which reads at[t] + half, or, as it is printed, at[t]. false: there is none left. */
static bool walk_on(struct walk *walk)
{
    const int half = walk->left / 2, K = walk->K, delta = walk->delta;
    if (walk->left <= 1)
        return false;
    for (int t = 0; t < K; t++) {
        int *at = &walk->at[t];
        if (!walk->printed)
            *at += *at + half <= t ? half : 0;
        else if (*at <= t)
            *at = *at + delta < K ? *at + delta : K - 1;
        else
            *at = *at > delta ? *at - delta : 0;
    }
    walk->left -= half;
    walk->delta = (delta + 1) / 2;
    return true;
}

/* Finds w keys whose searches meet in one bank early and often: Theorem 4.1's pigeonholes.
 *
 * Before every iteration the searches are at certain keys (t is one of them if the search for t
 * itself is there). From there on, searches for two of these keys take the same steps, so if the keys
 * lie in the same bank, so do all their further reads. Of all iterations and banks, the pair with the
 * highest estimate is chosen: the number of keys in the bank (up to w) minus one, times the iterations
 * left. For w a power of two and K a multiple of w^2 that is bank 0 after log w iterations, with the
 * keys i K / w of section V-B, and no input is worse. For other K no worst case is known; the estimate
 * ignores the conflicts before the keys meet, so other inputs can be a little worse. */
static bool worst_keys(const struct search_params *p, bool printed, int *key, struct error *error)
{
    int banks_bytes = p->w * p->bank_bytes;
    int period =
        banks_bytes / (int)gcd(banks_bytes, p->key_bytes); /* keys until the same bank again */
    struct walk walk = {.K = p->K, .printed = printed};
    int *at = walk.at = memory_array((size_t)p->K, sizeof *at, "keys", error);
    int *count = memory_new((size_t)period, sizeof *count);
    int64_t best = -1;
    int best_step = 0, best_bank = 0, found = 0;
    bool good = at;

    if (good)
        walk_begin(&walk);
    for (int step = 0; good; step++) {
        memset(count, 0, (size_t)period * sizeof *count);
        for (int t = 0; t < p->K; t++)
            count[t % period] += at[t] == t;
        for (int bank = 0; bank < period; bank++) {
            int64_t promise = (int64_t)((count[bank] < p->w ? count[bank] : p->w) - 1) *
                              (search_rounds(p->K) - step);
            if (promise > best) {
                best = promise;
                best_step = step;
                best_bank = bank;
                found = count[bank];
            }
        }
        if (!walk_on(&walk))
            break;
    }
    if (good) {
        walk_begin(&walk);
        for (int step = 0; step < best_step; step++)
            walk_on(&walk);
        int lane = 0, index = 0;
        for (int t = best_bank; t < p->K; t += period) {
            if (at[t] != t)
                continue;
            index++; /* the index-th of the `found` keys: spread them over the lanes */
            while (lane < p->w && (int64_t)lane * found < (int64_t)index * p->w)
                key[lane++] = t;
        }
    }
    free(at);
    free(count);
    return good;
}

static bool prepare(const struct search_params *p, bool printed, const struct kernel_shape *shape,
                    const struct input *input, int *in, struct error *error)
{
    int *query = in + p->K, worst[MAX_WARP];
    uint64_t state = input->seed + 1;

    if (input->kind == INPUT_WORST && !worst_keys(p, printed, worst, error))
        return false;
    switch (input->kind) {
    case INPUT_SORTED: /* the queries spread evenly over the keys */
    case INPUT_REVERSE:
    case INPUT_WORST:
        for (int i = 0; i < p->K; i++)
            in[i] = i;
        for (int i = 0; i < p->Q; i++)
            query[i] = input->kind == INPUT_WORST    ? worst[i % p->w]
                       : input->kind == INPUT_SORTED ? (int)((int64_t)i * p->K / p->Q)
                                                     : (int)((int64_t)(p->Q - 1 - i) * p->K / p->Q);
        return true;
    case INPUT_RANDOM: /* as in the paper: queries are keys */
        if (!input_numbers(input, in, (size_t)p->K, error))
            return false;
        for (int i = 0; i < p->Q; i++)
            query[i] = in[random_below(&state, p->K)];
        break;
    default: /* queries need not be keys */
        if (!input_numbers(input, in, shape->in_words, error))
            return false;
    }
    sort_numbers(in, (size_t)p->K);
    return true;
}

bool search_prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    return prepare(params, false, shape, input, in, error);
}

bool search_prepare_pbs(const void *params, const struct kernel_shape *shape,
                        const struct input *input, int *in, struct error *error)
{
    const struct pbs_params *p = params;
    return prepare(&p->search, p->variant == PBS_PRINTED, shape, input, in, error);
}

/* An answer a is right if key a is at most q, key a + 1 is above q, and neither need exist. */
bool search_check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct search_params *p = params;
    (void)shape;
    for (int i = 0; i < p->Q; i++) {
        int a = out[i], q = in[p->K + i];
        if (a < -1 || a >= p->K)
            return error_set(error, "wrong result: answer %d is %d, not from -1 to %d", i, a,
                             p->K - 1);
        if (a >= 0 && in[a] > q)
            return error_set(error,
                             "wrong result: answer %d is key %d = %d, which is above the query %d",
                             i, a, in[a], q);
        if (a + 1 < p->K && in[a + 1] <= q)
            return error_set(error,
                             "wrong result: answer %d is key %d, but key %d = %d is also at most "
                             "the query %d",
                             i, a, a + 1, in[a + 1], q);
    }
    return true;
}

int64_t search_worst_passes(int w, int K)
{
    int64_t sum = 0;
    for (int i = 0; i < search_iterations(K); i++)
        sum += i < 6 && 1 << i < w ? 1 << i : w;
    return sum;
}

void search_report(const void *params, const struct stats *stats, FILE *file)
{
    const struct search_params *p = params;
    int64_t searches = ((int64_t)p->Q + p->w - 1) / p->w;
    bool naive = stats->header.stages == 1;

    fprintf(file, "per warp and query:");
    for (size_t i = 0; i < stats->rows; i++)
        fprintf(file, "%s %.2f passes, %.2f conflicts in %s", i ? "," : "",
                (double)stats->row[i].passes / (double)searches,
                (double)stats->row[i].conflicts / (double)searches,
                stats->header.stage[stats->row[i].stage]);
    fprintf(file, "\n");
    if (naive && p->key_bytes == p->bank_bytes && !(p->w & (p->w - 1)) && p->K % (p->w * p->w) == 0)
        fprintf(file,
                "worst case: A_PBS = %" PRId64
                " passes in the %d iterations (section V-B), and %d for the last access\n",
                search_worst_passes(p->w, p->K), search_iterations(p->K), p->w);
}
