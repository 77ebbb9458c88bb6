/* worst.h - inputs of merges with many bank conflicts, by the papers' construction (worstcase section
 * III, cfmerge section 4).
 *
 * The construction has the words of the last E banks read in step: the word in bank w - E + j in
 * round j, by as many threads as there are. Such a word is "on time". For w = 12, E = 5 all 25 words
 * that a warp has in these banks are, and every round takes 5 passes.
 */
#ifndef BANKSCOPE_WORST_H
#define BANKSCOPE_WORST_H

#include "kernels/kernel.h"

/* Whether the construction works for these sizes: 2 <= E <= w. */
bool worst_possible(int w, int E, struct error *error);
/* How many of its E words each of the threads takes from A, on w banks. */
void worst_shares(int w, int E, int threads, int *from_a);
/* The construction of worstcase Theorem 3, by one of the strategies of its Lemma 2: the beach is the
 * first E banks, and E E words of every warp are on time. */
extern const char *const theorem_3_strategies[]; /* "front-to-back", ...; ends with NULL */
bool theorem_3_possible(int w, int E, struct error *error);
void theorem_3_shares(int w, int E, int threads, int strategy, int *from_a);
/* One of the many inputs that cost as much (worstcase section V, point 2): the words that are not on
 * the beach, of threads between those on time, in any order. With percent < 100, only so many in a
 * hundred of the threads on time stay so (point 3): slightly fewer conflicts, and many more inputs.
 * in_a[threads E]: whether the i-th smallest word is in A. Returns |A|. */
bool family_possible(int w, int E, struct error *error);
int worst_family(int w, int E, int threads, int percent, uint64_t seed, bool *in_a);
/* How many words of a thread are on time, on a beach from that bank on, if it takes from_a from A,
 * before those from B or after them, and its parts of the lists begin in these banks. */
int words_on_time(int w, int E, int beach, int bank_a, int bank_b, int from_a, bool a_first);
/* Deals count sorted words to the lists A and B, as their merge by threads of E words each would
 * take them: thread i takes from_a[i] of them from A, before or after those from B, whichever order
 * puts more of its words on time. The lists of the tile begin in these banks; *a and *b are moved
 * on. */
void deal(int w, int E, int beach, int bank_a, int bank_b, int count, const int *sorted,
          const int *from_a, int **a, int **b);

#endif
