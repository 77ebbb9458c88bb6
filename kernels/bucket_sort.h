/* bucket_sort.h - sorts in steps that cut sorted sequences into buckets: what bcf-sort and warp-sort share.
 *
 *   sort              tiles, in shared memory
 *   merge-1, ...      pairs of sequences, until few are left
 *   splitters         a sample of the words is sorted like the tiles (and merged by splitters-1, ...
 *                     if it fills more than one)
 *   ranks             a binary search cuts each sequence at the splitters
 *   distribute        the parts are gathered by bucket
 *   final-1, ...      the parts of each bucket are merged, pair by pair
 *
 * Global memory is n words, then the notes of the steps from splitters on: first the samples, then the
 * cuts (sequence k has cuts[k * buckets + b] words in the buckets before b), then the parts (of sequence
 * k in bucket b begins at parts[b * sequences + k]; one more at the end).
 */
#ifndef BANKSCOPE_BUCKET_SORT_H
#define BANKSCOPE_BUCKET_SORT_H

#include "kernels/bcf.h"

enum step_kind { SORT, MERGE, SPLITTERS, MERGE_SPLITTERS, RANKS, DISTRIBUTE, FINAL, STEPS };

struct plan {
    int length, sequences; /* of what is distributed; the last sequence may be shorter */
    int buckets;
    int samples;      /* words among which the splitters are chosen */
    int steps[STEPS]; /* how many of each kind */
};

/* Merge rounds until sequences of `length` words, n in all, are at most `most`. */
DEVICE int merge_rounds(int n, int64_t length, int most)
{
    int rounds = 0;
    for (; (n + length - 1) / length > most; length *= 2)
        rounds++;
    return rounds;
}

/* What launch number i does: its kind, and which of that kind it is. */
struct step {
    int kind, number;
};
DEVICE struct step step_of(const struct plan *plan, int i)
{
    struct step step = {0, i};
    while (step.kind < STEPS && step.number >= plan->steps[step.kind])
        step.number -= plan->steps[step.kind++];
    return step;
}

/* Words that sequence k of the n has. */
DEVICE int sequence_words(int n, const struct plan *plan, int k)
{
    int rest = n - k * plan->length;
    return rest < plan->length ? rest : plan->length;
}

/* Words begin .. middle - 1 and middle .. end - 1 are to be merged. */
struct pair {
    int begin, middle, end;
};

/* Pair number i of sequences of `length` words, `count` in all; false: there are fewer. */
DEVICE bool pair_of_sequences(int64_t i, int64_t length, int count, struct pair *pair)
{
    int64_t begin = i * 2 * length, middle = begin + length, end = middle + length;
    pair->begin = (int)begin;
    pair->middle = (int)(middle < count ? middle : count);
    pair->end = (int)(end < count ? end : count);
    return begin < count;
}

/* A warp of w lanes gathers bucket b of the n words from all sequences, and notes where its parts begin. */
DEVICE void gather_bucket(int n, int w, const struct plan *plan, int b, int lane, const int *in,
                          int *out)
{
    const int *cuts = in + n + b;
    int *parts = out + n, all = plan->sequences, at = 0;
    for (int k = 0; k < all; k++)
        at += cuts[k * plan->buckets];
    for (int k = 0; k < all; k++) {
        const int *cut = cuts + k * plan->buckets;
        int end = b + 1 < plan->buckets ? cut[1] : sequence_words(n, plan, k);
        copy_words(out + at, in + k * plan->length + cut[0], end - cut[0], lane, w);
        if (lane == 0)
            parts[b * all + k] = at;
        at += end - cut[0];
    }
    if (lane == 0 && b + 1 == plan->buckets)
        parts[plan->buckets * all] = n;
}

#ifdef SIMT_HOST

static inline int plan_launches(const struct plan *plan)
{
    int sum = 0;
    for (int kind = 0; kind < STEPS; kind++)
        sum += plan->steps[kind];
    return sum;
}

/* "merge-2"; false: there is no launch number i. */
static inline bool plan_stage_name(const struct plan *plan, int i, char name[64])
{
    static const char *const names[STEPS] = {"sort",  "merge",      "splitters", "splitters",
                                             "ranks", "distribute", "final"};
    const struct step step = step_of(plan, i);
    if (step.kind == STEPS)
        return false;
    if (step.kind == MERGE || step.kind == MERGE_SPLITTERS || step.kind == FINAL)
        snprintf(name, 64, "%s-%d", names[step.kind], step.number + 1);
    else
        snprintf(name, 64, "%s", names[step.kind]);
    return true;
}

#endif
#endif
