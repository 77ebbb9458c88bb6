/* hardest.h - merge inputs with more bank conflicts than the papers' construction, found by dynamic
 * programming. hardest.c says what is maximised and what is proved.
 */
#ifndef BANKSCOPE_HARDEST_H
#define BANKSCOPE_HARDEST_H

#include "kernels/kernel.h"

/* The banks, counted from those of the beaches, in which a warp's words of A and B begin. */
struct hardest_start {
    uint8_t x, y;
};

/* The scores of all shares, for merges of E words per thread on w banks. */
struct hardest {
    int w, E;
    bool library; /* reads in the library's order, not in the model's (merge.h) */
    int *score;   /* [x][y][k], 0 <= x, y < w, 0 <= k <= E */
    /* Private: what a warp can score, by D = x - y before its first thread and by the words that it
     * takes from A modulo w; and how it starts then. */
    int *gain;
    struct hardest_start *start;
    double steps; /* taken for lists of given lengths */
};

/* false: *error says that there is no memory. hardest_free afterwards in any case. */
bool hardest_init(struct hardest *h, int w, int E, bool library, struct error *error);
void hardest_free(struct hardest *h);

/* A merge of lists of any lengths that add up to `threads` E words, A from bank 0 on and B behind it.
 * in_a[threads E]: whether the i-th smallest word is in A. Returns the words on time. */
int64_t hardest_merge(struct hardest *h, int threads, bool *in_a);

/* A merge of two lists of `threads` E / 2 words each; threads / 2 is a multiple of w. */
int64_t hardest_halves(struct hardest *h, int threads, bool *in_a);

/* A merge of lists of threads_a E and threads_b E words, threads_a + threads_b a multiple of w.
 * false: too many steps for one input, or no memory. */
bool hardest_fixed(struct hardest *h, int threads_a, int threads_b, bool *in_a, int64_t *on_time,
                   struct error *error);

/* Several merges in one warp: pair i is of threads[2 i] and threads[2 i + 1] threads, w in all; their
 * lists lie one behind the other. false as above. */
bool hardest_warp(struct hardest *h, const int *threads, int pairs, bool *in_a, int64_t *on_time,
                  struct error *error);

#endif
